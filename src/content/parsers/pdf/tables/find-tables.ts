import { type Box, containsCenter, heightOf, median, overlapX, overlapY } from '../boxes.ts';
import { turnedLines } from '../page/lines.ts';
import { groupRows } from '../page/rows.ts';
import { toSegments } from '../page/segments.ts';
import type { Line, SourcePage, TableBlock, Word } from '../types.ts';
import { tableOfColumnRules } from './column-rules.ts';
import { findGrids } from './rule-grids.ts';
import { gridBox, ruledTable } from './ruled-table.ts';
import { findTaggedTables } from './tagged-tables.ts';

/** Maximum number of rows of a grid that can be a part of a table without rules. */
const MAX_SHADED_ROWS = 2;
/** Maximum distance between a shaded row and the next row of the table, as a multiple of the line height. */
const MAX_ROW_GAP = 0.6;

/**
 * Finds the tables of a page that tags or rules mark. Those without vertical rules are found later, in each
 * column of the page, by `findAlignedTable`.
 * @returns the tables, and the words and the lines in another direction than the page outside of them
 */
export function findMarkedTables(
  page: SourcePage,
  words: Word[],
): { tables: TableBlock[]; rest: Word[]; turned: Line[] } {
  const tables: TableBlock[] = [];
  let rest = words;
  let turned = turnedLines(page);
  for (const { block, words: own } of findTaggedTables(page, words)) {
    const taken = new Set(own);
    rest = rest.filter((word) => !taken.has(word));
    tables.push(block);
  }
  const found = findGrids(page.rules);
  const grids = found.grids
    .map((grid) => ({ grid, box: gridBox(grid) }))
    // Small grids first: the words inside them must not go to a frame around them.
    .sort((a, b) => heightOf(a.box) - heightOf(b.box));
  for (const { grid, box } of grids) {
    const inside = rest.filter((word) => containsCenter(box, word, 1));
    if (inside.length === 0) continue;
    if (grid.ys.length - 1 <= MAX_SHADED_ROWS && isContinued(box, rest, inside)) continue;
    if (tables.some((other) => overlapX(other, box) > 0 && overlapY(other, box) > 0)) continue;
    const table = ruledTable(grid, { words: inside, turned }, page.number);
    if (!table) continue;
    const taken = new Set(inside);
    const cells = new Set(table.rows.flat().flatMap(({ lines }) => lines));
    turned = turned.filter((line) => !cells.has(line));
    rest = rest.filter((word) => !taken.has(word));
    tables.push(table);
  }
  for (const grid of found.crossed) {
    const table = tableOfColumnRules(grid, rest, page.number);
    if (
      !table ||
      tables.some((other) => overlapX(other, table.block) > 0 && overlapY(other, table.block) > 0)
    )
      continue;
    const taken = new Set(table.words);
    rest = rest.filter((word) => !taken.has(word));
    tables.push(table.block);
  }
  return { tables, rest, turned };
}

/**
 * Whether text directly above or below a box continues it. Such a box is not a table by itself but the shaded
 * or framed header of a table without rules, or one of its shaded rows.
 */
function isContinued(box: Box, words: readonly Word[], inside: readonly Word[]): boolean {
  const lineHeight = median(inside.map(heightOf));
  const taken = new Set(inside);
  const near = words.filter(
    (word) =>
      !taken.has(word) &&
      overlapX(word, box) > 0 &&
      Math.max(word.top - box.bottom, box.top - word.bottom) < MAX_ROW_GAP * lineHeight,
  );
  return groupRows(toSegments(near)).some((row) => row.length > 1);
}
