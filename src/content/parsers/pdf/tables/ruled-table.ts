import { type Box, centerX, centerY, heightOf, overlapX, overlapY, widthOf } from '../boxes.ts';
import { toLines } from '../page/lines.ts';
import type { Line, TableBlock, TableCell, Word } from '../types.ts';
import { type Grid, isCovered } from './rule-grids.ts';

/** Limits the time for drawings that look like tables. */
const MAX_CELLS = 20_000;

/** Maximum distance of the frames of two cells, with the width of their lines, in points. */
const MAX_FRAME_GAP = 5;
/** Minimum share of the width and of the height of a turned line that is inside of its cell. */
const MIN_INSIDE = 0.8;

/** Minimum share of cells with text. Drawings have many cells without text. */
const MIN_FILLED = 0.2;

/**
 * Creates the table that the rules of a grid enclose. Cells without a rule between them are merged.
 * @param text.words the words inside the grid
 * @param text.turned lines in another direction than the page, of which a cell has those that fit into it
 * @returns undefined if the grid is a frame or a drawing
 */
export function ruledTable(
  grid: Grid,
  { words, turned }: { words: readonly Word[]; turned: readonly Line[] },
  page: number,
): TableBlock | undefined {
  const { xs, ys } = withoutFrameGaps(grid, words);
  const columns = xs.length - 1;
  const rows = ys.length - 1;
  if (columns * rows < 2 || columns * rows > MAX_CELLS) return undefined;
  const spans = mergeCells({ rules: grid.rules, xs, ys });
  const contents = new Map<number, Word[]>();
  for (const word of words) {
    const column = slotOf(xs, centerX(word));
    const row = slotOf(ys, centerY(word));
    const owner = spans.owners[row * columns + column] as number;
    const content = contents.get(owner);
    if (content) content.push(word);
    else contents.set(owner, [word]);
  }
  if (contents.size < 2 || contents.size < MIN_FILLED * spans.sizes.size) return undefined;
  const table: PlacedCell[][] = [];
  for (let row = 0; row < rows; row++) {
    const cells: PlacedCell[] = [];
    for (let column = 0; column < columns; column++) {
      const place = row * columns + column;
      const span = spans.sizes.get(place);
      if (!span) continue;
      const box = gridBox({
        xs: xs.slice(column, column + span.columnSpan + 1),
        ys: ys.slice(row, row + span.rowSpan + 1),
      });
      const lines = [...toLines(contents.get(place) ?? []), ...turned.filter((line) => fitsInto(line, box))];
      cells.push({ column, cell: { lines, ...span } });
    }
    table.push(cells);
  }
  return { kind: 'table', page, ...gridBox(grid), ...compact(table, xs), ruled: true };
}

/** A grid without the strips between the frames of cells that have one each, which are no columns or rows. */
const withoutFrameGaps = ({ xs, ys }: Grid, words: readonly Word[]): Pick<Grid, 'xs' | 'ys'> => ({
  xs: withoutEmptyStrips(xs, words.map(centerX)),
  ys: withoutEmptyStrips(ys, words.map(centerY)),
});

const withoutEmptyStrips = (positions: readonly number[], centers: readonly number[]): number[] =>
  positions.filter((end, place) => {
    const start = positions[place - 1] ?? -Infinity;
    return end - start > MAX_FRAME_GAP || centers.some((center) => center >= start && center < end);
  });

/** Whether most of a turned line is inside of a cell. A watermark across the table is not. */
const fitsInto = (line: Line, cell: Box) =>
  overlapX(line, cell) > MIN_INSIDE * widthOf(line) && overlapY(line, cell) > MIN_INSIDE * heightOf(line);

interface PlacedCell {
  column: number;
  cell: TableCell;
}

/** The box that the outer rules of a grid enclose. */
export const gridBox = ({ xs, ys }: Pick<Grid, 'xs' | 'ys'>): Box => ({
  left: xs[0] as number,
  right: xs.at(-1) as number,
  top: ys[0] as number,
  bottom: ys.at(-1) as number,
});

/** Index of the interval between positions that contains a coordinate, or of the nearest interval. */
function slotOf(positions: readonly number[], at: number): number {
  let slot = 0;
  while (slot < positions.length - 2 && at >= (positions[slot + 1] as number)) slot++;
  return slot;
}

interface MergedCells {
  /** For each cell of the grid, the top left cell of the merged cell that it belongs to. */
  owners: number[];
  /** Spans by the index of the top left cell. */
  sizes: Map<number, { columnSpan: number; rowSpan: number }>;
}

/** Merges cells: each is extended to the right and then downwards until a rule or another merged cell. */
function mergeCells({ rules, xs, ys }: Grid): MergedCells {
  const columns = xs.length - 1;
  const rows = ys.length - 1;
  const owners = Array<number>(columns * rows).fill(-1);
  const sizes = new Map<number, { columnSpan: number; rowSpan: number }>();
  const rightSide = (row: number, column: number) =>
    isCovered(rules.vertical, xs[column + 1] as number, ys[row] as number, ys[row + 1] as number);
  const lowerSide = (row: number, column: number) =>
    isCovered(rules.horizontal, ys[row + 1] as number, xs[column] as number, xs[column + 1] as number);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const place = row * columns + column;
      if (owners[place] !== -1) continue;
      let columnSpan = 1;
      while (
        column + columnSpan < columns &&
        owners[place + columnSpan] === -1 &&
        !rightSide(row, column + columnSpan - 1)
      )
        columnSpan++;
      let rowSpan = 1;
      const isOpenBelow = (last: number) => {
        for (let offset = 0; offset < columnSpan; offset++) {
          if (owners[(last + 1) * columns + column + offset] !== -1) return false;
          if (lowerSide(last, column + offset)) return false;
          if (offset < columnSpan - 1 && rightSide(last + 1, column + offset)) return false;
        }
        return true;
      };
      while (row + rowSpan < rows && isOpenBelow(row + rowSpan - 1)) rowSpan++;
      for (let down = 0; down < rowSpan; down++)
        owners.fill(place, place + down * columns, place + down * columns + columnSpan);
      sizes.set(place, { columnSpan, rowSpan });
    }
  }
  return { owners, sizes };
}

/** Drops rows and columns in which no cell begins. Double strokes and shading produce them. */
function compact(placed: PlacedCell[][], xs: readonly number[]): { rows: TableCell[][]; columns: number[] } {
  const began = new Set<number>();
  for (const row of placed) for (const { column } of row) began.add(column);
  const emptyRows = placed.flatMap((cells, row) => (cells.length === 0 ? [row] : []));
  const emptyColumns = xs.slice(0, -1).flatMap((_, column) => (began.has(column) ? [] : [column]));
  if (emptyRows.length > 0 || emptyColumns.length > 0) {
    placed.forEach((row, at) => {
      for (const { cell, column } of row) {
        cell.rowSpan -= emptyRows.filter((empty) => empty > at && empty < at + cell.rowSpan).length;
        cell.columnSpan -= emptyColumns.filter(
          (empty) => empty > column && empty < column + cell.columnSpan,
        ).length;
      }
    });
  }
  return {
    rows: placed.filter((cells) => cells.length > 0).map((cells) => cells.map(({ cell }) => cell)),
    columns: xs.filter((_, column) => began.has(column) || column === xs.length - 1),
  };
}
