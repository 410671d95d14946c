import { type Box, centerY, heightOf, median, overlapY, unionOf, widthOf } from '../boxes.ts';
import { boxesOfTables } from '../tables/uncut-tables.ts';
import type { Segment } from '../types.ts';
import { areBulletLists } from './bullet-columns.ts';
import { headEnd } from './column-heads.ts';
import { type ColumnItem, isSegment } from './column-items.ts';
import { findGutters, type Gutter } from './gutters.ts';
import { arePriceLists } from './price-lists.ts';
import { groupColumns, groupRows } from './rows.ts';

/** Minimum width of a gutter between columns, as a multiple of the median line height. */
const MIN_GUTTER = 0.72;
/** Minimum number of lines in a column. */
const MIN_COLUMN_ROWS = 5;
/** Minimum number of lines in a column that takes a large part of the page. */
const MIN_LONG_ROWS = 15;
/** Minimum number of lines in a column of running text. */
const MIN_PROSE_ROWS = 2;
/** Minimum median length of the lines of running text, in characters. */
const MIN_PROSE_LENGTH = 16;
/** The same for columns of fewer than four lines. */
const MIN_SHORT_PROSE_LENGTH = 26;
/** Minimum median number of words of the lines of several columns of running text. */
const MIN_PROSE_WORDS = 4;
/** Minimum median width of these lines, as a share of the width of their column. */
const MIN_FILLED = 0.75;
/**
 * Maximum gap between the lines of a column that is longer than the other one, as a multiple of the median
 * line height.
 */
const MAX_GAP = 1.2;
/**
 * Gap that does not end columns of about the same height if they have no gaps, as a multiple of the median
 * line height.
 */
const MIN_GAP_BELOW = 0.6;
/**
 * Difference between the heights of columns that count as equally high, as a multiple of the median line
 * height.
 */
const MAX_IMBALANCE = 2.5;
const MAX_DEPTH = 12;

/**
 * Splits a page into columns and returns their contents in reading order. A row with text that crosses the
 * gutter ends the columns: content above the columns is read before them, content below the columns after
 * them.
 */
export function splitColumns<T>(items: readonly ColumnItem<T>[], depth = 0): ColumnItem<T>[][] {
  if (items.length === 0) return [];
  if (depth >= MAX_DEPTH) return [[...items]];
  // Each box counts as a separate row, because the lines of neighbouring columns may be at different heights.
  const sorted = [...items].sort((a, b) => centerY(a) - centerY(b));
  const gutter = bestGutter(sorted);
  if (!gutter) return [sorted];
  const { first, last } = gutter;
  const middle = sorted.slice(first, last + 1);
  return [sorted.slice(0, first), ...sidesOf(middle, gutter), sorted.slice(last + 1)].flatMap((part) =>
    splitColumns(part, depth + 1),
  );
}

function sidesOf<T>(items: readonly ColumnItem<T>[], { left }: Gutter): [ColumnItem<T>[], ColumnItem<T>[]] {
  const isLeft = (item: ColumnItem<T>) => item.right <= left + 0.01;
  return [items.filter(isLeft), items.filter((item) => !isLeft(item))];
}

