import { overlapX } from '../boxes.ts';
import { lineText } from '../page/lines.ts';
import type { Block, TableBlock, TableCell } from '../types.ts';

/** Maximum number of repeated header rows. */
const MAX_HEADER_ROWS = 3;

/** Minimum height of a table above the beginning of its rest in the next column, in points. */
const MIN_RISE = 12;

const cellText = ({ lines }: TableCell) => lines.map(lineText).join(' ');
const rowText = (row: readonly TableCell[]) => row.map(cellText).join('\n');

/**
 * Joins the parts of a table on consecutive pages. Only running heads and page numbers may be between them.
 * Repeated header rows are dropped, and the two parts of a row that the page break divides are joined.
 */
export function joinContinuedTables(blocks: readonly Block[]): Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const place = block.kind === 'table' ? joined.findLastIndex(({ role }) => !role) : -1;
    const before = joined[place];
    if (block.kind === 'table' && before?.kind === 'table' && continues(before, block))
      joined[place] = join(before, block);
    else joined.push(block);
  }
  return joined;
}

const widthOfRow = (row: readonly TableCell[]) => row.reduce((sum, { columnSpan }) => sum + columnSpan, 0);

function continues(table: TableBlock, next: TableBlock): boolean {
  const pages = next.page - (table.lastPage ?? table.page);
  if (pages > 1 || table.ruled !== next.ruled) return false;
  if (pages === 0 && !isInNextColumn(table, next)) return false;
  const columns = Math.max(0, ...table.rows.map(widthOfRow));
  if (columns !== Math.max(0, ...next.rows.map(widthOfRow))) return false;
  if (rowText(table.rows[0] ?? []) === rowText(next.rows[0] ?? [])) return true;
  return haveSameColumns(table, next);
}

/** Whether a table begins farther up on the right of another one, as the rest of it does in the next column. */
const isInNextColumn = (table: TableBlock, next: TableBlock) =>
  next.left > table.right - 1 && next.top < table.top - MIN_RISE;

function haveSameColumns(table: TableBlock, next: TableBlock): boolean {
  if (table.columns.length !== next.columns.length) return false;
  // In another column of the page, the same columns are at another place.
  const shift = overlapX(table, next) > 0 ? 0 : next.left - table.left;
  return table.columns.every(
    (left, column) => Math.abs(left + shift - (next.columns[column] as number)) < (table.ruled ? 6 : 30),
  );
}

function join(table: TableBlock, next: TableBlock): TableBlock {
  let repeated = 0;
  while (
    repeated < MAX_HEADER_ROWS &&
    next.rows[repeated] &&
    rowText(next.rows[repeated] as TableCell[]) === rowText(table.rows[repeated] ?? [])
  )
    repeated++;
  const [first, ...rest] = next.rows.slice(repeated);
  const last = table.rows.at(-1);
  if (!first || !last) return { ...table, lastPage: next.page };
  if (table.ruled || !isCutRow(first, last))
    return { ...table, rows: [...table.rows, first, ...rest], lastPage: next.page };
  const row = last.map((cell, column) => ({
    ...cell,
    lines: [...cell.lines, ...(first[column]?.lines ?? [])],
  }));
  return { ...table, rows: [...table.rows.slice(0, -1), row, ...rest], lastPage: next.page };
}

/** Whether the first cell of a row is empty and its other cells continue cells of the row above. */
const isCutRow = (row: readonly TableCell[], above: readonly TableCell[]) =>
  row.length === above.length &&
  row[0]?.lines.length === 0 &&
  row.every(({ lines }, column) => lines.length === 0 || (above[column]?.lines.length ?? 0) > 0);
