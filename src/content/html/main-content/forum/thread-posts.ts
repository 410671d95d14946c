import type { Element } from 'domhandler';
import { textContent } from 'domutils';
import { isParentElement, isTag } from '../../nodes.ts';
import type { PageIndex } from '../page-index/page-index.ts';
import type { PrunedPage } from '../stage.ts';
import { findPostsByMarkup } from './forum-markup.ts';
import { findPostAuthors } from './post-authors.ts';

/** A class on a single element does not identify posts. */
const MIN_POSTS_ALIKE = 2;
/** Minimum share of a thread's prose that its posts must have. */
const MIN_PROSE_SHARE = 0.85;
/** Elements that only look alike are posts if there is an author or a date for at least this share of them. */
const MIN_AUTHORED_SHARE = 0.5;
/** Weight of the text in a group of elements that is not prose, subtracted from its prose. */
const OTHER_TEXT_PENALTY = 0.5;
/** Shorter posts may be equal by chance. Characters that are not blank. */
const MIN_DUPLICATE_LENGTH = 100;
/** Elements that may contain a post. */
const POST_ELEMENTS = new Set(['div', 'section', 'article', 'td', 'li', 'main']);

/** Elements that share a class and are not nested, with the sums of their measures. */
interface ClassGroup {
  elements: Element[];
  prose: number;
  length: number;
}

/** The posts of a thread with their authors and dates. */
export interface Thread {
  /** The elements with the texts of the posts. */
  posts: Element[];
  /** The elements with their authors and dates. */
  authors: Element[];
}

/**
 * Finds the posts of a thread: by the markup of known forum software, else as the elements that share a class
 * and together have nearly all of the prose and the least other text. The latter are posts only if they have
 * authors or dates.
 * @returns `undefined` for a page without posts
 */
export function findThread(index: PageIndex, pruned: PrunedPage): Thread | undefined {
  const named = findPostsByMarkup(index, pruned);
  const posts = dropDuplicatePosts(named.length ? named : findPostsByClass(index, pruned));
  if (posts.length === 0) return undefined;
  const authors = findPostAuthors(posts, index);
  return named.length > 0 || authors.length >= MIN_AUTHORED_SHARE * posts.length
    ? { posts, authors }
    : undefined;
}

/** Removes long posts that the page repeats, for example above the thread or for printing. */
function dropDuplicatePosts(posts: Element[]): Element[] {
  const seen = new Set<string>();
  return posts.filter((post) => {
    const text = textContent(post).replace(/\s+/g, '');
    const isAgain = text.length >= MIN_DUPLICATE_LENGTH && seen.has(text);
    seen.add(text);
    return !isAgain;
  });
}

function findPostsByClass({ body }: PageIndex, { remaining, dropped }: PrunedPage): Element[] {
  const minimum = MIN_PROSE_SHARE * (remaining.get(body)?.prose ?? 0);
  if (minimum === 0) return [];
  const alike = new Map<string, ClassGroup>();
  const open = new Set<string>();
  const visit = (element: Element) => {
    const rest = remaining.get(element);
    if (!rest || rest.length === 0 || dropped.has(element)) return;
    const names = POST_ELEMENTS.has(element.name)
      ? new Set(element.attribs.class?.split(/\s+/))
      : new Set<string>();
    const opened = [...names].filter((name) => name && !open.has(name));
    for (const name of opened) {
      open.add(name);
      const group = alike.get(name) ?? { elements: [], prose: 0, length: 0 };
      alike.set(name, group);
      group.elements.push(element);
      group.prose += rest.prose;
      group.length += rest.length;
    }
    for (const child of element.children) if (isTag(child)) visit(child);
    for (const name of opened) open.delete(name);
  };
  visit(body);
  const worthOf = ({ prose, length }: ClassGroup) => prose - OTHER_TEXT_PENALTY * (length - prose);
  const [posts] = [...alike.values()]
    .filter(({ elements, prose }) => elements.length >= MIN_POSTS_ALIKE && prose >= minimum)
    .sort((one, other) => worthOf(other) - worthOf(one));
  return posts?.elements ?? [];
}

/** Drops everything outside of these elements. */
export function dropAllExcept(elements: Element[], { body }: PageIndex, { dropped }: PrunedPage): void {
  const kept = new Set(elements);
  const lines = new Set<Element>();
  for (const element of elements) {
    dropped.restore(element);
    for (let at = element.parent; isParentElement(at) && !lines.has(at); at = at.parent) {
      lines.add(at);
      dropped.restore(at);
    }
  }
  const visit = (element: Element) => {
    for (const child of element.children) {
      if (!isTag(child) || kept.has(child)) continue;
      if (lines.has(child)) visit(child);
      else dropped.drop(child, { kind: 'place', detail: 'beside the posts' });
    }
  };
  visit(body);
}
