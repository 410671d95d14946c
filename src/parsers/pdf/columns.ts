import { type Box, centerY, heightOf, median, overlapY, unionOf, widthOf } from './boxes.ts';
import { findGutters, type Gutter } from './gutters.ts';
import { groupRows } from './rows.ts';
import type { Segment } from './segments.ts';

/** A table, picture or the like, which is placed as a whole. */
export interface Placed<T> extends Box {
  content: T;
}

export type Item<T> = Segment | Placed<T>;

export const isSegment = <T>(item: Item<T>): item is Segment => 'words' in item;

/** A gutter between columns is at least this multiple of the median line height wide. */
const MIN_GUTTER = 0.72;
const MIN_COLUMN_ROWS = 5;
/** Columns of running text can be shorter. */
const MIN_PROSE_ROWS = 2;
/** Lines of running text have at least this many characters. */
const MIN_PROSE_LENGTH = 16;
const MIN_SHORT_PROSE_LENGTH = 26;
const MAX_DEPTH = 12;

/**
 * Splits a page into columns and returns their contents in reading order. Rows in which text crosses the gutter end
 * the columns: what is above them is read first, what is below them last.
 */
export function splitColumns<T>(items: readonly Item<T>[], depth = 0): Item<T>[][] {
  if (items.length === 0) return [];
  if (depth >= MAX_DEPTH) return [[...items]];
  // Each box is a row of its own, because the lines of columns need not stand at the same heights.
  const sorted = [...items].sort((a, b) => centerY(a) - centerY(b));
  const gutter = bestGutter(sorted);
  if (!gutter) return [sorted];
  const { first, last } = gutter;
  const middle = sorted.slice(first, last + 1);
  return [sorted.slice(0, first), ...sidesOf(middle, gutter), sorted.slice(last + 1)].flatMap((part) =>
    splitColumns(part, depth + 1),
  );
}

function sidesOf<T>(items: readonly Item<T>[], { left }: Gutter): [Item<T>[], Item<T>[]] {
  const isLeft = (item: Item<T>) => item.right <= left + 0.01;
  return [items.filter(isLeft), items.filter((item) => !isLeft(item))];
}

function bestGutter<T>(sorted: readonly Item<T>[]): Gutter | undefined {
  const lineHeight = median(sorted.filter(isSegment).map(heightOf));
  let best: Gutter | undefined;
  const rows = sorted.map((item) => [item]);
  for (const found of findGutters(rows, MIN_GUTTER * lineHeight)) {
    if (found.leftRows < MIN_PROSE_ROWS || found.rightRows < MIN_PROSE_ROWS) continue;
    const gutter = trimGutter(sorted, found, lineHeight);
    if (!gutter || (best && score(gutter) <= score(best))) continue;
    if (separatesColumns(sidesOf(sorted.slice(gutter.first, gutter.last + 1), gutter), lineHeight))
      best = gutter;
  }
  return best;
}

const score = ({ leftRows, rightRows, left, right }: Gutter) =>
  Math.min(leftRows, rightRows) * 10 + leftRows + rightRows + Math.min(right - left, 40) / 40;

/**
 * Leaves out what is set apart from the columns: a line above them that only the right side has, one that stands across
 * both sides as a running head does, and lines below the end of a side.
 */
function trimGutter<T>(sorted: readonly Item<T>[], gutter: Gutter, lineHeight: number): Gutter | undefined {
  let { first, last } = gutter;
  const isLeft = (place: number) => (sorted[place] as Item<T>).right <= gutter.left + 0.01;
  const firstLeft = sorted.slice(first, last + 1).find(({ right }) => right <= gutter.left + 0.01) as Item<T>;
  while (first < last && !isLeft(first) && (sorted[first] as Item<T>).bottom < firstLeft.top) first++;
  const head = headEnd(sorted.slice(first, last + 1), lineHeight);
  first += head;
  for (const side of [true, false]) {
    let end = last;
    while (end >= first && isLeft(end) !== side) end--;
    // What goes on below the end of this side without a gap still belongs to the other one.
    let bottom = Math.max(...sorted.slice(first, end + 1).map((item) => item.bottom));
    for (let place = end + 1; place <= last; place++) {
      const item = sorted[place] as Item<T>;
      if (item.top - bottom > 1.2 * lineHeight) last = place - 1;
      else bottom = Math.max(bottom, item.bottom);
    }
  }
  const leftRows = sorted.slice(first, last + 1).filter((_, place) => isLeft(first + place)).length;
  const rightRows = last - first + 1 - leftRows;
  if (leftRows < MIN_PROSE_ROWS || rightRows < MIN_PROSE_ROWS) return undefined;
  return { ...gutter, first, last, leftRows, rightRows };
}

