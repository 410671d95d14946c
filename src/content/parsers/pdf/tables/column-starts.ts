import { heightOf, median, unionOf } from '../boxes.ts';
import { isListMarker, toSegment } from '../page/segments.ts';
import type { Segment, Word } from '../types.ts';

/** Maximum distance of the beginnings of two cells that are left-aligned, in points. */
export const SAME_START = 0.3;
/** Minimum number of other rows in which a cell begins at the same position. */
const MIN_ROWS = 2;
/** Maximum number of rows above and below a row that are compared with it. */
const NEAR_ROWS = 6;
/** The same where lines between them begin at the same position. */
const NEAR_ROWS_OF_LINES = 12;
/** Minimum number of such lines. */
const MIN_LINES = 2;
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
    const [first, last] = [Math.max(0, place - NEAR_ROWS_OF_LINES), place + NEAR_ROWS_OF_LINES];
    if (!hasCells(rows, first, last)) return row;
    const near: Segment[][] = [];
    for (let at = place; at > first && isNear(at - 1, at); at--) near.push(rows[at - 1] as Segment[]);
    const above = near.length;
    for (let at = place; at < Math.min(rows.length - 1, last) && isNear(at, at + 1); at++)
      near.push(rows[at + 1] as Segment[]);
    const rowsAround = {
      all: near,
      close: near.filter((_, at) => (at < above ? at : at - above) < NEAR_ROWS),
    };
    return row.flatMap((segment) => splitSegment(segment, rowsAround));
  });
}

/**
 * Splits a segment where at least two of the other rows begin a cell, or one of them and two lines of its column,
 * if it has a word at each such place.
 */
function splitSegment(
  segment: Segment,
  { all, close }: { all: readonly Segment[][]; close: readonly Segment[][] },
): Segment[] {
  const { words } = segment;
  const farther = startsIn(all, segment);
  if (farther.length === 0) return [segment];
  const starts = startsIn(close, segment);
  const lines = close.flatMap(([line]) => (line && line.left > segment.left ? [line.left] : []));
  const count = (places: readonly number[], x: number) =>
    places.filter((at) => Math.abs(at - x) < SAME_START).length;
  const isStart = (x: number) =>
    count(starts, x) >= MIN_ROWS || (count(farther, x) > 0 && count(lines, x) >= MIN_LINES);
  const cuts = words.flatMap(({ left }, place) =>
    place > 0 && isStart(left) && !(place === 1 && isListMarker((words[0] as Word).text)) ? [place] : [],
  );
  const isMet = (start: number) =>
    cuts.some((place) => Math.abs((words[place]?.left ?? 0) - start) < SAME_START);
  if (cuts.length === 0 || ![...starts, ...farther].filter(isStart).every(isMet)) return [segment];
  return [0, ...cuts].map((from, place) => toSegment(words.slice(from, cuts[place])));
}

/** Whether a row other than those of one text is among the rows from `first` to `last`. */
function hasCells(rows: readonly Segment[][], first: number, last: number): boolean {
  for (let place = first; place <= last && place < rows.length; place++)
    if ((rows[place] as Segment[]).length > 1) return true;
  return false;
}

/** Where cells begin within a segment, in rows that have a cell that begins where it does. */
function startsIn(rows: readonly Segment[][], { left: start, right }: Segment): number[] {
  const starts: number[] = [];
  for (const row of rows) {
    if (row.length < 2) continue;
    const first = row.findIndex(({ left }) => Math.abs(left - start) < SAME_START);
    if (first < 0) continue;
    for (let place = first + 1; place < row.length; place++) {
      const { left } = row[place] as Segment;
      if (left < right) starts.push(left);
    }
  }
  return starts;
}