function bestGutter<T>(sorted: readonly ColumnItem<T>[]): Gutter | undefined {
  const lineHeight = median(sorted.filter(isSegment).map(heightOf));
  let best: Gutter | undefined;
  const rows = boxesOfTables(sorted, lineHeight).map((box) => [box]);
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
 * Excludes lines that are separated from the columns: lines above them that only the right side has, a row
 * above them with text on both sides, such as a running head, and lines below a wide gap at the end of one
 * side.
 * @returns undefined if too few lines remain on a side
 */
function trimGutter<T>(
  sorted: readonly ColumnItem<T>[],
  gutter: Gutter,
  lineHeight: number,
): Gutter | undefined {
  let { first, last } = gutter;
  const isLeft = (place: number) => (sorted[place] as ColumnItem<T>).right <= gutter.left + 0.01;
  const firstLeft = sorted
    .slice(first, last + 1)
    .find(({ right }) => right <= gutter.left + 0.01) as ColumnItem<T>;
  const above = sorted.findIndex((item, place) => place >= first && item.bottom >= firstLeft.top);
  // In long columns, lines above the first one on the left are the beginning of the right column.
  const isColumnStart =
    Math.min(gutter.leftRows, gutter.rightRows) >= MIN_LONG_ROWS &&
    sorted.slice(first, above).every((item) => isSegment(item) && item.length >= MIN_PROSE_LENGTH) &&
    (sorted[above] as ColumnItem<T>).top - (sorted[above - 1]?.bottom ?? 0) < 0.8 * lineHeight;
  if (!isColumnStart) first = Math.min(above, last);
  const head = headEnd(sorted.slice(first, last + 1), gutter.left, lineHeight);
  first += head;
  for (const side of [true, false]) {
    let end = last;
    while (end >= first && isLeft(end) !== side) end--;
    if (end < first) return undefined;
    last = columnsEnd(sorted, { gutter: { ...gutter, first, last }, end, lineHeight });
  }
  const leftRows = sorted.slice(first, last + 1).filter((_, place) => isLeft(first + place)).length;
  const rightRows = last - first + 1 - leftRows;
  if (leftRows < MIN_PROSE_ROWS || rightRows < MIN_PROSE_ROWS) return undefined;
  return { ...gutter, first, last, leftRows, rightRows };
}

/**
 * The place of the last line of columns of which one ends at the place `end`. The other one may be longer:
 * its lines belong to the columns until the first wide gap, and behind that if they fill the same column, as
 * text does below a table or a picture in one of two columns.
 */
function columnsEnd<T>(
  sorted: readonly ColumnItem<T>[],
  { gutter, end, lineHeight }: { gutter: Gutter; end: number; lineHeight: number },
): number {
  const columns = sorted.slice(gutter.first, end + 1);
  const balanced = (sorted[end] as ColumnItem<T>).bottom + MAX_IMBALANCE * lineHeight;
  const gapBelow = widestGap(columns, gutter, lineHeight);
  let bottom = Math.max(...columns.map((item) => item.bottom));
  for (let place = end + 1; place <= gutter.last; place++) {
    const item = sorted[place] as ColumnItem<T>;
    if (item.top - bottom > (bottom < balanced ? gapBelow : MAX_GAP * lineHeight)) {
      const last = lastOfColumn(sorted, { ...gutter, first: place }, columns, lineHeight);
      if (last === undefined) return place - 1;
      place = last;
    }
    bottom = Math.max(bottom, (sorted[place] as ColumnItem<T>).bottom);
  }
  return gutter.last;
}

/**
 * The place of the last line of the strip that begins and ends where the widest line of the column above it
 * does; undefined if fewer than two lines do.
 */
function lastOfColumn<T>(
  sorted: readonly ColumnItem<T>[],
  gutter: Gutter,
  above: readonly ColumnItem<T>[],
  lineHeight: number,
): number | undefined {
  const isLeft = (item: ColumnItem<T>) => item.right <= gutter.left + 0.01;
  const side = isLeft(sorted[gutter.first] as ColumnItem<T>);
  const widest = above
    .filter((item) => isSegment(item) && isLeft(item) === side)
    .reduce<ColumnItem<T> | undefined>((a, b) => (a && widthOf(a) >= widthOf(b) ? a : b), undefined);
  if (!widest) return undefined;
  const places: number[] = [];
  for (let place = gutter.first; place <= gutter.last; place++) {
    const item = sorted[place] as ColumnItem<T>;
    const shift = Math.max(Math.abs(item.left - widest.left), Math.abs(item.right - widest.right));
    if (isSegment(item) && shift < lineHeight) places.push(place);
  }
  return places.length < 2 ? undefined : places.at(-1);
}

/**
 * The widest gap, in points, that may be below columns of about the same height without ending them: it is
 * little wider than those between the paragraphs in the columns.
 */
function widestGap<T>(items: readonly ColumnItem<T>[], gutter: Gutter, lineHeight: number): number {
  const sides = sidesOf(items, gutter);
  // A title at the margin belongs to neither column, and the gap below it says nothing about them.
  const start = Math.max(...sides.map(([highest]) => highest?.top ?? 0));
  let widest = 0;
  for (const side of sides) {
    const beside = side.filter((item) => item.bottom > start);
    let bottom = beside[0]?.bottom ?? 0;
    for (const item of beside) {
      widest = Math.max(widest, item.top - bottom);
      bottom = Math.max(bottom, item.bottom);
    }
  }
  return Math.min(MAX_GAP * lineHeight, Math.max(MIN_GAP_BELOW * lineHeight, 1.2 * widest));
}

/** Whether the two sides are columns of text rather than the cells of a table. */
function separatesColumns<T>(sides: [ColumnItem<T>[], ColumnItem<T>[]], lineHeight: number): boolean {
  const [left, right] = sides;
  // Headings at the margin above and below a centred table are not beside it.
  if (!left.some((item) => right.some((other) => overlapY(item, other) > 0))) return false;
  const [own, others] = [left.filter(isSegment), right.filter(isSegment)];
  if (arePriceLists(own, others, lineHeight) || areBulletLists(own, others)) return true;
  const areProse = sides.every(isProse);
  if (areProse) {
    // A few long lines are columns, such as two captions side by side. A few short lines are cells of a
    // table.
    const isShort = Math.min(left.length, right.length) < 4;
    const length = median([...left, ...right].filter(isSegment).map((segment) => segment.length));
    if (isShort && length < MIN_SHORT_PROSE_LENGTH) return false;
    return !haveSameRows(left, right, lineHeight) && !isColumnOfCells(left, right, lineHeight);
  }
  // A side with few lines is a heading or a label if the other side is running text, else it consists of
  // table cells.
  const least = sides.some((side) => side.length >= MIN_COLUMN_ROWS && isProse(side)) ? 3 : MIN_COLUMN_ROWS;
  if (left.length < least || right.length < least) return false;
  return alignedShare(left, right, lineHeight) < 0.45;
}

/** Whether a side is running text, or has no text outside of tables. */
function isProse<T>(side: readonly ColumnItem<T>[]): boolean {
  const segments = side.filter(isSegment);
  if (segments.length === 0) return true;
  if (median(segments.map(({ length }) => length)) < MIN_PROSE_LENGTH) return false;
  return median(segments.map(widthOf)) > 0.4 * widthOf(unionOf(side)) || fillColumns(segments);
}

/**
 * Whether the lines are those of several columns of running text: lines of some words that are about as wide
 * as the column.
 */
function fillColumns(segments: readonly Segment[]): boolean {
  if (median(segments.map(({ words }) => words.length)) < MIN_PROSE_WORDS) return false;
  const columns = groupColumns(segments);
  if (columns.some(({ length }) => length < MIN_COLUMN_ROWS)) return false;
  const shares = columns.flatMap((column) => {
    const width = widthOf(unionOf(column));
    return column.map((segment) => widthOf(segment) / width);
  });
  return median(shares) > MIN_FILLED;
}

/**
 * Share of the lines of the shorter side that are at the height of a line of the other side, as in a table
 * row.
 */
function alignedShare(left: readonly Box[], right: readonly Box[], lineHeight: number): number {
  const [fewer, more] = left.length < right.length ? [left, right] : [right, left];
  const aligned = fewer.filter((box) =>
    more.some((other) => Math.abs(centerY(box) - centerY(other)) < 0.14 * lineHeight),
  );
  return aligned.length / fewer.length;
}

/** Whether the gaps between lines are at the same heights on both sides, as between the rows of a table. */
function haveSameRows(left: readonly Box[], right: readonly Box[], lineHeight: number): boolean {
  const [a, b] = [left, right].map((side) => blockTops(side, lineHeight)) as [number[], number[]];
  if (a.length < 3 || b.length < 3) return false;
  const shared = a.filter((top) => b.some((other) => Math.abs(top - other) < 0.3 * lineHeight)).length;
  return shared >= 0.8 * Math.min(a.length, b.length) && shared >= 3;
}

/**
 * Whether the lines of one side are separated by gaps, and most of them are level with a line of the other
 * side.
 */
function isColumnOfCells(left: readonly Box[], right: readonly Box[], lineHeight: number): boolean {
  const [fewer, more] = left.length < right.length ? [left, right] : [right, left];
  const aligned = alignedShare(left, right, lineHeight);
  if (fewer.length > 0.75 * more.length || aligned < 0.8) return false;
  const blocks = blockTops(fewer, lineHeight).length;
  return blocks > 0.6 * fewer.length || (aligned > 0.95 && blocks > 0.4 * fewer.length);
}

/** Top edges of the rows that a gap separates from the row above. */
function blockTops(side: readonly Box[], lineHeight: number): number[] {
  const rows = groupRows(side).map(unionOf);
  return rows
    .filter((row, place) => place === 0 || row.top - (rows[place - 1] as Box).bottom > 0.35 * lineHeight)
    .map(({ top }) => top);
}
