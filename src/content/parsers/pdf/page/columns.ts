import { type Box, centerY, heightOf, median, overlapY, unionOf, widthOf } from '../boxes.ts';
import { boxesOfTables } from '../tables/uncut-tables.ts';
import type { Segment } from '../types.ts';
import { areBulletLists } from './bullet-columns.ts';
import { columnsEnd, MIN_LONG_ROWS, sidesOf } from './column-ends.ts';
import { headEnd } from './column-heads.ts';
import { type ColumnItem, isSegment } from './column-items.ts';
import { knownGutter } from './document-gutters.ts';
import { areEvenColumns } from './even-columns.ts';
import { findGutters, type Gutter } from './gutters.ts';
import { alignedShare } from './level-lines.ts';
import { arePriceLists } from './price-lists.ts';
import { groupColumns, groupRows } from './rows.ts';
import { isRunning } from './running-lines.ts';
import { areTextAndNotes } from './side-notes.ts';
import { areSortedColumns } from './sorted-columns.ts';
import { areTwinTables } from './twin-tables.ts';
import type { Strip } from './wide-tables.ts';

/** Minimum width of a gutter between columns, as a multiple of the median line height. */
const MIN_GUTTER = 0.72;
/** Minimum number of lines in a column. */
const MIN_COLUMN_ROWS = 5;
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
const MAX_DEPTH = 12;

/**
 * Splits a page into columns and returns their contents in reading order. A row with text that crosses the
 * gutter ends the columns: content above the columns is read before them, content below the columns after
 * them.
 */
export function splitColumns<T>(
  items: readonly ColumnItem<T>[],
  { strips = [], onGutter, depth = 0 }: SplitOptions<T> = {},
): ColumnItem<T>[][] {
  if (items.length === 0) return [];
  if (depth >= MAX_DEPTH) return [[...items]];
  // Each box counts as a separate row, because the lines of neighbouring columns may be at different heights.
  const sorted = [...items].sort((a, b) => centerY(a) - centerY(b));
  const gutter = knownGutter(sorted, strips) ?? bestGutter(sorted);
  if (!gutter) return [sorted];
  const { first, last } = gutter;
  const sides = sidesOf(sorted.slice(first, last + 1), gutter);
  onGutter?.(gutter, sides);
  return [sorted.slice(0, first), ...sides, sorted.slice(last + 1)].flatMap((part) =>
    splitColumns(part, { strips, onGutter, depth: depth + 1 }),
  );
}

interface SplitOptions<T> {
  /** Strips between the columns of the document, which are gutters wherever no text crosses them. */
  strips?: readonly Strip[];
  /** Called with each gutter and the contents on its sides. */
  onGutter?: ((gutter: Gutter, sides: [ColumnItem<T>[], ColumnItem<T>[]]) => void) | undefined;
  depth?: number;
}

function bestGutter<T>(sorted: readonly ColumnItem<T>[]): Gutter | undefined {
  const lineHeight = median(sorted.filter(isSegment).map(heightOf));
  const tables = boxesOfTables(sorted, lineHeight);
  const long = longGutter(sorted, tables, lineHeight);
  if (long) return long;
  const rows = tables.map((box) => [box]);
  const gutters = findGutters(rows, MIN_GUTTER * lineHeight)
    .filter(({ leftRows, rightRows }) => leftRows >= MIN_PROSE_ROWS && rightRows >= MIN_PROSE_ROWS)
    .sort((a, b) => score(b) - score(a));
  const inTables: Gutter[] = [];
  let best: Gutter | undefined;
  for (const found of gutters) {
    // A gutter that is trimmed has a lower score.
    if (best && score(found) <= score(best)) break;
    const gutter = trimGutter(sorted, found, lineHeight);
    if (!gutter || (best && score(gutter) <= score(best))) continue;
    if (inTables.some((table) => isWithin(gutter, table))) continue;
    const sides = sidesOf(sorted.slice(gutter.first, gutter.last + 1), gutter);
    if (separatesColumns(sides, lineHeight)) best = gutter;
    else if (haveSameRows(...sides, lineHeight)) inTables.push(gutter);
  }
  return best;
}

/** Whether a gutter is a part of another one. */
const isWithin = (gutter: Gutter, other: Gutter) =>
  gutter.first >= other.first &&
  gutter.last <= other.last &&
  Math.min(gutter.right, other.right) > Math.max(gutter.left, other.left);

/** Minimum number of lines of running text on both sides of a gutter that also separates tables. */
const MIN_RUNNING_ROWS = 8;
/** Where columns of one width are divided, as shares of the width of the text, and how far a gutter may be from there. */
const DIVISIONS = [1 / 2, 1 / 3, 2 / 3];
const MAX_OFF_DIVISION = 0.04;
/** Minimum share of the lines of a page beside the gutter of columns of which one has little running text. */
const MIN_DIVIDED = 0.75;
/** Maximum share of the lines of these columns that are level with lines of the other one. */
const MAX_LEVEL = 0.5;
/** Minimum share of the rows of a side that are level with rows of the other one where both are one table. */
const MIN_LEVEL = 0.8;

