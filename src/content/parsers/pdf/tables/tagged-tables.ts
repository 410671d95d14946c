import { type Box, containsCenter, greatest, heightOf, median, unionOf } from '../boxes.ts';
import { contentIds, createFindWords, type FindWords, outermost } from '../document/tag-tree.ts';
import { toLines } from '../page/lines.ts';
import type { SourcePage, TableBlock, TableCell, Tag, Word } from '../types.ts';

/** Limits the time for hostile tag trees. */
const MAX_TABLES = 200;
const MAX_CELLS = 20_000;
/** Share of the words within a table that may belong to none of its cells, such as a stamp. */
const MAX_FOREIGN = 0.1;

/** A table and the words in it. */
interface TaggedTable {
  block: TableBlock;
  words: Word[];
}

/** A cell of the tag tree with its words. */
interface TaggedCell {
  columnSpan: number;
  rowSpan: number;
  /** Whether the tag has text or pictures, according to the tree. */
  hasContent: boolean;
  words: Word[];
}

/**
 * Finds the tables of a page by its tags (ISO 32000-1, 14.8.4.3.4). A table is taken only if its words stand
 * where its tags say: rows below each other, cells beside each other, and nothing else among them. The others
 * are left to be found by their rules and positions.
 */
export function findTaggedTables({ tags, number }: SourcePage, words: readonly Word[]): TaggedTable[] {
  const tables = outermost(tags, 'Table').slice(0, MAX_TABLES);
  if (tables.length === 0) return [];
  const findWords = createFindWords(words);
  return tables.flatMap((table) => toTable(table, { words, findWords, page: number }) ?? []);
}

interface PageWords {
  words: readonly Word[];
  findWords: FindWords;
  page: number;
}

function toTable(tag: Tag, { words, findWords, page }: PageWords): TaggedTable | undefined {
  if (outermost(tag.children, 'Table').length > 0) return undefined;
  const rows = outermost(tag.children, 'TR').map((row) =>
    row.children.filter(({ type }) => type === 'TH' || type === 'TD').map((cell) => toCell(cell, findWords)),
  );
  const cells = rows.flat();
  const own = cells.flatMap((cell) => cell.words);
  if (rows.length < 2 || cells.length > MAX_CELLS || own.length === 0) return undefined;
  if (cells.some((cell) => cell.hasContent && cell.words.length === 0)) return undefined;
  const complete = standInOrder(rows) ? completeRows(rows) : undefined;
  if (!complete) return undefined;
  const box = unionOf(own);
  const inside = words.filter((word) => containsCenter(box, word));
  if (inside.length > own.length * (1 + MAX_FOREIGN)) return undefined;
  const block: TableBlock = {
    kind: 'table',
    page,
    ...box,
    ruled: false,
    columns: columnBoundaries(complete, box),
    rows: complete.map((row) => row.map(toTableCell)),
  };
  return { block, words: own };
}

function toCell(tag: Tag, findWords: FindWords): TaggedCell {
  const ids = contentIds(tag);
  const { columnSpan = 1, rowSpan = 1 } = tag;
  return { columnSpan, rowSpan, hasContent: ids.length > 0, words: findWords(ids) };
}

const toTableCell = ({ columnSpan, rowSpan, words }: TaggedCell): TableCell => ({
  columnSpan,
  rowSpan,
  lines: toLines(words),
});

/** A range from left to right, in points. */
type Range = Pick<Box, 'left' | 'right'>;

/**
 * Adds the empty cells, which programs leave out of the tags, so that all rows have the same number of
 * columns.
 * @returns undefined if cells stand where no column is, or the table has fewer than two columns
 */
