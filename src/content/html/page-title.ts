import type { Document, Element } from 'domhandler';
import { getElementsByTagName } from 'domutils';
import { textOf } from './text.ts';

/** Characters of a title that are read. */
const MAX_TITLE_LENGTH = 500;

/** The words of a title or heading in small letters, with single blanks between them, so that two can be compared. */
export const titleWords = (element: Element): string =>
  textOf(element, MAX_TITLE_LENGTH)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();

/** The words of the document's title; an empty text without one. */
export function documentTitleWords(page: Document): string {
  const [title] = getElementsByTagName('title', page, true, 1);
  return title ? titleWords(title) : '';
}
