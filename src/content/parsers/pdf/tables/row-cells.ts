import { centerX, greatest, heightOf, least, median } from '../boxes.ts';
import type { Segment, Word } from '../types.ts';
import { isGroupRow } from './group-rows.ts';

/** Maximum distance of a word from the edge of a column at which it begins, as a multiple of its font size. */
const MAX_SHIFT = 0.05;
/** Maximum space between the words of a label, as a multiple of the font size. */
const MAX_SPACE = 0.36;
/** Minimum number of cells, the label included, that begin where a label over several columns begins. */
const MIN_ALIGNED = 2;

/** The columns of a table without rules. */
export interface Columns {
  /** Boundaries of the columns, including the outer ones. */
  bounds: readonly number[];
  /** Whether the first row is a head with one label for each column, in their order. */
  hasHead: boolean;
}

/**
 * Distributes the words of the rows of a table among its columns.
 * @returns the words of each column for each row
 */
export function cellsOfRows(rows: readonly Segment[][], { bounds, hasHead }: Columns): Word[][][] {
  const edges = bounds.slice(1).map((_, column) => edgesOf(rows, bounds, column));
  const lineHeight = median(rows.flat().map(heightOf));
  return rows.map((row, place) => {
    if (place === 0 && hasHead) return row.map(({ words }) => [...words]);
    const cells: Word[][] = bounds.slice(1).map(() => []);
    if (isGroupRow(rows, place, lineHeight)) cells[0] = row.flatMap(({ words }) => words);
    else
      for (const segment of row) {
        // A segment can extend over several columns, so each word is assigned by itself.
        const label = columnOfLabel(segment, bounds, edges);
        for (const word of segment.words) cells[label ?? columnAt(centerX(word), bounds)]?.push(word);
      }
    return cells;
  });
}

/**
 * Whether the labels of a row are the head of the columns that the rows below have: as many labels, each one
 * between the values of the columns beside its own. They need not stand above the values: labels on the left
 * of their columns and numbers on the right have no horizontal position in common.
 * @param bounds boundaries of the columns of the other rows
 */
export function isHeadOf(
  head: readonly Segment[],
  rows: readonly Segment[][],
  bounds: readonly number[],
): boolean {
  if (head.length !== bounds.length - 1) return false;
  const cells = Map.groupBy(
    rows.flat().filter(({ left, right }) => columnAt(left, bounds) === columnAt(right, bounds)),
    ({ left }) => columnAt(left, bounds),
  );
  return head.every((label, column) => {
    const [before, own, after] = [column - 1, column, column + 1].map((at) => cells.get(at) ?? []);
    const left = greatest((before ?? []).map(({ right }) => right));
    const right = least((after ?? []).map((cell) => cell.left));
    return own !== undefined && own.length > 0 && label.left < right && label.right > left;
  });
}

function columnAt(x: number, bounds: readonly number[]): number {
  let column = 0;
  while (column < bounds.length - 2 && x > (bounds[column + 1] as number)) column++;
  return column;
}

/** Where the cells of a column begin, and where they end. */
interface Edges {
  starts: number[];
  ends: number[];
}

function edgesOf(rows: readonly Segment[][], bounds: readonly number[], column: number): Edges {
  const cells = rows.flatMap((row) => row.find((cell) => columnAt(cell.left, bounds) === column) ?? []);
  return { starts: cells.map(({ left }) => left), ends: cells.map(({ right }) => right) };
}

/**
 * The column in which a label over several columns begins: it is left-aligned with the cells of that column,
 * its words are not farther apart than those of a text, and none of them begins or ends where the cells of
 * another column do.
 */
function columnOfLabel(
  { left: start, words }: Segment,
  bounds: readonly number[],
  edges: readonly Edges[],
): number | undefined {
  const columns = words.map((word) => columnAt(centerX(word), bounds));
  const column = columnAt(start, bounds);
  if (columns.at(-1) === column || words.length < 2) return undefined;
  const isAt = (places: readonly number[] = [], x: number, { style }: Word) =>
    places.filter((place) => Math.abs(place - x) < MAX_SHIFT * style.size);
  if (isAt(edges[column]?.starts, start, words[0] as Word).length < MIN_ALIGNED) return undefined;
  const isCell = words.some((word, place) => {
    if (place === 0) return false;
    const before = words[place - 1] as Word;
    const own = edges[columns[place] as number];
    return (
      word.left - before.right > MAX_SPACE * word.style.size ||
      isAt(own?.starts, word.left, word).length > 0 ||
      isAt(own?.ends, word.right, word).length > 1
    );
  });
  return isCell ? undefined : column;
}
