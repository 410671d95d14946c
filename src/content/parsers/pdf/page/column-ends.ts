import { greatest, heightOf, median, unionOf, widthOf } from '../boxes.ts';
import { type ColumnItem, isSegment } from './column-items.ts';
import type { Gutter } from './gutters.ts';
import { groupRows } from './rows.ts';

/** Minimum number of lines in a column that takes a large part of the page. */
export const MIN_LONG_ROWS = 15;
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

/** The contents on the left and on the right of a gutter. */
export function sidesOf<T>(
  items: readonly ColumnItem<T>[],
  { left }: Gutter,
): [ColumnItem<T>[], ColumnItem<T>[]] {
  const isLeft = (item: ColumnItem<T>) => item.right <= left + 0.01;
  return [items.filter(isLeft), items.filter((item) => !isLeft(item))];
}

/**
 * The place of the last line of columns of which one ends at the place `end`. The other one may be longer:
 * its lines belong to the columns until the first wide gap, and behind that if they fill the same column, as
 * text does below a table or a picture in one of two columns.
 */
export function columnsEnd<T>(
  sorted: readonly ColumnItem<T>[],
  { gutter, end, lineHeight }: { gutter: Gutter; end: number; lineHeight: number },
): number {
  const columns = sorted.slice(gutter.first, end + 1);
  const balanced = (sorted[end] as ColumnItem<T>).bottom + MAX_IMBALANCE * lineHeight;
  const gapBelow = widestGap(columns, gutter, lineHeight);
  let bottom = greatest(columns.map((item) => item.bottom));
  for (let place = end + 1; place <= gutter.last; place++) {
    const item = sorted[place] as ColumnItem<T>;
    if (item.top - bottom > (bottom < balanced ? gapBelow : MAX_GAP * lineHeight)) {
      if (isFootOfColumn(sorted, { ...gutter, first: place }, columns)) return gutter.last;
      const last = lastOfColumn(sorted, { ...gutter, first: place }, columns, lineHeight);
      if (last === undefined) return place - 1;
      place = last;
    }
    bottom = Math.max(bottom, (sorted[place] as ColumnItem<T>).bottom);
  }
  return gutter.last;
}

/**
 * Whether the rest of a page, below one of two long columns, is within that column, such as a table with its
 * caption.
 */
function isFootOfColumn<T>(
  sorted: readonly ColumnItem<T>[],
  { left: edge, first, last }: Gutter,
  above: readonly ColumnItem<T>[],
): boolean {
  if (last < sorted.length - 1) return false;
  const sides = [true, false].map((side) => above.filter(({ right }) => right <= edge + 0.01 === side));
  if (sides.some((side) => groupRows(side).length < MIN_LONG_ROWS)) return false;
  const rest = sorted.slice(first);
  const heights = [above, rest].map((items) => median(items.filter(isSegment).map(heightOf)));
  // A line alone or in a smaller size is a footnote.
  if (groupRows(rest).length < 2 || (heights[1] as number) < 0.9 * (heights[0] as number)) return false;
  const foot = unionOf(rest);
  return sides.map(unionOf).some(({ left, right }) => foot.left > left - 1 && foot.right < right + 1);
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
