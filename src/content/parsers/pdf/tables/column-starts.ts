import { heightOf, median, unionOf } from '../boxes.ts';
import { toSegment } from '../page/segments.ts';
import type { Segment } from '../types.ts';

/** Maximum distance of the beginnings of two cells that are left-aligned, in points. */
export const SAME_START = 0.3;
/** Minimum number of other rows in which a cell begins at the same position. */
const MIN_ROWS = 2;
/** Maximum number of rows above and below a row that are compared with it. */
const NEAR_ROWS = 6;
/** Maximum gap between such rows, as a multiple of the line height. */
const MAX_ROW_GAP = 1.2;

/**
 * Splits segments at words that begin exactly where the cells of a column begin in the rows around. The
 * longest text of a column ends near the next column, where the gap is like a space between words.
 * @param rows segments by row, from top to bottom, each row from left to right
 */
export function splitAtColumnStarts(rows: readonly Segment[][]): Segment[][] {
  if (rows.filter(({ length }) => length > 1).length < MIN_ROWS) return [...rows];
  const lineHeight = median(rows.flat().map(heightOf));
  const boxes = rows.map(unionOf);
  const isNear = (above: number, below: number) =>
    (boxes[below] as Segment).top - (boxes[above] as Segment).bottom < MAX_ROW_GAP * lineHeight;
  return rows.map((row, place) => {
    if (!row.some(({ words }) => words.length > 1)) return row;
    const near: Segment[][] = [];
    for (let at = place; at > Math.max(0, place - NEAR_ROWS) && isNear(at - 1, at); at--)
      near.push(rows[at - 1] as Segment[]);
    for (let at = place; at < Math.min(rows.length - 1, place + NEAR_ROWS) && isNear(at, at + 1); at++)
      near.push(rows[at + 1] as Segment[]);
    return row.flatMap((segment) => splitSegment(segment, near));
  });
}

/** Splits a segment where at least two of the other rows begin a cell, if it has a word at each such place. */
function splitSegment(segment: Segment, near: readonly Segment[][]): Segment[] {
  const starts: number[] = [];
  for (const row of near) {
    const first = row.findIndex(({ left }) => Math.abs(left - segment.left) < SAME_START);
    if (first < 0) continue;
    for (const { left } of row.slice(first + 1)) if (left < segment.right) starts.push(left);
  }
  const isStart = (x: number) =>
    starts.filter((start) => Math.abs(start - x) < SAME_START).length >= MIN_ROWS;
  const { words } = segment;
  const cuts = words.flatMap(({ left }, place) => (place > 0 && isStart(left) ? [place] : []));
  const isMet = (start: number) =>
    cuts.some((place) => Math.abs((words[place]?.left ?? 0) - start) < SAME_START);
  if (cuts.length === 0 || !starts.filter(isStart).every(isMet)) return [segment];
  return [0, ...cuts].map((from, place) => toSegment(words.slice(from, cuts[place])));
}
