import { type Box, unionOf } from './boxes.ts';
import { groupRows } from './rows.ts';
import type { Word } from './types.ts';

/** Neighbouring words of one row without a wide gap between them: a line of a column, or a part of a table row. */
export interface Segment extends Box {
  words: Word[];
  /** Number of characters. */
  length: number;
}

/** A gap between words is wide when it is at least this multiple of the font size. */
const WIDE_GAP = 0.72;

/** List markers stand apart from their items, and belong to them nevertheless. */
const LIST_MARKER = /^([•◦▪●○■□–—*‣·o-]|\(?(\d{1,3}|[a-z]|[ivxlc]{1,5})[.)])$/i;
const MAX_MARKER_GAP = 4;

/** Splits the words of a page, or of a part of it, into segments. */
export function toSegments(words: readonly Word[]): Segment[] {
  const segments: Segment[] = [];
  for (const row of groupRows(words)) {
    let part: Word[] = [];
    for (const word of row) {
      const before = part.at(-1);
      if (before && isApart(part, before, word)) {
        segments.push(toSegment(part));
        part = [];
      }
      part.push(word);
    }
    if (part.length > 0) segments.push(toSegment(part));
  }
  return segments;
}

function isApart(part: readonly Word[], before: Word, word: Word): boolean {
  const gap = word.left - before.right;
  const size = Math.max(before.style.size, word.style.size);
  if (part.length === 1 && LIST_MARKER.test(before.text) && gap < MAX_MARKER_GAP * size) return false;
  // All characters of a monospaced font are as wide as a wide gap, and code is aligned with spaces.
  return gap > (before.style.monospaced && word.style.monospaced ? 3 : WIDE_GAP) * size;
}

export const toSegment = (words: Word[]): Segment => ({
  ...unionOf(words),
  words,
  length: words.reduce((sum, { text }) => sum + text.length, words.length - 1),
});