/** The number of boxes in a row of its own above the columns. */
function headEnd(items: readonly Box[], lineHeight: number): number {
  const [first] = items;
  if (!first) return 0;
  let end = 1;
  while (items[end] && overlapY(first, items[end] as Box) > 0.5 * lineHeight) end++;
  const bottom = Math.max(...items.slice(0, end).map((item) => item.bottom));
  const next = items[end];
  return end > 1 && next && next.top - bottom > lineHeight ? end : 0;
}

/** Whether the two sides are columns of text rather than the cells of a table. */
function separatesColumns<T>(sides: [Item<T>[], Item<T>[]], lineHeight: number): boolean {
  const [left, right] = sides;
  const areProse = sides.every(isProse);
  if (areProse) {
    // Few lines are columns only when they are long: two captions side by side, but not the cells of a table.
    const isShort = Math.min(left.length, right.length) < 4;
    const length = median([...left, ...right].filter(isSegment).map((segment) => segment.length));
    if (isShort && length < MIN_SHORT_PROSE_LENGTH) return false;
    return !haveSameRows(left, right, lineHeight) && !isColumnOfCells(left, right, lineHeight);
  }
  // A short side beside running text is a large heading or a label; beside other short lines it is a cell.
  const least = sides.some((side) => side.length >= MIN_COLUMN_ROWS && isProse(side)) ? 3 : MIN_COLUMN_ROWS;
  if (left.length < least || right.length < least) return false;
  return alignedShare(left, right, lineHeight) < 0.45;
}

/** Whether a side consists of lines of running text, or of tables and pictures. */
function isProse<T>(side: readonly Item<T>[]): boolean {
  const segments = side.filter(isSegment);
  if (segments.length === 0) return true;
  return (
    median(segments.map(({ length }) => length)) >= MIN_PROSE_LENGTH &&
    median(segments.map(widthOf)) > 0.4 * widthOf(unionOf(side))
  );
}

/** The share of the lines of the shorter side that stand at the height of a line of the other one, as table rows do. */
function alignedShare(left: readonly Box[], right: readonly Box[], lineHeight: number): number {
  const [fewer, more] = left.length < right.length ? [left, right] : [right, left];
  const aligned = fewer.filter((box) =>
    more.some((other) => Math.abs(centerY(box) - centerY(other)) < 0.14 * lineHeight),
  );
  return aligned.length / fewer.length;
}

/** Whether gaps between the lines of both sides stand at the same heights, as between the rows of a table. */
function haveSameRows(left: readonly Box[], right: readonly Box[], lineHeight: number): boolean {
  const [a, b] = [left, right].map((side) => blockTops(side, lineHeight)) as [number[], number[]];
  if (a.length < 3 || b.length < 3) return false;
  const shared = a.filter((top) => b.some((other) => Math.abs(top - other) < 0.3 * lineHeight)).length;
  return shared >= 0.8 * Math.min(a.length, b.length) && shared >= 3;
}

/** Whether the lines of one side stand apart, each at the height of a line of the other side. */
function isColumnOfCells(left: readonly Box[], right: readonly Box[], lineHeight: number): boolean {
  const [fewer, more] = left.length < right.length ? [left, right] : [right, left];
  if (fewer.length > 0.75 * more.length || alignedShare(left, right, lineHeight) < 0.8) return false;
  return blockTops(fewer, lineHeight).length > 0.6 * fewer.length;
}

/** Tops of the boxes that a gap separates from what is above them. */
function blockTops(side: readonly Box[], lineHeight: number): number[] {
  const rows = groupRows(side).map(unionOf);
  return rows
    .filter((row, place) => place === 0 || row.top - (rows[place - 1] as Box).bottom > 0.35 * lineHeight)
    .map(({ top }) => top);
}
