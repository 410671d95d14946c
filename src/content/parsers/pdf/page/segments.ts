import { heightOf, overlapY, unionOf } from '../boxes.ts';
import type { Segment, Word } from '../types.ts';
import { joinJustified } from './justified.ts';

/** Minimum width of a wide gap, as a multiple of the font size. */
const WIDE_GAP = 0.72;
/** The same between monospaced words: their spaces are wide, and code is aligned with several of them. */
const WIDE_GAP_MONOSPACED = 3;
/** List markers, which belong to the same segment as their item in spite of a wide gap. */
const LIST_MARKER = /^([•◦▪●○■□–—*‣·o-]|\(?(\d{1,3}|[a-z]|[ivxlc]{1,5})[.)])$/i;
/** Whether a word is the bullet or number of a list item. */
export const isListMarker = (text: string) => LIST_MARKER.test(text);
/** Maximum gap after a list marker, as a multiple of the font size. */
const MAX_MARKER_GAP = 4;
/**
 * Maximum overlap of neighbouring words, which kerning and slanted type cause, as a multiple of the font
 * size.
 */
const MAX_OVERLAP = 0.5;

/**
 * Groups words into segments. The words of one run are in order. Different runs are joined only by their
 * positions, because their order in the file need not be the reading order.
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
  return joinJustified(joinNeighbours(parts), toSegment);
}

function isNext(part: readonly Word[], word: Word): boolean {
  const before = part.at(-1) as Word;
  const gap = word.left - before.right;
  const size = Math.max(before.style.size, word.style.size);
  if (gap < -MAX_OVERLAP * size) return false;
  if (part.length === 1 && isListMarker(before.text)) return gap < MAX_MARKER_GAP * size;
  const isMonospaced = before.style.monospaced && word.style.monospaced;
  return gap < (isMonospaced ? WIDE_GAP_MONOSPACED : WIDE_GAP) * size;
}

/** Joins segments that are next to each other on one line. */
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

/** Whether two neighbours share a baseline, or one of them is a superscript or subscript of the other. */
function isOnLine(a: Segment, b: Segment): boolean {
  const shared = overlapY(a, b);
  if (shared <= 0) return false;
  const [lower, higher] = [Math.min(heightOf(a), heightOf(b)), Math.max(heightOf(a), heightOf(b))];
  return shared > (lower > 0.75 * higher ? 0.6 : 0.75) * lower && (lower > 0.4 * higher || b.length < 4);
}

/** Creates a segment from words in reading order. */
export const toSegment = (words: Word[]): Segment => ({
  ...unionOf(words),
  words,
  length: words.reduce((sum, { text }) => sum + text.length, words.length - 1),
});
