import { type Box, greatest, overlapY, unionOf } from '../boxes.ts';
import type { Rule, Segment } from '../types.ts';
import { SAME_START } from './column-starts.ts';
import { isGroupRow } from './group-rows.ts';

/** Minimum width of the strip between table columns, as a multiple of the line height. */
export const MIN_STRIP = 0.36;
/** Maximum distance of aligned edges, as a multiple of the line height. */
export const MAX_SHIFT = 0.15;
/**
 * Minimum gap above other content, as a multiple of the line height and of the largest gap between the rows
 * above it.
 */
const MIN_BLOCK_GAP = 1;
const MIN_GAP_RATIO = 2;
/** Maximum gap above a row with one cell, as a multiple of the largest gap between the rows above it. */
const MAX_GAP_STEP = 1.2;
/** Dots or low lines up to the end of a line, and the frames of tables and trees that are drawn with characters. */
const NO_CELL = /(\. ?){5,}|…{2,}|_{6,}|^[\u2500-\u257f]/;

interface TableStart {
  /** All rows of a column of the page. */
  rows: readonly Segment[][];
  /** Index of the row at which the table must begin. */
  from: number;
  rules: readonly Rule[];
  /** In points. */
  lineHeight: number;
}

/**
 * Finds the end of a table without vertical rules: the last of the rows that have gaps at the same horizontal
 * positions.
 * @returns the index of the last row; undefined if no table begins at the row
 */
export function lastRow({ rows, from, rules, lineHeight }: TableStart): number | undefined {
  const start = headerEnd(rows, from, lineHeight);
  const grown = start === undefined ? undefined : growRange(rows, start, lineHeight);
  if (!grown) return undefined;
  const { first, last } = grown;
  if (rows.slice(from, first).some((row) => crossesFirstGap(row, rows[first] as Segment[]))) return undefined;
  const isHeader =
    first === from ||
    hasRuleBelow(rows, grown, rules) ||
    isInnerLine(rows[from] as Segment[], rows.slice(first, last + 1), lineHeight);
  return isHeader ? last : undefined;
}

/**
 * Maximum number of lines at the beginning of a table that have only one segment. Header cells are aligned at
 * the bottom, so the first lines may belong to a single cell.
 */
export const MAX_HEADER_LINES = 4;

/**
 * Whether one of the rows has several segments without which no table begins at a row. This saves the search
 * for one.
 */
export function mayBeginTable(rows: readonly Segment[][], from: number): boolean {
  const end = Math.min(rows.length, from + MAX_HEADER_LINES + 1);
  for (let place = from; place < end; place++) if ((rows[place] as Segment[]).length > 1) return true;
  return false;
}

/** The first row with several segments, which is at most a few rows below `from`. */
function headerEnd(rows: readonly Segment[][], from: number, lineHeight: number): number | undefined {
  for (let place = from; place <= from + MAX_HEADER_LINES && rows[place]; place++) {
    const row = rows[place] as Segment[];
    if (row.length > 1) return place;
    const next = rows[place + 1];
    // A line that begins at the left edge is a heading above the table.
    const isAside =
      (row[0] as Segment).left >
      Math.min(...rows.slice(place + 1, place + 6).map((other) => unionOf(other).left)) + lineHeight;
    if (!next || unionOf(next).top - unionOf(row).bottom > 0.5 * lineHeight || !isAside) return undefined;
  }
  return undefined;
}

/**
 * Whether a line above a table goes over the gap between its first two columns, as a line of text does. The
 * labels of a head that stand above several columns begin to the right of the first one.
 */
const crossesFirstGap = ([line]: readonly Segment[], [first, second]: readonly Segment[]): boolean =>
  line !== undefined &&
  first !== undefined &&
  second !== undefined &&
  line.left < first.right &&
  line.right > second.left;

/** Whether a rule separates the first rows of a range from the others. */
function hasRuleBelow(
  rows: readonly Segment[][],
  { first, last }: { first: number; last: number },
  rules: readonly Rule[],
): boolean {
  const top = unionOf(rows[first] as Segment[]).top;
  const { bottom, left, right } = unionOf(
    rows.slice(first, Math.min(last, first + MAX_HEADER_LINES) + 1).flat(),
  );
  return rules.some(({ at, from, to }) => at > top && at < bottom && from < left + 20 && to > right - 20);
}

