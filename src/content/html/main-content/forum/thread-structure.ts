import type { Element } from 'domhandler';
import { findAll, textContent } from 'domutils';
import { isHeading, isParentElement, isTag } from '../../nodes.ts';
import { oneLine } from '../../text.ts';
import type { PageIndex } from '../page-index/page-index.ts';
import type { PrunedPage } from '../stage.ts';
import { type Byline, findBylines } from './bylines.ts';

/** A post with its author, as the elements that it consists of. */
export interface StructuredPost extends Byline {
  parts: Element[];
  /** Characters of its text without links, author and date. */
  length: number;
}

/** Fewer posts may be anything. */
const MIN_POSTS = 3;
/** A post with less text has it in the elements after its byline. Characters that are not blank. */
const MIN_TEXT_LENGTH = 25;
/** The least mean length of the posts of a thread. */
const MIN_MEAN_LENGTH = 15;
/** Minimum share of the text that the posts have, beside what is left of the page, and of its prose. */
const MIN_TEXT_SHARE = 0.6;
const MIN_PROSE_SHARE = 0.85;
/** Minimum share of the text of posts of one kind. The others begin the thread. */
const MIN_KIND_SHARE = 0.5;
/** A longer first post, in multiples of the others' mean length, is an article with comments. */
const MAX_OPENING_RATIO = 5;
/** The same for a first post in the same form as the others. */
const MAX_FIRST_RATIO = 20;
/** The same where the other posts are marked as comments. Characters that are not blank. */
const MAX_OPENING_BEFORE_COMMENTS = 300;
/** If as many posts have a heading that leads elsewhere, they introduce other pages. */
const MAX_TEASER_SHARE = 0.3;

/** The texts of a page that have an author and a date beside them, in document order. */
export function findBylinedPosts(index: PageIndex): StructuredPost[] {
  const bylines = findBylines(index);
  const holders = new Set<Element>();
  for (const { unit } of bylines)
    for (let at: Element['parent'] = unit; isParentElement(at) && !holders.has(at); at = at.parent)
      holders.add(at);
  return bylines.map((byline) => toPost(byline, holders, index));
}

/**
 * Finds the posts of a page by their structure: texts that repeat in the same form, each with an author and a date.
 * @returns none if they are not nearly all of the text of the page, or if they introduce other pages
 */
export function findPostsByStructure(
  index: PageIndex,
  { remaining, linkListLength }: Pick<PrunedPage, 'remaining' | 'linkListLength'>,
): StructuredPost[] {
  const { body, measures } = index;
  const posts = findBylinedPosts(index);
  if (posts.length < MIN_POSTS) return [];
  const kinds = Map.groupBy(posts, ({ kind }) => kind);
  const [main = []] = [...kinds.values()].sort((one, other) => lengthOf(other) - lengthOf(one));
  const parts = posts.flatMap((post) => post.parts);
  const measureOf = (name: 'length' | 'prose') => sum(parts.map((part) => measures.get(part)?.[name] ?? 0));
  const others = posts.filter(({ kind }) => kind !== main[0]?.kind);
  const left = linkListLength + (remaining.get(body)?.length ?? 0);
  const dropped = sum(
    parts.filter((part) => !remaining.has(part)).map((part) => measures.get(part)?.length ?? 0),
  );
  const isThread =
    posts.length >= MIN_POSTS &&
    main.length > 1 &&
    lengthOf(main) >= MIN_MEAN_LENGTH * main.length &&
    lengthOf(main) >= MIN_KIND_SHARE * lengthOf(posts) &&
    (index.type === 'forum' || lengthOf(others) <= longestOpening(main, index)) &&
    (index.type === 'forum' || posts[0]!.length <= MAX_FIRST_RATIO * meanLength(posts.slice(1))) &&
    measureOf('length') >= MIN_TEXT_SHARE * (left + dropped) &&
    measureOf('prose') >= MIN_PROSE_SHARE * (measures.get(body)?.prose ?? 0) &&
    main.filter((post) => isTeaser(post)).length < MAX_TEASER_SHARE * main.length;
  return isThread ? posts : [];
}

/** How long the text that a thread begins with may be, in characters that are not blank. */
const longestOpening = (posts: readonly StructuredPost[], index: PageIndex) =>
  posts.filter(({ date }) => isAmongComments(date, index)).length > posts.length / 2
    ? MAX_OPENING_BEFORE_COMMENTS
    : MAX_OPENING_RATIO * meanLength(posts);

const meanLength = (posts: readonly StructuredPost[]) => lengthOf(posts) / posts.length;

/** Whether the names around an element say that it belongs to comments. */
function isAmongComments(element: Element, { nameHints }: PageIndex): boolean {
  for (let at: Element['parent'] = element; isParentElement(at); at = at.parent)
    if (nameHints.get(at)?.some(({ kind }) => kind === 'comments')) return true;
  return false;
}

const lengthOf = (posts: readonly StructuredPost[]) => sum(posts.map(({ length }) => length));
const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

function toPost(byline: Byline, holders: ReadonlySet<Element>, { measures }: PageIndex): StructuredPost {
  const { unit, name, date } = byline;
  const textOf = (element: Element) => {
    const { length = 0, linked = 0 } = measures.get(element) ?? {};
    return length - linked;
  };
  const own = textOf(unit) - textOf(name) - (name === date ? 0 : textOf(date));
  const parts = [unit];
  let length = own;
  // Where the answers to a post are in the same element as its text, the text follows the byline.
  if (own < MIN_TEXT_LENGTH)
    for (let next = unit.next; next; next = next.next) {
      if (!isTag(next) || textOf(next) === 0) continue;
      if (holders.has(next)) break;
      parts.push(next);
      length += textOf(next);
    }
  return { ...byline, parts, length };
}

/** Whether a post has a heading that is a link to another page, and not the name of its author. */
const isTeaser = ({ parts, name }: StructuredPost) =>
  findAll(isHeading, parts).some((heading) => {
    const link = findAll((one) => one.name === 'a' && !one.attribs.href?.includes('#'), [heading])[0];
    return (
      link !== undefined &&
      link !== name &&
      !findAll((one) => one === name, [heading]).length &&
      oneLine(textContent(link)) === oneLine(textContent(heading))
    );
  });
