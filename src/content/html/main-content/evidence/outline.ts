import type { Element } from 'domhandler';
import { childrenOf, isHeading, isTag } from '../../nodes.ts';
import type { PageIndex } from '../page-index/page-index.ts';

/** The number of nodes on each side of an element among which one of the same form is looked for. */
const MAX_SIBLINGS = 60;
/** Sections with headings of one level that are an outline. */
const MIN_SECTIONS = 2;
/** Elements with the text itself rather than with parts of it. */
export const PASSAGES: ReadonlySet<string> = new Set([
  'p',
  'pre',
  'blockquote',
  'ul',
  'ol',
  'dl',
  'table',
  'figure',
  'details',
]);
/** Elements that contain passages; any other element inside of a paragraph is part of its line. */
const BLOCKS = new Set([
  ...PASSAGES,
  ...'div section article aside nav header footer form h1 h2 h3 h4 h5 h6'.split(' '),
]);

/** The form of a page's text: which elements continue the text beside them. */
export class Outline {
  readonly #index: PageIndex;
  readonly #sections: ReadonlyMap<Element, string>;

  /** @param sections the sections whose headings are those of boilerplate */
  constructor(index: PageIndex, sections: ReadonlyMap<Element, string>) {
    this.#index = index;
    this.#sections = sections;
  }

  /**
   * Whether an element has the form of the running text beside it: a paragraph among paragraphs, a section
   * among sections, or what follows the next heading of an outline.
   * @param isWhole whether it is asked for the element itself; of what is around it, only sections count,
   *     because columns and rows of a layout are alike whatever they hold
   */
  continues(element: Element, isWhole: boolean): boolean {
    if (!isWhole) return this.#hasSibling(element, (one) => areSections(one, element, this.#index));
    return (
      this.#hasSibling(element, (one) => isAlike(one, element, this.#index) || areParagraphs(one, element)) ||
      this.#followsHeading(element)
    );
  }

  #hasSibling(element: Element, isPair: (sibling: Element) => boolean): boolean {
    for (const side of ['prev', 'next'] as const) {
      let looked = 0;
      for (let at = element[side]; at && looked < MAX_SIBLINGS; at = at[side], looked++)
        if (isTag(at) && at.name !== 'aside' && this.#hasText(at) && isPair(at)) return true;
    }
    return false;
  }

  /** Whether an element follows a heading, and running text an earlier heading of the same level. */
  #followsHeading(element: Element): boolean {
    let level: string | undefined;
    let hasText = false;
    let looked = 0;
    for (let at = element.prev; at && looked < MAX_SIBLINGS; at = at.prev, looked++) {
      if (!isTag(at)) continue;
      if (!isHeading(at)) hasText ||= level !== undefined && this.#hasText(at);
      else if (level === undefined) {
        if (this.#sections.has(at)) return false;
        level = at.name;
      } else if (at.name === level && hasText) return true;
    }
    return false;
  }

  #hasText(element: Element): boolean {
    return (this.#index.measures.get(element)?.prose ?? 0) > 0;
  }
}

/**
 * Whether two siblings are parts of one text: elements with the same tag and classes, or sections that begin
 * with headings of the same level. Several articles of one page are different texts.
 */
export function isAlike(one: Element, other: Element, index: PageIndex): boolean {
  if (one.name !== other.name || one.name === 'article') return false;
  if (PASSAGES.has(one.name)) return true;
  if (one.attribs.class !== undefined && one.attribs.class === other.attribs.class) return true;
  return areSections(one, other, index);
}

/** Whether two elements with the same tag begin with headings of the same level. */
function areSections(one: Element, other: Element, index: PageIndex): boolean {
  const level = one.name === other.name ? levelOfSection(one, index) : undefined;
  return level !== undefined && level === levelOfSection(other, index);
}

/** Whether two elements have the same tag and only lines of text. */
const areParagraphs = (one: Element, other: Element) =>
  one.name === other.name && isParagraph(one) && isParagraph(other);

/** Whether an element has only lines of text, as a paragraph does. */
export const isParagraph = (element: Element): boolean =>
  !childrenOf(element).some((child) => isTag(child) && BLOCKS.has(child.name));

/**
 * The elements beside a part of a text that belong to the text: sections with headings of one level that is not below
 * those in the part, the first of which precedes the part, and what stands between them. The largest section of a
 * page is not the whole page.
 * @param siblings the part and all elements beside it, in their order
 */
export function findOutlineAround(
  part: Element,
  siblings: readonly Element[],
  index: PageIndex,
): ReadonlySet<Element> {
  const found = new Set<Element>();
  const { rank } = index.measures.get(part) ?? {};
  if (rank === undefined) return found;
  const place = siblings.indexOf(part);
  const levels = siblings.map((sibling, at) =>
    at === place || index.titled.has(sibling) ? undefined : levelOfSection(sibling, index),
  );
  const level = levels
    .slice(0, place)
    .reduce<number>((least, one) => Math.min(least, one ?? least), Number.POSITIVE_INFINITY);
  const sections = levels.filter((one) => one === level).length;
  if (level > rank || (level === rank && sections < MIN_SECTIONS)) return found;
  for (const [at, sibling] of siblings.entries()) {
    const isSection = levels[at] === level;
    const goesOn = found.size > 0 && (at < place || PASSAGES.has(sibling.name));
    if (isSection || (goesOn && at !== place)) found.add(sibling);
  }
  return found;
}

/** The level of the heading that a section begins with; `undefined` for other elements. */
function levelOfSection(element: Element, { measures }: PageIndex): number | undefined {
  const { start = 0, rank } = measures.get(element) ?? {};
  const hasText = (at: Element) => (measures.get(at)?.length ?? 0) > 0;
  for (
    let at: Element | undefined = element;
    at;
    at = childrenOf(at).find((child): child is Element => isTag(child) && hasText(child))
  ) {
    if (isHeading(at)) return Number(at.name[1]) === rank ? rank : undefined;
    if (measures.get(at)?.start !== start) return undefined;
  }
  return undefined;
}
