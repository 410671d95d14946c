import { type Box, heightOf, overlapY, unionOf } from './boxes.ts';
import type { Word } from './types.ts';

/** Neighbouring words on one baseline without a wide gap between them: a line of a column, or a part of a table row. */
export interface Segment extends Box {
  words: Word[];
  /** Number of characters. */
  length: number;
}

/** A gap between words is wide when it is at least this multiple of the font size. */
const WIDE_GAP = 0.72;
/** Characters of a monospaced font are as wide as other gaps, and code is aligned with spaces. */
const WIDE_GAP_MONOSPACED = 3;
/** List markers stand apart from their items, and belong to them nevertheless. */
const LIST_MARKER = /^([•◦▪●○■□–—*‣·o-]|\(?(\d{1,3}|[a-z]|[ivxlc]{1,5})[.)])$/i;
const MAX_MARKER_GAP = 4;
/** Overlap of neighbouring words that kerning and slanted type can cause, as a multiple of the font size. */
const MAX_OVERLAP = 0.5;

/**
 * Groups words into segments. Words of one run stand on one line; runs are joined with their neighbours by place alone,
 * because their order in the file says nothing.
 */
export function toSegments(words: readonly Word[]): Segment[] {
  const parts: Segment[] = [];
  let part: Word[] = [];
  for (const word of words) {
    const before = part.at(-1);
    if (before && (before.run !== word.run || !isNext(part, word))) {
      parts.push(toSegment(part));
      part = [];
    }
    part.push(word);
  }
  if (part.length > 0) parts.push(toSegment(part));
  return joinNeighbours(parts);
}

function isNext(part: readonly Word[], word: Word): boolean {
  const before = part.at(-1) as Word;
  const gap = word.left - before.right;
  const size = Math.max(before.style.size, word.style.size);
  if (gap < -MAX_OVERLAP * size) return false;
  if (part.length === 1 && LIST_MARKER.test(before.text)) return gap < MAX_MARKER_GAP * size;
  const isMonospaced = before.style.monospaced && word.style.monospaced;
  return gap < (isMonospaced ? WIDE_GAP_MONOSPACED : WIDE_GAP) * size;
}

/** Joins segments that follow each other on one line. */
function joinNeighbours(parts: readonly Segment[]): Segment[] {
  const sorted = [...parts].sort((a, b) => a.left - b.left);
  const open: Segment[] = [];
  for (const part of sorted) {
    let best = -1;
    for (let place = 0; place < open.length; place++) {
      const other = open[place] as Segment;
      if (!isOnLine(other, part) || !isNext(other.words, part.words[0] as Word)) continue;
      if (best === -1 || (open[best] as Segment).right < other.right) best = place;
    }
    if (best === -1) open.push(part);
    else open[best] = toSegment([...(open[best] as Segment).words, ...part.words]);
  }
  return open;
}

/** Whether two neighbours share a baseline, or one is a raised or lowered mark beside the other. */
function isOnLine(a: Segment, b: Segment): boolean {
  const shared = overlapY(a, b);
  if (shared <= 0) return false;
  const [lower, higher] = [Math.min(heightOf(a), heightOf(b)), Math.max(heightOf(a), heightOf(b))];
  return shared > (lower > 0.75 * higher ? 0.6 : 0.75) * lower && (lower > 0.4 * higher || b.length < 4);
}

export const toSegment = (words: Word[]): Segment => ({
  ...unionOf(words),
  words,
  length: words.reduce((sum, { text }) => sum + text.length, words.length - 1),
});
