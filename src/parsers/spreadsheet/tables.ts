import type { GridCell } from './grid.ts';

/** Splits the cells of a sheet into tables: at empty rows, and each part at empty columns, until nothing can be split. */
export function splitTables(cells: readonly GridCell[]): GridCell[][] {
  const parts = splitAtGaps(cells, 'row', 'rowSpan').flatMap((part) => splitAtGaps(part, 'column', 'columnSpan'));
  return parts.length <= 1 ? parts : parts.flatMap((part) => splitTables(part));
}

function splitAtGaps(
  cells: readonly GridCell[],
  position: 'row' | 'column',
  span: 'rowSpan' | 'columnSpan',
): GridCell[][] {
  const sorted = [...cells].sort((a, b) => a[position] - b[position]);
  const parts: GridCell[][] = [];
  let end = -1;
  for (const cell of sorted) {
    const part = parts.at(-1);
    if (part && cell[position] <= end) part.push(cell);
    else parts.push([cell]);
    end = Math.max(end, cell[position] + cell[span]);
  }
  return parts;
}
