import { type Box, centerY, unionOf, widthOf } from '../boxes.ts';
import { type ColumnItem, isSegment } from '../page/column-items.ts';
import { arePriceLists } from '../page/price-lists.ts';
import { groupColumns } from '../page/rows.ts';
import { areSortedColumns } from '../page/sorted-columns.ts';
import { areTwinTables } from '../page/twin-tables.ts';
import type { Segment } from '../types.ts';

/** Minimum number of rows, and of cells in each of them. */
const MIN_ROWS = 3;
const MIN_CELLS = 3;
/** Maximum difference between the heights of the cells of a row, as a multiple of the median line height. */
const MAX_SHIFT = 0.14;
/** Minimum mean length of lines of running text, in characters. */
const MIN_LINE_LENGTH = 16;
/** Minimum mean width of lines of running text, as a share of the width of their column. */
const MIN_FILLED = 0.75;
/**
 * Maximum distance of rows with lines of taller cells between them, as a multiple of the median line height.
 */
const MAX_ROW_DISTANCE = 4;

/** Consecutive rows of cells. */
interface CellRows {
  /** Place of the first cell among the contents of the page. */
  first: number;
  /** The cells and the lines between the rows. */
  cells: Segment[];
  /** The box of each column of cells. */
  columns: Box[];
  rows: number;
  bottom: number;
}

/**
 * Finds tables without rules that may stand between columns of text: rows of three or more short cells. A
 * gutter of the columns must not go on between the cells.
 * @param sorted the contents of a page, from top to bottom
 * @param lineHeight median height of the lines in points
 * @returns the box of each item, or of the whole table if the item is in one
 */
export function boxesOfTables<T>(sorted: readonly ColumnItem<T>[], lineHeight: number): Box[] {
  const boxes: Box[] = [...sorted];
  let table: CellRows | undefined;
  const close = () => {
    if (
      table &&
      table.rows >= MIN_ROWS &&
      !hasRunningText(table.cells) &&
      !areLists(table, sorted, lineHeight)
    )
      boxes.fill(unionOf(table.columns), table.first, table.first + table.cells.length);
    table = undefined;
  };
  for (let first = 0; first < sorted.length; ) {
    const row = rowAt(sorted, first, MAX_SHIFT * lineHeight);
    const end = first + row.length;
    if (row.length >= MIN_CELLS && row.every(isSegment)) {
      // The lines between two rows belong to cells of several lines.
      const more = table ? sorted.slice(table.first + table.cells.length, end) : [];
      if (!table || !more.every(isSegment) || !addRow(table, row, more, MAX_ROW_DISTANCE * lineHeight)) {
        close();
        table = { first, cells: row, columns: row, rows: 1, bottom: unionOf(row).bottom };
      }
    }
    first = end;
  }
  close();
  return boxes;
}

/**
 * Adds a row to a table if it is near and in the same columns.
 * @param more the lines between the table and the row, and the row
 * @param maxDistance in points
 * @returns whether the row belongs to the table
 */
function addRow(
  table: CellRows,
  row: readonly Segment[],
  more: readonly Segment[],
  maxDistance: number,
): boolean {
  const { top, bottom } = unionOf(row);
  if (top - table.bottom > maxDistance) return false;
  const columns = groupColumns([...table.columns, ...more]).map(unionOf);
  if (columns.length < MIN_CELLS) return false;
  table.cells.push(...more);
  Object.assign(table, { columns, bottom, rows: table.rows + 1 });
  return true;
}

/** The items at the height of the one at the place `first`. */
function rowAt<T>(sorted: readonly ColumnItem<T>[], first: number, maxShift: number): ColumnItem<T>[] {
  const start = centerY(sorted[first] as Box);
  let end = first + 1;
  while (sorted[end] && centerY(sorted[end] as Box) - start < maxShift) end++;
  return sorted.slice(first, end);
}

/** Whether one of the columns of cells consists of long lines that are about as wide as the column. */
const hasRunningText = (cells: readonly Segment[]) =>
  groupColumns(cells).some((column) => {
    const width = widthOf(unionOf(column));
    return (
      mean(column.map(({ length }) => length)) >= MIN_LINE_LENGTH &&
      mean(column.map(widthOf)) > MIN_FILLED * width
    );
  });

/**
 * Whether the cells are a list in alphabetical order that several columns divide, or lists of prices, or two
 * tables with the same labels or the same head, side by side: columns of labels with amounts or values at their right.
 */
function areLists<T>(
  { first, cells, columns }: CellRows,
  sorted: readonly ColumnItem<T>[],
  lineHeight: number,
): boolean {
  if (areSortedColumns(cells)) return true;
  if (columns.length < 4 || columns.length % 2 > 0) return false;
  const prices = [...headingsAbove(sorted, first, lineHeight), ...cells];
  if (arePriceLists(...sidesAt(prices, columns, 2), lineHeight)) return true;
  return areTwinTables(...sidesAt(cells, columns, columns.length / 2));
}

/** The lines directly above a table that are level with each other, such as the headings of lists. */
function headingsAbove<T>(sorted: readonly ColumnItem<T>[], first: number, lineHeight: number): Segment[] {
  const last = sorted[first - 1];
  if (!last || (sorted[first] as Box).top - last.bottom > lineHeight) return [];
  const row = sorted.slice(0, first).filter((item) => centerY(last) - centerY(item) < MAX_SHIFT * lineHeight);
  return row.filter(isSegment);
}

/** The cells before and behind the beginning of a column. */
function sidesAt(cells: readonly Segment[], columns: readonly Box[], column: number): [Segment[], Segment[]] {
  const middle = ((columns[column - 1] as Box).right + (columns[column] as Box).left) / 2;
  return [cells.filter(({ left }) => left < middle), cells.filter(({ left }) => left >= middle)];
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
