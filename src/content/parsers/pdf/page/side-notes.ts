import { median, unionOf, widthOf } from '../boxes.ts';
import type { Segment } from '../types.ts';
import { groupRows } from './rows.ts';

/** Minimum number of lines of the notes and of the text beside them. */
const MIN_LINES = 3;
/** Maximum size of the notes, as a share of that of the text. */
const MAX_SIZE = 0.88;
/** Maximum width of the notes, as a share of that of the text. */
const MAX_WIDTH = 0.5;
/** Minimum median number of words of a line of notes. */
const MIN_WORDS = 2;
/** Minimum median number of words of a line of the text. */
const MIN_TEXT_WORDS = 5;

/**
 * Whether one of two texts side by side is a narrow column of smaller text, such as notes at the margin or the
 * address of a sender. The cells of a table have one size, but for code.
 */
export const areTextAndNotes = (left: readonly Segment[], right: readonly Segment[]): boolean =>
  areNotesOf(left, right) || areNotesOf(right, left);

function areNotesOf(notes: readonly Segment[], text: readonly Segment[]): boolean {
  if (notes.length < MIN_LINES || text.length < MIN_LINES) return false;
  if (sizeOf(notes) > MAX_SIZE * sizeOf(text)) return false;
  if (wordsOf(notes) < MIN_WORDS || wordsOf(text) < MIN_TEXT_WORDS) return false;
  if (widthOf(unionOf(notes)) > MAX_WIDTH * widthOf(unionOf(text))) return false;
  return !isCode(notes) && groupRows(text).every((row) => row.length === 1);
}

const sizeOf = (lines: readonly Segment[]) =>
  median(lines.flatMap(({ words }) => words.map(({ style }) => style.size)));
const wordsOf = (lines: readonly Segment[]) => median(lines.map(({ words }) => words.length));
const isCode = (lines: readonly Segment[]) =>
  lines.some(({ words }) => words.every(({ style }) => style.monospaced));