/**
 * Whether a line above or below a table is the first or the last line of a cell that is centred vertically:
 * it overlaps the nearest row and begins where lines in an inner column begin.
 * @param table the rows of the table, beginning with the one nearest to the line
 */
function isInnerLine(row: readonly Segment[], table: readonly Segment[][], lineHeight: number): boolean {
  const [line] = row as [Segment];
  if (overlapY(line, unionOf(table[0] as Segment[])) < 0) return false;
  if (line.left < unionOf(table.flat()).left + lineHeight) return false;
  const alike = table.filter((other) =>
    other.some(({ left }) => Math.abs(left - line.left) < MAX_SHIFT * lineHeight),
  );
  return alike.length > 1 && alike.length > 0.3 * table.length;
}

/** Extends a range downwards from a row with several segments, as long as the rows have a gap in common. */
function growRange(
  rows: readonly Segment[][],
  from: number,
  lineHeight: number,
): { first: number; last: number } | undefined {
  const isCandidate = (row: readonly Segment[]) => row.length > 1 && !row.some(isNoCell) && !isCodeLine(row);
  if (!isCandidate(rows[from] ?? [])) return undefined;
  let last = from;
  let strips = innerGaps(rows[from] as Segment[]);
  for (let place = from + 1; place < rows.length; place++) {
    const row = rows[place] as Segment[];
    const gap = unionOf(row).top - unionOf(rows[place - 1] as Segment[]).bottom;
    if (row.some(isNoCell) || gap > 3 * lineHeight) break;
    if (isCodeLine(row) && (row.length === 1 || gap > MIN_BLOCK_GAP * lineHeight)) {
      // A line of code below a table is not its last row, but a cell can have code only.
      if (row.length > 1 || !isInnerCell(row, rows.slice(from, place), lineHeight)) break;
    }
    if (isGroupRow(rows, place, lineHeight)) {
      last = place;
      continue;
    }
    if (beginsAnother(rows.slice(from, place), row, gap, lineHeight)) break;
    const free = freeStrips(strips, row, MIN_STRIP * lineHeight);
    // Header cells can span several columns. A row below with more cells then replaces the gaps.
    const own = row.length > strips.length + 1 && free.length >= 1 ? innerGaps(row) : free;
    if (own.length === 0 || (row.length > 1 && own.length < 0.5 * strips.length)) break;
    if (
      row.length === 1 &&
      (own.length < strips.length ||
        (gap > 0.8 * lineHeight &&
          !isLevel(row, rows[place + 1]) &&
          !isRowOfOneCell(row, rows.slice(from, place), gap, lineHeight)))
    )
      break;
    strips = own;
    last = place;
  }
  // Rows with one segment at the end belong to the table only if they continue a cell.
  while (
    last > from &&
    (rows[last] as Segment[]).length === 1 &&
    !continuesCell(rows, last, lineHeight) &&
    !isInnerLine(rows[last] as Segment[], rows.slice(from, last).reverse(), lineHeight)
  )
    last--;
  return last > from ? { first: from, last } : undefined;
}

/**
 * Whether a row below a wide gap begins another table, or other blocks side by side: most of its cells do not
 * begin or end below those of the rows above.
 */
function beginsAnother(
  above: readonly Segment[][],
  row: readonly Segment[],
  gap: number,
  lineHeight: number,
): boolean {
  if (row.length < 2 || gap < MIN_BLOCK_GAP * lineHeight) return false;
  const gaps = above
    .slice(1)
    .map((other, place) => unionOf(other).top - unionOf(above[place] as Segment[]).bottom);
  if (gaps.length === 0 || gap < MIN_GAP_RATIO * Math.max(greatest(gaps), 0)) return false;
  const shift = MAX_SHIFT * lineHeight;
  const cells = above.flat();
  const isBelow = ({ left, right }: Segment) =>
    cells.some((cell) => Math.abs(cell.left - left) < shift || Math.abs(cell.right - right) < shift);
  return row.slice(1).filter(isBelow).length < 0.5 * (row.length - 1);
}

