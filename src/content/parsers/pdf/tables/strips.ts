import { heightOf, median } from '../boxes.ts';
import { findGutters, type Gutter } from '../page/gutters.ts';
import { isListMarker, toSegment } from '../page/segments.ts';
import type { Segment, Word } from '../types.ts';
import { isGroupRow } from './group-rows.ts';

/** Minimum width of a strip between the cells of two columns, as a multiple of the line height. */
const MIN_STRIP = 0.36;
/** The same between monospaced words, whose spaces are wide. */
const MIN_STRIP_MONOSPACED = 1.3;
/** Minimum number of rows with text on both sides of a strip. */
const MIN_ROWS = 3;
/** Minimum ratio of the gap between cells to the spaces between the other words of a row. */
const MIN_RATIO = 1.3;
/** Minimum share of rows whose words next to a strip are aligned, or are farther apart than other words. */
const MIN_SHARE = 0.6;
/** Maximum number of spaces in a row of short cells. */
const MAX_SPACES = 4;
/** The same as a multiple of the usual space of the column. */
const MIN_SPACES = 1.4;
/** Maximum difference of the font sizes in a table. */
const MAX_SIZE_STEP = 0.08;
/** Maximum distance of aligned edges, as a multiple of the line height. */
const MAX_SHIFT = 0.12;

/**
 * Splits segments at the narrow strips between table columns. A gap that is only a little wider than a space
 * separates cells if at least three consecutive rows have it at the same position, and the words beside it
 * are aligned.
 * @param all segments by row, from top to bottom, each row from left to right
 */
export function splitAtStrips(all: readonly Segment[][]): Segment[][] {
  const lineHeight = median(all.flat().map(heightOf));
  // The name of a group goes over the strips of the table that it is in.
  const groups = new Set(all.filter((_, place) => isGroupRow(all, place, lineHeight)));
  const rows = all.filter((row) => !groups.has(row));
  const words = rows.map((row) => row.flatMap((segment) => segment.words));
  const minSpace = Math.max(MIN_STRIP, MIN_SPACES * usualSpace(rows));
  const minWidth = minSpace * lineHeight;
  if (words.filter((row) => hasGap(row, minWidth)).length < MIN_ROWS) return [...all];
  const cuts = rows.map(() => new Set<Word>());
  for (const strip of findGutters(words, minWidth)) {
    if (strip.bothRows < MIN_ROWS) continue;
    for (const { place, word } of cutsOf(strip, words, { lineHeight, minSpace })) cuts[place]?.add(word);
  }
  const split = rows.map((row, place) =>
    row.flatMap((segment) => splitSegment(segment, cuts[place] as Set<Word>)),
  );
  let next = 0;
  return all.map((row) => (groups.has(row) ? row : (split[next++] as Segment[])));
}

/** The usual width of a space, as a multiple of the font size. */
function usualSpace(rows: readonly Segment[][]): number {
  const spaces: number[] = [];
  for (const row of rows)
    for (const { words } of row)
      for (let place = 1; place < words.length; place++) {
        const word = words[place] as Word;
        const gap = word.left - (words[place - 1] as Word).right;
        if (gap > 0) spaces.push(gap / word.style.size);
      }
  return median(spaces);
}

const hasGap = (row: readonly Word[], minWidth: number) =>
  row.some((word, place) => place > 0 && word.left - (row[place - 1] as Word).right >= minWidth);

interface Measures {
  /** In points. */
  lineHeight: number;
  /** Minimum gap between cells, as a multiple of the font size. */
  minSpace: number;
}

/**
 * The first words after a strip, in the rows that it divides into cells; none if it does not separate
 * columns.
 */
