import type { Word } from '../types.ts';
import type { EdgeLine } from './edge-lines.ts';

const NUMBER = /^\d{1,4}$/;
/** Minimum distance of a page number from the text beside it, as a multiple of the font size. */
const MIN_GAP = 1.2;

/**
 * Finds the lines of other pages that have the page number at one of their ends as a line has it, whatever the
 * rest of their texts is: books print the title of the chapter or section beside it, which few pages share.
 * @param around lines at the same edge of neighbouring pages
 */
export function equallyNumbered(line: EdgeLine, around: readonly EdgeLine[], maxShift: number): EdgeLine[] {
  const own = numbersOf(line);
  const found: EdgeLine[] = [];
  let isAhead = own.every(({ isFirst }) => isFirst);
  for (const other of own.length > 0 ? around : []) {
    if (other.page === line.page || Math.abs(other.top - line.top) >= maxShift) continue;
    const number = numbersOf(other).find(({ offset }) => own.some((each) => each.offset === offset));
    if (!number) continue;
    found.push(other);
    isAhead &&= number.isFirst;
  }
  // Large titles with their number ahead are those of chapters or slides, which can have a page each.
  return isAhead && line.isLarge ? [] : found;
}

interface PageNumber {
  /** How far it is above the number of its page. */
  offset: number;
  isFirst: boolean;
}

/** The numbers at the ends of a line that are apart from its text. */
function numbersOf({ words, page }: EdgeLine): PageNumber[] {
  if (words.length < 2) return [];
  const ends: [end: Word, beside: Word][] = [
    [words[0] as Word, words[1] as Word],
    [words.at(-1) as Word, words.at(-2) as Word],
  ];
  return ends.flatMap(([end, beside], place) => {
    const gap = Math.max(beside.left - end.right, end.left - beside.right);
    if (!NUMBER.test(end.text) || gap <= MIN_GAP * end.style.size) return [];
    return { offset: Number(end.text) - page, isFirst: place === 0 };
  });
}
