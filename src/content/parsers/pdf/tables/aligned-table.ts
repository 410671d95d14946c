import { greatest, heightOf, median, unionOf } from '../boxes.ts';
import { findGutters } from '../page/gutters.ts';
import { toLines } from '../page/lines.ts';
import type { Rule, Segment, TableBlock, TableCell } from '../types.ts';
import {
  innerGaps,
  lastRow,
  MAX_HEADER_LINES,
  MAX_SHIFT,
  MIN_STRIP,
  mayBeginTable,
} from './aligned-range.ts';
import { SAME_START } from './column-starts.ts';
import { logicalRows } from './logical-rows.ts';
import { areNumberedParagraphs } from './numbered-paragraphs.ts';
import { type Columns, cellsOfRows, isHeadOf } from './row-cells.ts';

/**
 * Number of rows from which the line height of a table is taken. The rest of the page can have another one.
 */
const NEAR_ROWS = 12;
/** The same where cells begin at the strip, as in a column with one long word. */
const MIN_ALIGNED_STRIP = 0.15;
/** Minimum number of rows, and their share, that have such a cell. */
const MIN_ALIGNED_ROWS = 3;
const MIN_ALIGNED_SHARE = 0.6;
/** Minimum median length of the lines of two texts side by side, in characters. */
const MIN_TEXT_LENGTH = 25;

interface AlignedTable {
  block: TableBlock;
  /** The first and the last row of the table, as indices of the given rows. */
  first: number;
  last: number;
}

/**
 * Finds a table without vertical rules: consecutive rows that have gaps at the same horizontal positions.
 * @param rows all rows of a column of the page
 * @param from index of the row at which the table must begin
 * @param rules horizontal rules, which indicate a table and separate its rows
 */
export function findAlignedTable(
  rows: readonly Segment[][],
  from: number,
  rules: readonly Rule[],
  page: number,
): AlignedTable | undefined {
  if (!mayBeginTable(rows, from)) return undefined;
  const near = rows.slice(from, from + NEAR_ROWS).flat();
  const lineHeight = median(near.map(heightOf));
  const last = lastRow({ rows, from, rules, lineHeight });
  if (last === undefined) return undefined;
  const first = from;
  const body = rows.slice(first, last + 1);
  const box = unionOf(body.flat());
  const inside = rules.filter(
    ({ at, from: left, to }) =>
      at > box.top - lineHeight &&
      at < box.bottom + lineHeight &&
      Math.min(to, box.right) - Math.max(left, box.left) > 0.6 * (box.right - box.left),
  );
  const columns = columnsOf(body, lineHeight);
  const { bounds } = columns;
  if (!isTable(body, bounds, inside.length > 0, lineHeight)) return undefined;
  const cells = logicalRows(body, cellsOfRows(body, columns), inside, lineHeight).map((row) =>
    row.map((words): TableCell => ({ lines: toLines(words), columnSpan: 1, rowSpan: 1 })),
  );
  const edges = [box.left, ...bounds.slice(1, -1), box.right];
  return { block: { kind: 'table', page, ...box, rows: cells, columns: edges, ruled: false }, first, last };
}

/** The columns of a table. The labels of its head need not leave the strips free that the other rows do. */
function columnsOf(rows: readonly Segment[][], lineHeight: number): Columns {
  const [head, ...others] = rows as [Segment[], ...Segment[][]];
  if (others.length > 1 && head.length > 1) {
    const bounds = columnBounds(others, lineHeight);
    if (isHeadOf(head, others, bounds)) return { bounds, hasHead: true };
  }
  return { bounds: columnBounds(rows, lineHeight), hasHead: false };
}

/**
 * The boundaries of the columns, including the outer ones: the middles of strips that the rows leave free.
 */