/**
 * A gutter of columns of running text with tables in them, which would count as cells of one table otherwise.
 * @param tables the box of each item, or of the whole table if the item is in one
 */
function longGutter<T>(
  sorted: readonly ColumnItem<T>[],
  tables: readonly Box[],
  lineHeight: number,
): Gutter | undefined {
  if (sorted.length < 2 * MIN_LONG_ROWS || sorted.filter(isRunning).length < MIN_RUNNING_ROWS)
    return undefined;
  // Without a table, other gutters are as good as this one.
  if (sorted.every((item, place) => item === tables[place])) return undefined;
  const rows = sorted.map((box) => [box]);
  const gutters = findGutters(rows, MIN_GUTTER * lineHeight)
    .filter(({ leftRows, rightRows }) => Math.min(leftRows, rightRows) >= MIN_LONG_ROWS)
    .sort((a, b) => score(b) - score(a));
  let best: Gutter | undefined;
  for (const found of gutters) {
    // What is left of a gutter never has a higher score.
    if (best && score(found) <= score(best)) break;
    const gutter = trimGutter(sorted, found, lineHeight);
    if (!gutter || (best && score(gutter) <= score(best))) continue;
    const sides = sidesOf(sorted.slice(gutter.first, gutter.last + 1), gutter);
    const running = sides.filter((side) => side.filter(isRunning).length >= MIN_RUNNING_ROWS).length;
    const isDivided =
      running === 1 && dividesPage(sorted, gutter) && alignedShare(...sides, lineHeight) < MAX_LEVEL;
    const areColumns =
      (running === 2 || isDivided) &&
      !haveSameRows(...sides, lineHeight) &&
      !cutsTable(sorted, tables, gutter, lineHeight);
    if (areColumns) best = gutter;
  }
  return best;
}

/** Whether a gutter goes through most of a page, at the middle of its text or at a third of it. */
function dividesPage<T>(sorted: readonly ColumnItem<T>[], gutter: Gutter): boolean {
  if (gutter.last - gutter.first < MIN_DIVIDED * sorted.length) return false;
  const { left, right } = unionOf(sorted);
  const place = ((gutter.left + gutter.right) / 2 - left) / (right - left);
  return DIVISIONS.some((division) => Math.abs(place - division) < MAX_OFF_DIVISION);
}

/** Whether a gutter goes through one table, whose rows are level on both sides, and not between two of them. */
function cutsTable<T>(
  sorted: readonly ColumnItem<T>[],
  tables: readonly Box[],
  gutter: Gutter,
  lineHeight: number,
): boolean {
  const crossed = new Set(
    tables.filter(
      (box, place) => box !== sorted[place] && box.left < gutter.left && box.right > gutter.right,
    ),
  );
  return [...crossed].some((table) => {
    const cells = sorted.filter((_, place) => tables[place] === table);
    const [left, right] = sidesOf(cells, gutter);
    return left.length > 0 && right.length > 0 && alignedShare(left, right, lineHeight) >= MIN_LEVEL;
  });
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

/** Whether the two sides are columns of text rather than the cells of a table. */
function separatesColumns<T>(sides: [ColumnItem<T>[], ColumnItem<T>[]], lineHeight: number): boolean {
  const [left, right] = sides;
  // Headings at the margin above and below a centred table are not beside it.
  if (!left.some((item) => right.some((other) => overlapY(item, other) > 0))) return false;
  const [own, others] = [left.filter(isSegment), right.filter(isSegment)];
  if (arePriceLists(own, others, lineHeight) || areBulletLists(own, others)) return true;
  if (areTextAndNotes(own, others) || areTwinTables(own, others)) return true;
  if (areSortedColumns([...own, ...others])) return true;
  const areProse = sides.every(isProse);
  if (areProse) {
    // A few long lines are columns, such as two captions side by side. A few short lines are cells of a
    // table.
    const isShort = Math.min(left.length, right.length) < 4;
    const length = median([...left, ...right].filter(isSegment).map((segment) => segment.length));
    if (isShort && length < MIN_SHORT_PROSE_LENGTH) return false;
    if (areEvenColumns(own, others)) return true;
    return !haveSameRows(left, right, lineHeight) && !isColumnOfCells(left, right, lineHeight);
  }
  // A side with few lines is a heading or a label if the other side is running text, else it consists of
  // table cells.
  const least = sides.some((side) => side.length >= MIN_COLUMN_ROWS && isProse(side)) ? 3 : MIN_COLUMN_ROWS;
  if (left.length < least || right.length < least) return false;
  return alignedShare(left, right, lineHeight) < 0.45 && !haveSameRows(left, right, lineHeight);
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
