import { lineText } from '../lines.ts';
import type { Block, TableBlock, TableCell } from '../types.ts';

const cellText = ({ lines }: TableCell) => lines.map(lineText).join(' ');
const rowText = (row: readonly TableCell[]) => row.map(cellText).join('\n');

/**
 * Joins the parts of a table that page breaks separate. Only running heads and page numbers may stand between them. A
 * header row that is repeated is dropped, and a row that the page break cuts is joined.
 */
export function joinContinuedTables(blocks: readonly Block[]): Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const before = block.kind === 'table' ? joined.findLast(({ role }) => !role) : undefined;
    if (block.kind === 'table' && before?.kind === 'table' && continues(before, block)) append(before, block);
    else joined.push(block);
  }
  return joined;
}

const widthOfRow = (row: readonly TableCell[]) => row.reduce((sum, { columnSpan }) => sum + columnSpan, 0);

function continues(table: TableBlock, next: TableBlock): boolean {
  if (next.page !== (table.lastPage ?? table.page) + 1 || table.ruled !== next.ruled) return false;
  const columns = Math.max(0, ...table.rows.map(widthOfRow));
  if (columns !== Math.max(0, ...next.rows.map(widthOfRow))) return false;
  if (rowText(table.rows[0] ?? []) === rowText(next.rows[0] ?? [])) return true;
  return (
    table.columns.length === next.columns.length &&
    table.columns.every(
      (left, column) => Math.abs(left - (next.columns[column] as number)) < (table.ruled ? 6 : 30),
    )
  );
}

function append(table: TableBlock, next: TableBlock): void {
  let rows = next.rows;
  let repeated = 0;
  while (
    repeated < 3 &&
    rows[repeated] &&
    rowText(rows[repeated] as TableCell[]) === rowText(table.rows[repeated] ?? [])
  )
    repeated++;
  rows = rows.slice(repeated);
  const [first, ...rest] = rows;
  const last = table.rows.at(-1);
  if (first && last && !table.ruled && isCutRow(first, last)) {
    first.forEach(({ lines }, column) => {
      last[column]?.lines.push(...lines);
    });
    table.rows.push(...rest);
  } else table.rows.push(...rows);
  table.lastPage = next.page;
}

/** Whether a row has no first cell and its other cells continue text of the row above. */
const isCutRow = (row: readonly TableCell[], above: readonly TableCell[]) =>
  row.length === above.length &&
  row[0]?.lines.length === 0 &&
  row.every(({ lines }, column) => lines.length === 0 || (above[column]?.lines.length ?? 0) > 0);
