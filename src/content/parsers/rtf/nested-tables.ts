import type { Inline, OfficeBlock, Table } from '../office/model.ts';
import { plainText, type SourceParagraph, visibleText } from '../office/source/source-paragraphs.ts';

/**
 * Repairs tables within cells of an RTF file: anydoc puts them behind all paragraphs of their cell, and
 * spreads the cells of their rows over columns that do not exist.
 */
export function repairNestedTables(
  blocks: readonly OfficeBlock[],
  paragraphs: readonly SourceParagraph[],
): void {
  const places = new Map<string, number>();
  for (const [place, { runs }] of paragraphs.entries()) {
    const key = visibleText(runs.map(({ text }) => text).join(''));
    if (key && !places.has(key)) places.set(key, place);
  }
  for (const { table } of blocks) if (table) visitCells(table, places);
}

function visitCells({ grid }: Table, places: ReadonlyMap<string, number>): void {
  for (const row of grid)
    for (const { cell } of row) {
      const nested = cell?.blocks.flatMap(({ table }) => table ?? []) ?? [];
      if (!cell || nested.length === 0) continue;
      for (const table of nested) {
        removeFalseSpans(table);
        visitCells(table, places);
      }
      cell.blocks = inSourceOrder(cell.blocks, places);
    }
}

/** In a table all of whose rows have as many cells, no cell needs a span. */
function removeFalseSpans(table: Table): void {
  const rows = table.grid.map((row) => row.filter(({ cell }) => cell));
  const hasRowSpans = rows.some((row) => row.some(({ cell }) => (cell?.rowSpan ?? 1) > 1));
  if (hasRowSpans || rows.some(({ length }) => length !== rows[0]?.length)) return;
  for (const row of rows) for (const { cell } of row) if (cell) cell.colSpan = 1;
  table.grid = rows;
}

/**
 * Sorts blocks by the places of their first texts in the file. Blocks without a known place stay behind the
 * one before them.
 */
function inSourceOrder(blocks: readonly OfficeBlock[], places: ReadonlyMap<string, number>): OfficeBlock[] {
  let last = -1;
  const placed = blocks.map((block) => {
    last = firstPlace(block, places) ?? last;
    return { block, place: last };
  });
  return placed.sort((one, other) => one.place - other.place).map(({ block }) => block);
}

function firstPlace(
  { content, blocks = [], list, table }: OfficeBlock,
  places: ReadonlyMap<string, number>,
): number | undefined {
  const own = content && places.get(keyOf(content));
  if (own !== undefined) return own;
  const inner = [
    ...blocks,
    ...(list?.items.flatMap((item) => item.blocks) ?? []),
    ...(table?.grid.flatMap((row) => row.flatMap(({ cell }) => cell?.blocks ?? [])) ?? []),
  ];
  for (const block of inner) {
    const place = firstPlace(block, places);
    if (place !== undefined) return place;
  }
  return undefined;
}

const keyOf = (content: readonly Inline[]) => visibleText(plainText(content));
