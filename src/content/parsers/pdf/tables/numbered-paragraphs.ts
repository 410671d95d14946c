import { median } from '../boxes.ts';
import type { Segment } from '../types.ts';

/** Number of a paragraph, such as 1.2, 12 or (3). */
const NUMBER = /^(?:§ ?)?\(?(\d{1,4}(?:\.\d{1,3}){0,4})[.)]{0,2}$/;
/** Minimum number of such paragraphs, and of lines of them all as a multiple of that. */
const MIN_PARAGRAPHS = 2;
const MIN_LINES = 1.5;
/** Minimum median length of their lines, in characters. */
const MIN_LENGTH = 40;

/**
 * Whether two columns are paragraphs with numbers at their left, such as those of minutes or the margin of a law: the
 * numbers follow each other, and the paragraphs have lines of running text without a number. A table of such rows has
 * a head.
 * @param middle x coordinate that separates the columns
 */
export function areNumberedParagraphs(rows: readonly Segment[][], middle: number): boolean {
  const labels = rows.flatMap(([first]) => (first && first.left < middle ? [first] : []));
  if (labels.length < MIN_PARAGRAPHS || rows.length < MIN_LINES * labels.length) return false;
  const numbers = labels.map(numberOf);
  const areInOrder = numbers.every(
    (number, place) => number !== undefined && (place === 0 || follows(number, numbers[place - 1] ?? [])),
  );
  if (!areInOrder) return false;
  const lines = rows.map((row) => row.at(-1) as Segment).filter(({ left }) => left > middle);
  return median(lines.map(({ length }) => length)) >= MIN_LENGTH;
}

function numberOf({ words }: Segment): number[] | undefined {
  const [, number] = NUMBER.exec(words.map(({ text }) => text).join(' ')) ?? [];
  return number?.split('.').map(Number);
}

/** Whether a number is the next one on its level. */
const follows = (number: readonly number[], before: readonly number[]) =>
  number.length === before.length &&
  number.every((part, place) => part === (before[place] ?? 0) + Number(place === number.length - 1));
