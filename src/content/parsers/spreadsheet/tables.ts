import type { GridCell } from './grid.ts';

/** Bounds the time for sheets that can be split again and again. */
const MAX_DEPTH = 4;

/**
 * Splits the cells of a sheet into tables: at empty rows, and each part at empty columns, until nothing can
 * be split or the parts have been split a few times.
 */
export function splitTables(cells: readonly GridCell[], depth = 0): GridCell[][] {
  const parts = splitAtGaps(cells, 'row', 'rowSpan').flatMap((part) =>
    splitAtGaps(part, 'column', 'columnSpan'),
  );
  return parts.length <= 1 || depth >= MAX_DEPTH
    ? parts
    : parts.flatMap((part) => splitTables(part, depth + 1));
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
