import type { Element } from 'domhandler';
import { isHeading, isTag } from '../../nodes.ts';
import type { Decisions, Sign } from '../evidence/sign.ts';
import type { PageIndex } from '../page-index/page-index.ts';

/** The longest introduction of an article, in characters that are not blank, and its largest share of links. */
const MAX_LEAD_LENGTH = 500;
const MAX_LINKED_SHARE = 0.3;
/** A heading with fewer characters after the title is a label, or begins a section. */
const MIN_SUBTITLE_LENGTH = 40;
/** The longest line between a title and such a heading, such as the date. */
const MAX_BYLINE_LENGTH = 80;
/** How many nodes before a heading are looked at, so that many headings take no longer each. */
const MAX_SIBLINGS = 20;

/**
 * Whether an element is a `header` with the title of the page, which belongs to the content. A heading whose
 * whole text is a link does not count as the title, because it is usually the name of the site.
 */
export function introduces(element: Element, { titled, measures }: PageIndex): boolean {
  if (element.name !== 'header' || !titled.has(element)) return false;
  const { length = 0, linked = 0 } = measures.get(titleIn(element, titled)) ?? {};
  return linked < length;
}

/** The heading with the title inside an element that contains the title. */
function titleIn(element: Element, titled: PageIndex['titled']): Element {
  let at = element;
  for (;;) {
    const next = at.children.find((child) => isTag(child) && titled.has(child));
    if (!next || !isTag(next)) return at;
    at = next;
  }
}

/**
 * Drops an element, but keeps the page's title and the paragraphs after it in the same element.
 * @param signs why it is dropped
 * @param isIntroduced whether the title precedes the element
 * @returns whether the title precedes everything after the element
 */
export function dropBesideTitle(
  element: Element,
  index: PageIndex,
  dropped: Decisions,
  signs: readonly Sign[],
  isIntroduced = false,
): boolean {
  const { titled, type } = index;
  if (!titled.has(element)) {
    if (!(isIntroduced && isLead(element, index))) dropped.drop(element, ...signs);
    return isIntroduced;
  }
  if (isHeading(element)) return true;
  let isAfter = isIntroduced;
  for (const child of element.children)
    if (isTag(child) && !(isAfter && isHeadingAfterTitle(child, index)))
      isAfter = dropBesideTitle(child, index, dropped, signs, isAfter);
  // What follows the element with the title of an article is often a list of teasers or its comments.
  return type === 'article' ? isIntroduced : isAfter;
}

const isHeadingAfterTitle = (element: Element, index: PageIndex) =>
  index.type === 'article' ? isSubtitle(element, index) : isHeadingOfLead(element, index);

/** Whether an element is a heading that introduces an article in a sentence, after its title. */
function isSubtitle(element: Element, { measures, titled }: PageIndex): boolean {
  const { length = 0, linked = 0 } = measures.get(element) ?? {};
  if (!isHeading(element) || titled.has(element) || linked > MAX_LINKED_SHARE * length) return false;
  if (length < MIN_SUBTITLE_LENGTH || length > MAX_LEAD_LENGTH) return false;
  let looked = 0;
  for (let at = element.prev; at && looked < MAX_SIBLINGS; at = at.prev, looked++)
    if (isTag(at) && (titled.has(at) || (measures.get(at)?.length ?? 0) > MAX_BYLINE_LENGTH))
      return titled.has(at);
  return false;
}

/** Whether an element is the heading of a paragraph after the title, such as the name in a manual. */
function isHeadingOfLead(element: Element, index: PageIndex): boolean {
  if (!isHeading(element) || index.titled.has(element)) return false;
  for (let at = element.next; at; at = at.next) if (isTag(at)) return !isHeading(at) && isLead(at, index);
  return false;
}

/**
 * Whether an element after the title is a paragraph of any length, contains prose, or consists only of
 * paragraphs. The introduction of an article is short.
 */
function isLead(element: Element, { measures, type }: PageIndex): boolean {
  const { length = 0, prose = 0, linked = 0, headings = 0 } = measures.get(element) ?? {};
  if (type === 'article' && (headings > 0 || length > MAX_LEAD_LENGTH || linked > MAX_LINKED_SHARE * length))
    return false;
  if (element.name === 'p' || prose > 0) return true;
  const paragraphs = element.children.filter(isTag).filter(({ name }) => name === 'p');
  return length > 0 && paragraphs.reduce((sum, one) => sum + (measures.get(one)?.length ?? 0), 0) === length;
}
