import type { Element } from 'domhandler';
import { closest, hasAttributes, isParentElement, isText, isWithin } from '../../nodes.ts';
import { textOf } from '../../text.ts';
import type { PageIndex } from '../page-index/page-index.ts';
import { isQuote } from './post-quotes.ts';

/** Longer texts are no dates. Characters that are not blank. */
export const MAX_DATE_LENGTH = 60;
/** A text that leaves the year out has at most this many characters; an attribute then has the whole date. */
const MAX_SHORT_DATE_LENGTH = 20;
/** Letters beside a date in one line, such as those of "Posted on" and of a time zone. */
const MAX_LETTERS_BESIDE = 20;
/** Absolute dates, and relative ones such as `2 days ago`. */
export const DATE = new RegExp(
  [
    '\\b\\d{4}[-./]\\d{1,2}[-./]\\d{1,2}(?!\\d)|\\b\\d{1,2}[-./]\\d{1,2}[-./](\\d\\d){1,2}\\b',
    '\\b\\p{L}{3,}\\.? \\d{1,2}(st|nd|rd|th)?,? \\d{4}\\b|\\b\\d{1,2}\\.? \\p{L}{3,}\\.?,? \\d{4}\\b',
    '\\b\\d+\\s?(sec|min|h|hour|d|day|w|week|mo|month|y|year)\\w* ago\\b|\\b(yesterday|today)\\b',
  ].join('|'),
  'iu',
);
/** What every date has, which is found in less time than a date. */
const MAY_BE_DATE = /\d|day/i;
/** Words that mark the date of something other than the post. */
export const OTHER_DATE = /join|edited|modified|registered|member since|updated|active/i;
/** Attributes that are no text, such as URLs with the date of an article. */
const NO_TEXT = new Set(['href', 'src', 'srcset', 'class', 'id', 'style', 'alt', 'content', 'd']);

/**
 * The elements that show the date of something, in document order: those whose own text is a date, and those with
 * a short text whose date is in an attribute, such as "2h" and "Mar 4". Dates in quotes are those of other posts.
 */
export function findDates({ body, elements, measures }: PageIndex): Element[] {
  const found = new Set<Element>();
  const isTaken = (outer: Element) => isQuote(outer) || found.has(outer);
  for (const element of elements) {
    const { length = 0 } = measures.get(element) ?? {};
    // Hardly any element shows a date, so what is around it is looked at last.
    if (length === 0 || length > MAX_DATE_LENGTH || !showsDate(element, length)) continue;
    if (isWithin(element, body) && !closest(element, isTaken)) found.add(element);
  }
  return [...found];
}

function showsDate(element: Element, length: number): boolean {
  const own = ownText(element);
  if (own === '') return false;
  if (MAY_BE_DATE.test(own) && DATE.test(own))
    return (
      !OTHER_DATE.test(lineOf(element)) &&
      own.replace(DATE, '').replace(/\P{L}/gu, '').length <= MAX_LETTERS_BESIDE
    );
  return (
    length <= MAX_SHORT_DATE_LENGTH &&
    hasAttributes(element) &&
    /[\p{L}\d]/u.test(own) &&
    hasDateAttribute(element)
  );
}

function hasDateAttribute({ attribs }: Element): boolean {
  for (const name in attribs) {
    if (NO_TEXT.has(name)) continue;
    const value = attribs[name] ?? '';
    if (value.length <= 2 * MAX_DATE_LENGTH && /\d/.test(value) && DATE.test(value)) return true;
  }
  return false;
}

/** The text of an element, and of the one around it if that is as short. */
function lineOf(element: Element): string {
  const { parent } = element;
  const text = textOf(isParentElement(parent) ? parent : element, 2 * MAX_DATE_LENGTH);
  return text.length < MAX_DATE_LENGTH ? text : textOf(element);
}

/** The text of an element without that of the elements in it. */
function ownText({ children }: Element): string {
  const first = children[0];
  // Most short elements are one text, and a page has thousands of them.
  if (first && children.length === 1) return isText(first) ? first.data.trim() : '';
  let text = '';
  for (const child of children) text += isText(child) ? child.data : ' ';
  return text.trim();
}
