import { type Box, centerX, containsCenter, greatest, heightOf, least, median } from '../boxes.ts';
import { toLines } from '../page/lines.ts';
import { groupRows } from '../page/rows.ts';
import { toSegment } from '../page/segments.ts';
import type { TableBlock, TableCell, Word } from '../types.ts';
import { logicalRows } from './logical-rows.ts';
import type { Grid } from './rule-grids.ts';

/** Maximum distance of the ends of the rules between columns, and of a word over a rule, in points. */
const TOLERANCE = 3;
/** Minimum width of a column, in points. */
const MIN_WIDTH = 12;
const MIN_ROWS = 2;

/**
 * The table that has rules between its columns, and only one between its rows, such as the one below its head.
 * The rules between columns cross that one, which is as wide as the table, and the text says where rows begin.
 * @returns the table and its words; undefined if the rules are axes or belong to a drawing
 */
export function tableOfColumnRules(
  { rules, xs, ys }: Grid,
  words: readonly Word[],
  page: number,
): { block: TableBlock; words: Word[] } | undefined {
  if (ys.length !== 1 || xs.length === 0) return undefined;
  const box: Box = {
    left: least(rules.horizontal.map(({ from }) => from)),
    right: greatest(rules.horizontal.map(({ to }) => to)),
    top: least(rules.vertical.map(({ from }) => from)),
    bottom: greatest(rules.vertical.map(({ to }) => to)),
  };
  const isWhole = rules.vertical.every(
    ({ from, to }) => from - box.top < TOLERANCE && box.bottom - to < TOLERANCE,
  );
  const bounds = [box.left, ...xs, box.right];
  if (!isWhole || bounds.slice(1).some((x, column) => x - (bounds[column] as number) < MIN_WIDTH))
    return undefined;
  const inside = words.filter((word) => containsCenter(box, word, 1));
  if (inside.some(({ left, right }) => xs.some((x) => left < x - TOLERANCE && right > x + TOLERANCE)))
    return undefined;
  const rows = groupRows(inside);
  const visual = rows.map((row) => cellsOf(row, bounds));
  const isFilled = xs
    .concat(0)
    .every((_, column) => visual.some((cells) => (cells[column]?.length ?? 0) > 0));
  const isHead = rows.length > 0 && (ys[0] as number) < greatest(rows.flat().map(({ bottom }) => bottom));
  if (rows.length < MIN_ROWS || !isFilled || !isHead) return undefined;
  const logical = logicalRows(
    rows.map((row) => [toSegment(row)]),
    visual,
    rules.horizontal,
    median(inside.map(heightOf)),
  );
  const cells = logical.map((row) =>
    row.map((own): TableCell => ({ lines: toLines(own), columnSpan: 1, rowSpan: 1 })),
  );
  return {
    block: { kind: 'table', page, ...box, rows: cells, columns: bounds, ruled: false },
    words: inside,
  };
}

/** The words of a row in each of the columns. */
function cellsOf(row: readonly Word[], bounds: readonly number[]): Word[][] {
  const cells: Word[][] = bounds.slice(1).map(() => []);
  for (const word of row) {
    const column = bounds.slice(1, -1).filter((x) => centerX(word) > x).length;
    cells[column]?.push(word);
  }
  return cells;
}
