import type { Element } from 'domhandler';
import { closest, firstElements, isHeading, isParentElement } from '../../nodes.ts';
import { textOf } from '../../text.ts';
import type { Measure } from '../page-index/element-measures.ts';
import type { Decisions, Sign } from './sign.ts';

/** Cards are at least this many headings or pictures, and at least this share of their text is linked. */
const MIN_CARDS = 2;
const MIN_LINKED_SHARE_OF_CARDS = 0.05;
const MIN_LINKED_SHARE_OF_HEADINGS = 0.7;
/** The same share of the text of one heading. */
const MIN_LINKED_SHARE_OF_HEADING = 0.7;
/** Characters of a text in which signs of remarks and notices are looked for. */
const MAX_READ_LENGTH = 2_000;
/** Elements of a block in which controls are looked for. */
const MAX_VISITED = 2_000;
const CONTROLS = new Set(['input', 'textarea', 'select']);
/** Types of `input` that readers do not fill in, or that are the boxes of a list of tasks. */
const NO_CONTROLS = new Set(['hidden', 'checkbox']);

/** Remarks have as many marks of different kinds, or as many dates. */
const MIN_REMARK_MARKS = 2;
const MIN_DATES = 3;
const DATES =
  /\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|\b\d{4}[./-]\d{1,2}[./-]\d{1,2}\b|\b\p{L}{3,}\.? \d{1,2}(st|nd|rd|th)?,? \d{4}\b|\b\d{1,2}\.? \p{L}{3,}\.?,? \d{4}\b/giu;
/** What every date has, which is found in less time than a date. */
const MAY_HAVE_DATES = /\d{4}|\d[./-]\d/;
/** What a remark of a reader has beside its text and a date; one of them alone may be in any text. */
const REMARK_MARKS = [
  /\b(\d+|an?)\s?(s|sec|min|h|hour|d|day|w|week|mo|month|y|yr|year)\w* ago\b/i,
  /\b\d([.,]\d)? (out )?of 5\b|\b\d([.,]\d)?\s?\/\s?5\b|[★☆]{3}/i,
  /\b(reply|permalink|report|flag|upvote|log in to reply)\b/i,
  /\b(verified (purchase|buyer)|was this review helpful|found this helpful|helpful\?)/i,
];

/** Texts that ask for consent to cookies. */
const CONSENT =
  /\b(we|our|us|this (web)?site|by (continuing|clicking|using)|partners?)\b[^.]{0,120}\bcookies?\b|\b(accept|reject|allow|manage) (all )?(cookies|consent|preferences)\b|\b(these cookies|(strictly necessary|functional|targeting) cookies|cookies are (small|text|data))\b/i;
/** Texts of legal notices and disclaimers. */
const LEGAL =
  /\ball rights reserved\b|©|\(c\) (19|20)\d\d|\bcopyright (19|20)\d\d|\b(is|are) not responsible for\b|\bterms (of (use|service)|and conditions)\b|\bprivacy policy\b/i;

/** Data and code, which are text however short they are. */
const DATA = new Set(['table', 'dl', 'pre']);

/**
 * Whether an element is data or code, or has some among its first elements.
 * @param most how many are looked at
 */
export const hasData = (element: Element, most: number): boolean =>
  [element, ...firstElements(element, most)].some(({ name }) => DATA.has(name));

/**
 * The sign that a block consists of cards or controls; `undefined` if it looks like any text.
 * @param dropped what was dropped of it, whose controls do not count
 */
export function findShape(element: Element, measured: Measure, dropped?: Decisions): Sign | undefined {
  if (hasCards(element, measured)) return { kind: 'shape', detail: 'cards' };
  return hasControls(element, dropped) ? { kind: 'shape', detail: 'controls' } : undefined;
}

/** The sign of a text that is a notice, or remarks of readers with their dates. */
export function findWords(element: Element): Sign | undefined {
  const text = textOf(element, MAX_READ_LENGTH);
  if (CONSENT.test(text)) return { kind: 'words', detail: 'consent' };
  if (LEGAL.test(text)) return { kind: 'words', detail: 'legal notice' };
  return element.name !== 'p' && hasRemarks(text)
    ? { kind: 'words', detail: 'remarks of readers' }
    : undefined;
}

function hasRemarks(text: string): boolean {
  const dates = MAY_HAVE_DATES.test(text) ? (text.match(DATES)?.length ?? 0) : 0;
  if (dates >= MIN_DATES) return true;
  let marks = dates > 0 ? 1 : 0;
  for (const mark of REMARK_MARKS) {
    if (mark.test(text)) marks++;
    if (marks >= MIN_REMARK_MARKS) return true;
  }
  return false;
}

/** Whether a block consists of headings that are links, as teasers of other pages are. */
function hasCards(element: Element, { headings, links, linked, length, pictures }: Measure): boolean {
  if (headings < MIN_CARDS || links < headings) return false;
  if (pictures >= MIN_CARDS && linked > MIN_LINKED_SHARE_OF_CARDS * length) return true;
  const titles = countLinkedHeadings(element);
  return titles >= MIN_CARDS && titles >= MIN_LINKED_SHARE_OF_HEADINGS * headings;
}

/** The number of headings in a block that are links to other pages as a whole. */
const countLinkedHeadings = (block: Element) =>
  firstElements(block, MAX_VISITED).filter((element) => isHeading(element) && isLinkAsWhole(element)).length;

/** Whether a heading is a link to another page as a whole. */
export function isLinkAsWhole(heading: Element): boolean {
  const { parent } = heading;
  if (isParentElement(parent) && isLinkToPage(parent)) return true;
  const link = firstElements(heading, MAX_VISITED).find(isLinkToPage);
  return (
    link !== undefined &&
    textOf(link, MAX_READ_LENGTH).trim().length >=
      MIN_LINKED_SHARE_OF_HEADING * textOf(heading, MAX_READ_LENGTH).trim().length
  );
}

const isLinkToPage = ({ name, attribs }: Element) =>
  name === 'a' && attribs.href !== undefined && !attribs.href.includes('#');

const hasControls = (block: Element, dropped?: Decisions) =>
  [block, ...firstElements(block, MAX_VISITED)].some(
    (element) =>
      CONTROLS.has(element.name) &&
      !NO_CONTROLS.has(element.attribs.type ?? '') &&
      !(dropped && closest(element, (at) => dropped.has(at))),
  );
