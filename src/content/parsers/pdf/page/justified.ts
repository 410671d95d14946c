import type { Segment, Word } from '../types.ts';
import { groupRows } from './rows.ts';

/** Minimum number of equal spaces that show that a line is justified. */
const MIN_EQUAL = 3;
/** Maximum difference of equal spaces, as a share of their width and in points. */
const MAX_SHARE = 0.04;
const MAX_DIFFERENCE = 0.3;
/** Maximum width of a space in a justified line, as a multiple of the font size. */
const MAX_SPACE = 2;

/**
 * Joins the segments of justified lines. Justification widens the spaces of a line equally, often as far as
 * the gaps between columns, which differ from each other.
 */
export const joinJustified = (segments: readonly Segment[], join: (words: Word[]) => Segment): Segment[] =>
  groupRows(segments).flatMap((row) => (row.length < 2 ? row : joinRow(row, join)));

function joinRow(row: readonly Segment[], join: (words: Word[]) => Segment): Segment[] {
  const words = row.flatMap((segment) => segment.words);
  const spaces = words.slice(1).map((word, place) => word.left - (words[place] as Word).right);
  const isJustified = spaces.map(() => false);
  for (let start = 0, end = 0; start < spaces.length; start = Math.max(end, start + 1)) {
    const width = spaces[start] as number;
    const size = (words[start] as Word).style.size;
    end = start;
    while (end < spaces.length && areEqual(spaces[end] as number, width)) end++;
    if (end - start >= MIN_EQUAL && width < MAX_SPACE * size) isJustified.fill(true, start, end);
  }
  const joined: Segment[] = [];
  let place = 0;
  for (const segment of row) {
    const last = joined.at(-1);
    if (last && isJustified[place - 1]) joined[joined.length - 1] = join([...last.words, ...segment.words]);
    else joined.push(segment);
    place += segment.words.length;
  }
  return joined;
}

const areEqual = (a: number, b: number) => a > 0 && Math.abs(a - b) < Math.max(MAX_SHARE * b, MAX_DIFFERENCE);
