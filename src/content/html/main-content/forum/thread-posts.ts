import type { Element } from 'domhandler';
import { textContent } from 'domutils';
import { isHeading, isParentElement, isTag } from '../../nodes.ts';
import { oneLine } from '../../text.ts';
import type { Decisions } from '../evidence/sign.ts';
import type { PageIndex } from '../page-index/page-index.ts';
import type { PrunedPage } from '../stage.ts';
import { findPostsByMarkup } from './forum-markup.ts';
import { findPostAuthors } from './post-authors.ts';
import { dropLabels } from './post-labels.ts';
import { findBylinedPosts, findPostsByStructure } from './thread-structure.ts';

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
/** A text with an author before the posts begins the thread, unless it has more links, as a menu has. */
const MAX_OPENING_LINKS = 10;
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
  /** An element of each post, in document order. */
  marks: Element[];
}

/**
 * Finds the posts of a thread: by the markup of known forum software, else as the elements that share a class
 * and together have nearly all of the prose and the least other text, else by their structure. The second are
 * posts only if they have authors or dates.
 * @returns `undefined` for a page without posts
 */
export function findThread(index: PageIndex, pruned: PrunedPage): Thread | undefined {
  const named = findPostsByMarkup(index, pruned);
  const posts = dropDuplicatePosts(named.length ? named : findPostsByClass(index, pruned));
  const authors = findPostAuthors(posts, index);
  const isThread = named.length > 0 || authors.length >= MIN_AUTHORED_SHARE * posts.length;
  if (posts.length > 0 && isThread)
    return addBylines({ posts, authors, marks: posts }, index, pruned.dropped);
  const structured = findPostsByStructure(index, pruned);
  if (structured.length === 0) return undefined;
  dropLabels(structured, index, pruned);
  return {
    // A page of which nothing else is known keeps its title.
    posts: [...[...index.titled].filter(isHeading), ...structured.flatMap(({ parts }) => parts)],
    authors: structured.flatMap(({ name, date }) => [name, date]),
    marks: structured.map(({ date }) => date),
  };
}

/**
 * Adds what the bylines of a page tell beyond the posts: authors and dates inside of posts and beside them, and
 * the post that the thread begins with. Remarks on posts that were dropped are left out.
 */
function addBylines({ posts, authors, marks }: Thread, index: PageIndex, dropped: Decisions): Thread {
  const own = new Set(posts);
  const counts = countInside(posts);
  const known = countInside(authors);
  const first = posts[0]?.startIndex ?? 0;
  const firstAuthors = authors
    .slice(0, 2)
    .map((author) => textContent(author))
    .join(' ');
  const thread: Thread = { posts: [...posts], authors: [...authors], marks };
  for (const { unit, name, date, parts } of findBylinedPosts(index)) {
    const isAlone = !parts.some((part) => counts.has(part));
    if (isInside(date, (one) => own.has(one))) {
      if (!isInside(unit, (one) => dropped.has(one))) thread.authors.push(name, date);
    } else if (isAlone && date.startIndex! < first) {
      const isFirst = firstAuthors.includes(oneLine(textContent(name)));
      if (!isFirst && parts.every((part) => (index.measures.get(part)?.links ?? 0) <= MAX_OPENING_LINKS))
        thread.posts.push(...parts);
    } else if (counts.get(unit) === 1 && (known.get(unit) ?? 0) < 2) thread.authors.push(name, date);
  }
  return thread;
}

/** How many of the given elements each element around them has, itself included. */
function countInside(elements: readonly Element[]): Map<Element, number> {
  const counts = new Map<Element, number>();
  for (const element of elements)
    for (let at: Element['parent'] = element; isParentElement(at); at = at.parent) {
      const before = counts.get(at) ?? 0;
      // Only the difference between one and several matters, and every ancestor has at least as many.
      if (before > 1) break;
      counts.set(at, before + 1);
    }
  return counts;
}

/** Whether an element or one around it passes a test. */
function isInside(element: Element, test: (outer: Element) => boolean): boolean {
  for (let at: Element['parent'] = element; isParentElement(at); at = at.parent) if (test(at)) return true;
  return false;
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

/** Drops everything outside of these elements, which may be inside of each other. */
export function dropAllExcept(elements: Element[], { body }: PageIndex, { dropped }: PrunedPage): void {
  const kept = new Set(elements);
  const lines = new Set<Element>();
  const reopened = new Set<Element>();
  for (const element of elements) {
    dropped.restore(element);
    for (let at = element.parent; isParentElement(at) && !lines.has(at); at = at.parent) {
      lines.add(at);
      if (dropped.has(at)) reopened.add(at);
      dropped.restore(at);
    }
  }
  const visit = (element: Element, isInPost: boolean) => {
    for (const child of element.children) {
      if (!isTag(child)) continue;
      if (lines.has(child)) visit(child, (isInPost || kept.has(child)) && !reopened.has(child));
      else if (!kept.has(child) && !isInPost)
        dropped.drop(child, { kind: 'place', detail: 'beside the posts' });
    }
  };
  visit(body, false);
}
