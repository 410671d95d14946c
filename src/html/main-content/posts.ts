import { type Element, isTag } from 'domhandler';
import { textContent } from 'domutils';
import { namedPosts } from './post-names.ts';
import type { Pruned } from './pruning.ts';
import type { Survey } from './survey.ts';

/** A single one is like no other. */
const FEWEST_POSTS = 2;
/** So much of a thread's prose is in its posts. */
const LEAST_PROSE = 0.85;
/** What else is in the posts counts so much against them. */
const COST_OF_OTHER = 0.5;
/** A shorter post may well be the same as another one. Characters that are not blanks. */
const LONG = 100;
/** What a post may be kept in. */
const HOLDERS = new Set(['div', 'section', 'article', 'td', 'li', 'main']);

/** Elements with a class in common, none inside another one, and what they amount to. */
interface Alike {
  elements: Element[];
  prose: number;
  length: number;
}

/**
 * The texts of a thread's posts: the elements with a class in common that together have nearly all of its prose and
 * the least beside it. Around them stand who wrote them, when, and what others thought of it.
 * @returns none for a page without such elements
 */
export function postsOf(survey: Survey, pruned: Pruned): Element[] {
  const named = namedPosts(survey, pruned);
  return onceEach(named.length ? named : postsAlike(survey, pruned));
}

/** Without the long posts that the page shows again, above the thread or for printing. */
function onceEach(posts: Element[]): Element[] {
  const said = new Set<string>();
  return posts.filter((post) => {
    const text = textContent(post).replace(/\s+/g, '');
    const isAgain = text.length >= LONG && said.has(text);
    said.add(text);
    return !isAgain;
  });
}

function postsAlike({ body }: Survey, { left, dropped }: Pruned): Element[] {
  const least = LEAST_PROSE * (left.get(body)?.prose ?? 0);
  if (least === 0) return [];
  const alike = new Map<string, Alike>();
  const open = new Set<string>();
  const visit = (element: Element) => {
    const rest = left.get(element);
    if (!rest || rest.length === 0 || dropped.has(element)) return;
    const names = HOLDERS.has(element.name)
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
  const worthOf = ({ prose, length }: Alike) => prose - COST_OF_OTHER * (length - prose);
  const [posts] = [...alike.values()]
    .filter(({ elements, prose }) => elements.length >= FEWEST_POSTS && prose >= least)
    .sort((one, other) => worthOf(other) - worthOf(one));
  return posts?.elements ?? [];
}

/** Drops all that is not in one of these elements. */
export function dropAround(elements: Element[], { body }: Survey, { dropped }: Pruned): void {
  const kept = new Set(elements);
  const lines = new Set<Element>();
  for (const element of elements) {
    dropped.delete(element);
    for (let at = element.parent; at && isTag(at) && !lines.has(at); at = at.parent) {
      lines.add(at);
      dropped.delete(at);
    }
  }
  const visit = (element: Element) => {
    for (const child of element.children) {
      if (!isTag(child) || kept.has(child)) continue;
      if (lines.has(child)) visit(child);
      else dropped.add(child);
    }
  };
  visit(body);
}
