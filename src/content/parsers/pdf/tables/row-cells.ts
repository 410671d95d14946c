import { centerX, overlapX } from '../boxes.ts';
import type { Segment, Word } from '../types.ts';

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
  /** Whether the first row is a head whose labels stand beside the values of their columns. */
  hasHeadBeside: boolean;
}

/**
 * Distributes the words of the rows of a table among its columns.
 * @returns the words of each column for each row
 */
export function cellsOfRows(rows: readonly Segment[][], { bounds, hasHeadBeside }: Columns): Word[][][] {
  const edges = bounds.slice(1).map((_, column) => edgesOf(rows, bounds, column));
  return rows.map((row, place) => {
    if (place === 0 && hasHeadBeside) return row.map(({ words }) => [...words]);
    const cells: Word[][] = bounds.slice(1).map(() => []);
    for (const segment of row) {
      // A segment can extend over several columns, so each word is assigned by itself.
      const label = columnOfLabel(segment, bounds, edges);
      for (const word of segment.words) cells[label ?? columnAt(centerX(word), bounds)]?.push(word);
    }
    return cells;
  });
}

/**
 * Whether the labels of the first row stand in the order of the columns that the other rows have, each one
 * over the range of its column, so that they are its head. They need not stand above the values: labels on
 * the left of their columns and numbers on the right have no horizontal position in common.
 * @param bounds boundaries of the columns of the other rows
 */
export const isHeadOf = (row: readonly Segment[], bounds: readonly number[]): boolean =>
  row.length === bounds.length - 1 &&
  row.every((segment, column) => {
    const [left, right] = [bounds[column] as number, bounds[column + 1] as number];
    return overlapX(segment, { ...segment, left, right }) > 0;
  });

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
