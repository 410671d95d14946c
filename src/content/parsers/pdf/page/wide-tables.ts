import { unionOf } from '../boxes.ts';
import type { Segment } from '../types.ts';
import { groupRows } from './rows.ts';
import { isRunning } from './running-lines.ts';

/** The space between two columns of a document, in points. */
export interface Strip {
  left: number;
  right: number;
}

/** Minimum number of cells of a row of a table over several columns, and minimum number of such rows. */
const MIN_CELLS = 3;
const MIN_TABLE_ROWS = 4;
/** Minimum distance of its cells from the left edge of a column, in points. Cells can be padded. */
const MIN_INDENT = 12;
/** Maximum distance of its rows, as a multiple of their height. */
const MAX_ROW_STEP = 4;

/**
 * The cells of tables that are wider than a column: rows of short cells near each other, of which none on the right
 * of the strip begins at the edge of a column.
 */
export function cellsOfWideTables(
  segments: readonly Segment[],
  strip: Strip,
  strips: readonly Strip[],
): ReadonlySet<unknown> {
  const middle = (strip.left + strip.right) / 2;
  const isAtEdge = ({ left }: Segment) =>
    left > middle && strips.some((other) => left > other.left && left <= other.right + MIN_INDENT);
  const isWide = (row: readonly Segment[]) =>
    row.length >= MIN_CELLS &&
    row.some(({ right }) => right < middle) &&
    row.some(({ left }) => left > middle);
  return new Set(
    blocksOfCells(segments)
      .filter((rows) => rows.filter(isWide).length >= MIN_TABLE_ROWS)
      .map((rows) => rows.flat())
      .filter((cells) => !cells.some(isAtEdge))
      .flat(),
  );
}

/** Groups rows without running text that are near each other. */
function blocksOfCells(segments: readonly Segment[]): Segment[][][] {
  const blocks: Segment[][][] = [];
  let above: Segment[] | undefined;
  for (const row of groupRows(segments)) {
    const { top, bottom } = unionOf(row);
    const isNear = above && top - unionOf(above).bottom < MAX_ROW_STEP * (bottom - top);
    const isText = row.some(isRunning);
    if (!isText && isNear) blocks.at(-1)?.push(row);
    else if (!isText) blocks.push([row]);
    above = isText ? undefined : row;
  }
  return blocks;
}