/**
 * Whether a row is at the height of a part of the row below, as the first line of a cell beside lower cells
 * is.
 */
const isLevel = (row: readonly Segment[], below: readonly Segment[] | undefined) =>
  below !== undefined && below.length > 1 && overlapY(unionOf(row), unionOf(below)) > 0;

/**
 * Whether a row has text only in one of its inner columns: it begins where cells of that column begin, and is
 * as far from the row above as other rows are.
 */
function isRowOfOneCell(
  [cell]: readonly Segment[],
  above: readonly Segment[][],
  gap: number,
  lineHeight: number,
): boolean {
  if (!cell) return false;
  const alike = above.filter((row) =>
    row.slice(1).some(({ left }) => Math.abs(left - cell.left) < MAX_SHIFT * lineHeight),
  );
  const gaps = above
    .slice(1)
    .map((row, place) => unionOf(row).top - unionOf(above[place] as Segment[]).bottom);
  return alike.length > 1 && gap < MAX_GAP_STEP * greatest(gaps);
}

function continuesCell(rows: readonly Segment[][], place: number, lineHeight: number): boolean {
  const [segment] = rows[place] as [Segment];
  for (let above = place - 1; above >= 0; above--) {
    const row = rows[above] as Segment[];
    const near = unionOf(rows[above + 1] as Segment[]).top - unionOf(row).bottom < 0.5 * lineHeight;
    if (!near) return false;
    if (row.length > 1)
      return (
        row.some(({ left }, column) => column > 0 && Math.abs(left - segment.left) < 0.5 * lineHeight) ||
        Math.abs((row[0] as Segment).left - segment.left) < 0.5 * lineHeight
      );
  }
  return false;
}

/** Whether a segment has what no cell of a table without rules has, but a line of contents or a drawing in text. */
const isNoCell = ({ words }: Segment) => words.some(({ text }) => NO_CELL.test(text));

/**
 * Whether a row is a line of code. A table can have code in some of its columns. Many monospaced fonts lack
 * arrows and other signs.
 */
const isCodeLine = (row: readonly Segment[]) =>
  row.every(({ words }) =>
    words.every(({ style, text }) => style.monospaced || !/[\p{L}\p{N}]/u.test(text)),
  ) && row.some(({ words }) => words.some(({ style }) => style.monospaced));

/** Whether a segment continues one of the cells above it: it is near, and begins where they begin. */
function isInnerCell(
  [segment]: readonly Segment[],
  above: readonly Segment[][],
  lineHeight: number,
): boolean {
  const last = above.at(-1);
  if (!segment || !last || segment.top - unionOf(last).bottom > 0.5 * lineHeight) return false;
  return above.some((row) => row.some(({ left }) => Math.abs(left - segment.left) < MAX_SHIFT * lineHeight));
}

interface Strip {
  left: number;
  right: number;
}

/** The gaps between the segments of a row. */
export const innerGaps = (row: readonly Segment[]): Strip[] =>
  row.slice(1).map(({ left }, place) => ({ left: (row[place] as Segment).right, right: left }));

/**
 * The parts of the strips that the boxes of a row leave free. A strip at which the cells of a column begin can
 * be as narrow as its widest cell leaves it.
 */
function freeStrips(strips: readonly Strip[], row: readonly Box[], minWidth: number): Strip[] {
  return strips.flatMap((strip) => {
    let { left, right } = strip;
    for (const box of row) {
      if (box.right <= left || box.left >= right) continue;
      if (box.left <= left && box.right >= right) return [];
      // If the box is in the middle of the strip, the wider of the remaining parts is kept.
      if (box.left - left > right - box.right) right = box.left;
      else left = box.right;
    }
    if (left === strip.left && right === strip.right) return [strip];
    const isStart =
      Math.abs(right - strip.right) < SAME_START &&
      row.some((box) => Math.abs(box.left - right) < SAME_START);
    return right - left >= (isStart ? 0 : minWidth) ? [{ left, right }] : [];
  });
}