function completeRows(rows: readonly (readonly TaggedCell[])[]): PlacedCell[][] | undefined {
  const width = greatest(rows.map(widthOfCells));
  if (width < 2 || width * rows.length > MAX_CELLS) return undefined;
  const ranges = columnRanges(rows, width);
  // How many more rows each column is taken by a cell above.
  const taken = Array<number>(width).fill(0);
  const complete: PlacedCell[][] = [];
  for (const row of rows) {
    const free = taken.flatMap((rowsLeft, column) => (rowsLeft === 0 ? [column] : []));
    const starts =
      widthOfCells(row) === free.length ? startsInOrder(row, free) : startsByPlace(row, free, ranges);
    if (!starts) return undefined;
    const placed = row.map((cell, place) => ({ ...cell, column: starts[place] as number }));
    const covered = new Set(placed.flatMap(({ column, columnSpan }) => columnsOf(column, columnSpan)));
    if (covered.size !== widthOfCells(row) || [...covered].some((column) => !free.includes(column)))
      return undefined;
    const empty = free.filter((column) => !covered.has(column)).map((column) => ({ ...EMPTY, column }));
    for (const [column, rowsLeft] of taken.entries()) taken[column] = Math.max(0, rowsLeft - 1);
    for (const { column, columnSpan, rowSpan } of placed)
      for (const own of columnsOf(column, columnSpan)) taken[own] = rowSpan - 1;
    complete.push([...placed, ...empty].sort((one, other) => one.column - other.column));
  }
  return complete;
}

interface PlacedCell extends TaggedCell {
  /** The first of its columns, from 0. */
  column: number;
}

const EMPTY: TaggedCell = { columnSpan: 1, rowSpan: 1, hasContent: false, words: [] };

const widthOfCells = (cells: readonly TaggedCell[]) =>
  cells.reduce((sum, { columnSpan }) => sum + columnSpan, 0);
const columnsOf = (first: number, span: number) => Array.from({ length: span }, (_, place) => first + place);

/** Where the words of each column are, by the rows that have a cell for each column. */
function columnRanges(rows: readonly (readonly TaggedCell[])[], width: number): (Range | undefined)[] {
  const ranges = Array<Range | undefined>(width).fill(undefined);
  for (const row of rows) {
    if (widthOfCells(row) !== width) continue;
    let column = 0;
    for (const { columnSpan, words } of row) {
      const known = ranges[column];
      if (columnSpan === 1 && words.length > 0) {
        const { left, right } = unionOf(words);
        ranges[column] = {
          left: Math.min(left, known?.left ?? left),
          right: Math.max(right, known?.right ?? right),
        };
      }
      column += columnSpan;
    }
  }
  return ranges;
}

/** The columns in which the cells of a row begin that has a cell for each free column. */
function startsInOrder(row: readonly TaggedCell[], free: readonly number[]): number[] {
  let before = 0;
  return row.map(({ columnSpan }) => {
    const column = free[before] as number;
    before += columnSpan;
    return column;
  });
}

/** The columns in which the cells of a row stand. @returns undefined if one stands in none */
function startsByPlace(
  row: readonly TaggedCell[],
  free: readonly number[],
  ranges: readonly (Range | undefined)[],
): number[] | undefined {
  const starts: number[] = [];
  for (const { words } of row) {
    if (words.length === 0) return undefined;
    const { left, right } = unionOf(words);
    const shared = (column: number) => {
      const range = ranges[column];
      return range ? Math.min(right, range.right) - Math.max(left, range.left) : 0;
    };
    const best = greatest(free.map(shared));
    const column = free.find((each) => shared(each) === best);
    if (column === undefined || best <= 0) return undefined;
    starts.push(column);
  }
  return starts;
}

/**
 * Whether the cells of each row stand beside each other from left to right, and the rows below each other.
 */
function standInOrder(rows: readonly (readonly TaggedCell[])[]): boolean {
  const lineHeight = median(rows.flatMap((row) => row.flatMap(({ words }) => words.map(heightOf))));
  let above: Box | undefined;
  for (const row of rows) {
    const boxes = row.filter(({ words }) => words.length > 0).map(({ words }) => unionOf(words));
    if (boxes.some((box, place) => place > 0 && box.left < (boxes[place - 1] as Box).right)) return false;
    const single = row.filter(({ rowSpan, words }) => rowSpan === 1 && words.length > 0);
    if (single.length === 0) continue;
    const box = unionOf(single.flatMap(({ words }) => words));
    if (above && box.top < above.bottom - 0.3 * lineHeight) return false;
    above = box;
  }
  return true;
}

/** The left side of each column by the words that begin in it, and the right side of the table. */
function columnBoundaries(rows: readonly (readonly PlacedCell[])[], { left, right }: Box): number[] {
  const sides: number[] = [];
  for (const { column, words } of rows.flat())
    for (const word of words) sides[column] = Math.min(sides[column] ?? right, word.left);
  return [...Array.from(sides, (side) => side ?? left), right];
}