function cutsOf(
  strip: Gutter,
  rows: readonly (readonly Word[])[],
  { lineHeight, minSpace }: Measures,
): Pair[] {
  const found: Pair[] = [];
  for (let place = strip.first; place <= strip.last; place++) {
    const pair = pairAt(strip, rows[place] as readonly Word[], minSpace);
    if (pair) found.push({ ...pair, place });
  }
  // A line in another size is a heading above the table.
  const size = median(found.map(({ word }) => word.style.size));
  const pairs = found.filter(({ word }) => Math.abs(word.style.size - size) < MAX_SIZE_STEP * size);
  const least = Math.max(MIN_SHARE * pairs.length, MIN_ROWS);
  if (pairs.filter(({ isMarker }) => isMarker).length >= least) return [];
  if (pairs.filter(({ isWide }) => isWide).length < least) return [];
  const edges = [
    ({ left }: Pair) => left,
    ({ end }: Pair) => end,
    ({ right }: Pair) => right,
    ({ left, right }: Pair) => (left + right) / 2,
  ];
  const aligned = edges
    .map((edge) => largestCluster(pairs, edge, MAX_SHIFT * lineHeight))
    .reduce((most, cluster) => (cluster.length > most.length ? cluster : most));
  if (aligned.length < least) return [];
  const cuts = pairs.filter((pair) => pair.isWide || aligned.includes(pair));
  // Above and below a table, the gap can be a space between the words of running text.
  while (isRunningText(cuts[0], aligned)) cuts.shift();
  while (isRunningText(cuts.at(-1), aligned)) cuts.pop();
  return cuts;
}

const isRunningText = (pair: Pair | undefined, aligned: readonly Pair[]) =>
  pair !== undefined && pair.spaces > MAX_SPACES && !aligned.includes(pair);

/** The words of a row on both sides of a strip. */
interface Pair {
  /** Index of the row. */
  place: number;
  /** The first word after the strip. */
  word: Word;
  /** Right edge of the word before the strip. */
  end: number;
  /** Edges of the words after the strip, up to the next gap. */
  left: number;
  right: number;
  /** Whether the gap is wider than the spaces between the other words of the row. */
  isWide: boolean;
  /** Number of other spaces in the row. */
  spaces: number;
  /** Whether the word before the strip is the bullet or number of a list item, or of a section. */
  isMarker: boolean;
}

function pairAt({ left }: Gutter, row: readonly Word[], minSpace: number): Omit<Pair, 'place'> | undefined {
  const at = row.findIndex((word) => word.left > left);
  const [before, word] = [row[at - 1], row[at]];
  if (!before || !word) return undefined;
  const factor = before.style.monospaced && word.style.monospaced ? MIN_STRIP_MONOSPACED : minSpace;
  const minWidth = factor * Math.max(before.style.size, word.style.size);
  const gap = word.left - before.right;
  if (gap < minWidth) return undefined;
  let end = at;
  const spaces: number[] = [];
  for (let other = 1; other < row.length; other++) {
    const space = (row[other] as Word).left - (row[other - 1] as Word).right;
    if (other !== at && space > 0 && space < minWidth) spaces.push(space);
    if (other === end + 1 && space < minWidth) end = other;
  }
  return {
    word,
    end: before.right,
    left: word.left,
    right: (row[end] as Word).right,
    isWide: spaces.length === 0 || gap > MIN_RATIO * median(spaces),
    spaces: spaces.length,
    isMarker: at === 1 && (isListMarker(before.text) || isSectionNumber(before)),
  };
}

/** Whether a word is the number of a section, such as 1.2. with a dot at its end or in bold. */
const isSectionNumber = ({ text, style }: Word) =>
  (style.bold ? /^\d{1,2}(?:\.\d{1,2})*\.?$/ : /^\d{1,2}(?:\.\d{1,2})+\.$/).test(text);

/** The largest group of pairs whose edges differ by at most `width`. */
function largestCluster(pairs: readonly Pair[], edge: (pair: Pair) => number, width: number): Pair[] {
  const sorted = [...pairs].sort((a, b) => edge(a) - edge(b));
  let from = 0;
  let to = 0;
  for (let first = 0, last = 0; last < sorted.length; last++) {
    while (edge(sorted[last] as Pair) - edge(sorted[first] as Pair) > width) first++;
    if (last + 1 - first > to - from) [from, to] = [first, last + 1];
  }
  return sorted.slice(from, to);
}

function splitSegment(segment: Segment, cuts: ReadonlySet<Word>): Segment[] {
  const parts: Word[][] = [];
  for (const word of segment.words) {
    if (parts.length === 0 || cuts.has(word)) parts.push([]);
    parts.at(-1)?.push(word);
  }
  return parts.length === 1 ? [segment] : parts.map(toSegment);
}
