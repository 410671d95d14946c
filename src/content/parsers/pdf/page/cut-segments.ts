import type { Word } from '../types.ts';
import { type ColumnItem, isSegment } from './column-items.ts';
import { toSegment } from './segments.ts';
import type { Strip } from './wide-tables.ts';

/** How far words may reach into the strip between two columns, in points. */
const MAX_OVERHANG = 1;

/**
 * Cuts parts of lines that go over a strip between the columns of a document without a word in it, such as the last
 * word of a line that looks like the number of the list item beside it.
 */
export const cutAtStrips = <T>(items: readonly ColumnItem<T>[], strips: readonly Strip[]): ColumnItem<T>[] =>
  items.flatMap((item): ColumnItem<T>[] => {
    if (!isSegment(item)) return [item];
    const cuts = strips.flatMap((strip) => placeAfter(item.words, strip) ?? []);
    return cuts.length === 0
      ? [item]
      : [0, ...cuts].map((from, at) => toSegment(item.words.slice(from, cuts[at])));
  });

/** The place of the word after a strip, if the word before it ends at the strip and this one begins behind it. */
function placeAfter(words: readonly Word[], { left, right }: Strip): number | undefined {
  const place = words.findIndex((word) => word.left >= right - MAX_OVERHANG);
  const before = words[place - 1];
  return before && before.right <= left + MAX_OVERHANG ? place : undefined;
}
