import { type Box, heightOf, median, unionOf, widthOf } from './boxes.ts';
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
const MIN_COLUMN_ROWS = 3;
/** Lines of running text have at least this many characters. */
const MIN_PROSE_LENGTH = 16;
const MAX_DEPTH = 12;

/**
 * Splits a page into columns and returns their contents in reading order. Rows in which text crosses the gutter end
 * the columns: what is above them is read first, what is below them last.
 */
export function splitColumns<T>(items: readonly Item<T>[], depth = 0): Item<T>[][] {
  if (items.length === 0) return [];
  if (depth >= MAX_DEPTH) return [[...items]];
  const rows = groupRows(items);
  const lineHeight = median(items.filter(isSegment).map(heightOf));
  const gutter = bestGutter(rows, lineHeight);
  if (!gutter) return [[...items]];
  const middle = rows.slice(gutter.first, gutter.last + 1).flat();
  return [
    rows.slice(0, gutter.first).flat(),
    middle.filter((item) => item.right <= gutter.left + 0.01),
    middle.filter((item) => item.right > gutter.left + 0.01),
    rows.slice(gutter.last + 1).flat(),
  ].flatMap((part) => splitColumns(part, depth + 1));
}

function bestGutter<T>(rows: readonly Item<T>[][], lineHeight: number): Gutter | undefined {
  let best: Gutter | undefined;
  for (const found of findGutters(rows, MIN_GUTTER * lineHeight)) {
    if (found.leftRows < MIN_COLUMN_ROWS || found.rightRows < MIN_COLUMN_ROWS) continue;
    const gutter = trimGutter(rows, found, lineHeight);
    if (!gutter || !separatesColumns(rows, gutter, lineHeight)) continue;
    if (!best || score(gutter) > score(best)) best = gutter;
  }
  return best;
}

const score = ({ leftRows, rightRows, left, right }: Gutter) =>
  Math.min(leftRows, rightRows) * 10 + leftRows + rightRows + Math.min(right - left, 40) / 40;

/** Leaves out rows before the columns that only the right one has, and rows after them that are set apart. */
function trimGutter<T>(rows: readonly Item<T>[][], gutter: Gutter, lineHeight: number): Gutter | undefined {
  let { first, last } = gutter;
  const isLeft = (item: Item<T>) => item.right <= gutter.left + 0.01;
  const left = () => rows.slice(first, last + 1).map((row) => row.some(isLeft));
  const right = () => rows.slice(first, last + 1).map((row) => row.some((item) => !isLeft(item)));
  first += Math.max(0, left().indexOf(true));
  const top = (place: number) => Math.min(...(rows[place] as Item<T>[]).map((item) => item.top));
  const bottom = (place: number) => Math.max(...(rows[place] as Item<T>[]).map((item) => item.bottom));
  for (const isColumn of [right, left]) {
    const end = first + isColumn().lastIndexOf(true);
    for (let place = end + 1; place <= last; place++)
      if (top(place) - bottom(place - 1) > 1.2 * lineHeight) last = place - 1;
  }
  if (last - first + 1 < MIN_COLUMN_ROWS) return undefined;
  const [lefts, rights] = [left(), right()];
  const count = (flags: boolean[]) => flags.filter(Boolean).length;
  return {
    ...gutter,
    first,
    last,
    leftRows: count(lefts),
    rightRows: count(rights),
    bothRows: count(lefts.map((flag, place) => flag && (rights[place] as boolean))),
  };
}

/** Whether the two sides are columns of text rather than the cells of a table. */
function separatesColumns<T>(rows: readonly Item<T>[][], gutter: Gutter, lineHeight: number): boolean {
  if (gutter.leftRows < MIN_COLUMN_ROWS || gutter.rightRows < MIN_COLUMN_ROWS) return false;
  const items = rows.slice(gutter.first, gutter.last + 1).flat();
  const sides = [
    items.filter((item) => item.right <= gutter.left + 0.01),
    items.filter((item) => item.right > gutter.left + 0.01),
  ];
  if (sides.some((side) => !isColumn(side, lineHeight))) return false;
  return !haveSameRows(sides[0] as Item<T>[], sides[1] as Item<T>[], lineHeight);
}

/** Whether one side of a gutter reads like a column: long lines, or lines that follow each other without gaps. */
function isColumn<T>(side: readonly Item<T>[], lineHeight: number): boolean {
  const segments = side.filter(isSegment);
  if (segments.length < side.length && segments.length < MIN_COLUMN_ROWS) return true;
  const isProse = median(segments.map(({ length }) => length)) >= MIN_PROSE_LENGTH;
  if (isProse && median(segments.map(widthOf)) > 0.3 * widthOf(unionOf(side))) return true;
  const rows = groupRows(side);
  if (rows.length < 5 || rows.some((row) => row.length > 1)) return false;
  const boxes = rows.map((row) => row[0] as Item<T>);
  const isTight = boxes
    .slice(1)
    .every((box, place) => box.top - (boxes[place] as Item<T>).bottom < 0.8 * lineHeight);
  return isTight && median(segments.map(({ length }) => length)) >= MIN_PROSE_LENGTH / 2;
}

/** Whether gaps between the lines of both sides stand at the same heights, as between the rows of a table. */
function haveSameRows(left: readonly Box[], right: readonly Box[], lineHeight: number): boolean {
  const [a, b] = [left, right].map((side) => blockTops(side, lineHeight)) as [number[], number[]];
  if (a.length < 3 || b.length < 3) return false;
  const shared = a.filter((top) => b.some((other) => Math.abs(top - other) < 0.3 * lineHeight)).length;
  return shared >= 0.8 * Math.min(a.length, b.length) && shared >= 3;
}

/** Tops of the boxes that a gap separates from what is above them. */
function blockTops(side: readonly Box[], lineHeight: number): number[] {
  const rows = groupRows(side).map(unionOf);
  return rows
    .filter((row, place) => place === 0 || row.top - (rows[place - 1] as Box).bottom > 0.35 * lineHeight)
    .map(({ top }) => top);
}