function columnBounds(rows: readonly Segment[][], lineHeight: number): number[] {
  const box = unionOf(rows.flat());
  // Rows with few segments may have cells that span columns, or cells that nearly touch.
  const dense = greatest(rows.map(({ length }) => length));
  const full = rows.filter(({ length }) => length >= Math.max(2, 0.6 * dense));
  const regular = dense > 2 && full.length > 2 && full.length > 0.3 * rows.length ? full : [...rows];
  // Header cells above the first row with all its cells can span columns.
  const start = regular.findIndex(({ length }) => length === dense);
  if (dense > 2 && start > 0 && start <= MAX_HEADER_LINES && regular.length - start > 2)
    regular.splice(0, start);
  // Words are used because a segment can extend over a narrow strip.
  const words = regular.map((row) => row.flatMap((segment) => segment.words));
  const isColumnStart = (x: number) => {
    const cells = regular.filter((row) =>
      row.some(({ left }) => Math.abs(left - x) < MAX_SHIFT * lineHeight),
    );
    return cells.length >= MIN_ALIGNED_ROWS && cells.length >= MIN_ALIGNED_SHARE * regular.length;
  };
  const strips = findGutters(words, MIN_ALIGNED_STRIP * lineHeight)
    .filter(({ first, last, bothRows }) => first === 0 && last === regular.length - 1 && bothRows > 0)
    .filter(({ left, right }) => right - left >= MIN_STRIP * lineHeight || isColumnStart(right))
    .sort((a, b) => a.left - b.left);
  return [box.left - 1, ...strips.map(({ left, right }) => (left + right) / 2), box.right + 1];
}

function isTable(
  rows: readonly Segment[][],
  bounds: readonly number[],
  hasRules: boolean,
  lineHeight: number,
): boolean {
  const columns = bounds.length - 1;
  if (columns < 2) return false;
  const several = rows.filter(({ length }) => length > 1);
  if (several.length < (hasRules || columns > 3 || haveSameEdges(several) ? 2 : 3)) return false;
  // A row with only one cell, to the right of the first column, continues a cell.
  const inner = rows.filter(
    ([first, second]) => first && !second && first.left > (bounds[1] as number) && columns > 2,
  );
  if (several.length + inner.length < 0.25 * rows.length) return false;
  const lengths = rows.flat().map(({ length }) => length);
  if (hasRules) return true;
  if (columns === 2 && areNumberedParagraphs(rows, bounds[1] as number)) return false;
  // Two columns of long lines are running text side by side.
  if (columns === 2 && median(lengths) > 40) {
    const middle = bounds[1] as number;
    const [left, right] = [true, false].map((side) =>
      rows.flat().filter((segment) => segment.left < middle === side),
    ) as [Segment[], Segment[]];
    if ([left, right].every((side) => median(side.map(({ length }) => length)) > MIN_TEXT_LENGTH))
      return false;
  }
  if (columns > 2 && areAligned(several, bounds, lineHeight)) return true;
  const gaps = several.flatMap((row) => innerGaps(row).map(({ left, right }) => right - left));
  return median(gaps) > (columns > 2 ? 0.9 : 1.3) * lineHeight;
}

/** Whether the cells of two rows of three columns begin or end at exactly the same positions. */
function haveSameEdges([head, row, more]: readonly Segment[][]): boolean {
  if (!head || !row || more || head.length !== 3 || row.length !== 3) return false;
  return head.every(({ left, right }, column) => {
    const cell = row[column] as Segment;
    return Math.abs(cell.left - left) < SAME_START || Math.abs(cell.right - right) < SAME_START;
  });
}

/** Whether most cells of each inner column begin or end at the same position. */
function areAligned(rows: readonly Segment[][], bounds: readonly number[], lineHeight: number): boolean {
  return bounds.slice(1, -1).every((left, column) => {
    const right = bounds[column + 2] as number;
    const cells = rows.flat().filter((segment) => segment.left >= left && segment.right <= right);
    const shift = MAX_SHIFT * lineHeight;
    return [(cell: Segment) => cell.left, (cell: Segment) => cell.right].some((edge) => {
      const usual = median(cells.map(edge));
      const aligned = cells.filter((cell) => Math.abs(edge(cell) - usual) < shift);
      return cells.length >= 3 && aligned.length > 0.7 * cells.length;
    });
  });
}
