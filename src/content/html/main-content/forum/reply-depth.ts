import type { Element } from 'domhandler';
import { firstElements, isParentElement } from '../../nodes.ts';

/** Minimum share of the posts that an element of the same kind belongs to. */
const MIN_OWNED_SHARE = 0.8;
/** Elements of a post in which its indentation is looked for. */
const MAX_VISITED = 12;
const LEVEL_ATTRIBUTE = /^(data-)?(\w+-)?(depth|level|indent|nesting)$|^aria-level$/;
const LEVEL_CLASS = /(?:^|[\s_-])(?:depth|level|indent)[-_]?(\d{1,2})(?=\s|$)/i;
const INDENTATION = /(?:margin|padding)-left\s*:\s*(\d+(?:\.\d+)?)/i;
const TABLE_PARTS = new Set(['table', 'tbody', 'tr']);
/** Lists show by themselves what is inside of them. */
const LISTS = new Set(['ul', 'ol', 'dl', 'blockquote']);

/** An element with one post and, where the markup is nested, the answers to it. */
interface Place {
  element: Element;
  post: Element;
}

/**
 * Finds which posts answer others: by elements of posts inside of each other, else by levels and indentation.
 * @param posts an element of each post, in document order
 * @returns the elements whose content is to be quoted, and how many times
 */
export function findReplyDepths(posts: readonly Element[]): Map<Element, number> {
  const kinds = findHolders(posts);
  for (const read of [levelsOf, nestingOf])
    for (const places of kinds) {
      const depths = read(places);
      if (new Set(depths).size > 1) return findQuotes(places, depths);
    }
  return new Map();
}

/** The elements of each kind that hold one post each as their first, outermost kinds first. */
function findHolders(posts: readonly Element[]): Place[][] {
  const seen = new Set<Element>();
  const kinds = new Map<string, { places: Place[]; posts: Set<Element> }>();
  for (const post of posts) {
    const line: Element[] = [];
    for (let at: Element['parent'] = post; isParentElement(at) && !seen.has(at); at = at.parent) {
      seen.add(at);
      line.unshift(at);
    }
    for (const element of line) {
      const [first = ''] = element.attribs.class?.trim().split(/\s+/) ?? [];
      const key = `${element.name}.${first}`;
      const kind = kinds.get(key) ?? { places: [], posts: new Set() };
      kinds.set(key, kind);
      kind.places.push({ element, post });
      kind.posts.add(post);
    }
  }
  return [...kinds.values()]
    .filter(
      ({ places, posts: own }) =>
        own.size === places.length && own.size >= Math.max(2, MIN_OWNED_SHARE * posts.length),
    )
    .map(({ places }) => places);
}

/** The quotes that show depths which the elements around a post do not show already. */
function findQuotes(places: readonly Place[], depths: readonly number[]): Map<Element, number> {
  const known = new Map(places.map(({ element }, at) => [element, depths[at] ?? 0]));
  const quotes = new Map<Element, number>();
  for (const { element, post } of places) {
    const depth = known.get(element) ?? 0;
    const { above, isInList } = findAbove(element, known);
    const levels = isInList ? 0 : depth - above;
    if (levels > 0) quotes.set(blockOf(element, post), levels);
  }
  return quotes;
}

/** The depth of the post that an element is inside of, and whether it is in a list there. */
function findAbove(element: Element, known: ReadonlyMap<Element, number>) {
  let isInList = LISTS.has(element.name);
  for (let at = element.parent; isParentElement(at); at = at.parent) {
    isInList ||= LISTS.has(at.name);
    const above = known.get(at);
    if (above !== undefined) return { above, isInList };
  }
  return { above: 0, isInList: false };
}

/** The depth of each element among the others. */
function nestingOf(places: readonly Place[]): number[] {
  const depths = new Map<Element, number>();
  return places.map(({ element }) => {
    let depth = 0;
    for (let at = element.parent; isParentElement(at); at = at.parent) {
      const above = depths.get(at);
      if (above === undefined) continue;
      depth = above + 1;
      break;
    }
    depths.set(element, depth);
    return depth;
  });
}

/** The rank of each element's level or indentation; none if the first one is not the highest. */
function levelsOf(places: readonly Place[]): number[] {
  const levels = places.map(({ element }) => levelOf(element));
  const known = [...new Set(levels.filter((level) => level !== undefined))].sort((a, b) => a - b);
  const [highest] = known;
  // A thread begins with a post that answers none.
  if (highest === undefined || (levels[0] ?? highest) !== highest) return [];
  return levels.map((level) => known.indexOf(level ?? highest));
}

/** The level or the indentation of a post, in any unit. */
function levelOf(element: Element): number | undefined {
  for (const { name, attribs } of [element, ...firstElements(element, MAX_VISITED)]) {
    const attribute = Object.entries(attribs).find(([key]) => LEVEL_ATTRIBUTE.test(key))?.[1];
    const spacer = name === 'img' && Number(attribs.height ?? 9) <= 2 ? attribs.width : undefined;
    const written =
      attribute ??
      LEVEL_CLASS.exec(attribs.class ?? '')?.[1] ??
      INDENTATION.exec(attribs.style ?? '')?.[1] ??
      spacer;
    if (written !== undefined && Number.isFinite(Number(written))) return Number(written);
  }
  return undefined;
}

/** Where a quote may be: a row of a table contains cells only. */
function blockOf(element: Element, post: Element): Element {
  if (!TABLE_PARTS.has(element.name)) return element;
  for (let at: Element['parent'] = post; isParentElement(at) && at !== element; at = at.parent)
    if (at.name === 'td') return at;
  return element;
}
