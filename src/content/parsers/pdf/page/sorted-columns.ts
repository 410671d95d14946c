import type { Segment } from '../types.ts';
import { groupColumns } from './rows.ts';

/** Minimum number of entries in each column, and in all. */
const MIN_ENTRIES = 3;
const MIN_ALL = 8;
/** Maximum number of words of an entry. */
const MAX_WORDS = 12;
/** Minimum share of neighbours that are in order from top to bottom, and how many more they are than those across. */
const MIN_SORTED = 0.9;
const MIN_MORE = 0.1;

/**
 * Whether texts side by side are one list in alphabetical order, such as an index, that goes on at the top of each
 * further column. The rows of a table are not in such an order.
 */
export function areSortedColumns(lines: readonly Segment[]): boolean {
  if (lines.length < MIN_ALL || lines.some(({ words }) => words.length > MAX_WORDS)) return false;
  const columns = groupColumns(lines).map((column) =>
    column.toSorted((a, b) => a.top - b.top).filter(({ words }) => /^\p{L}/u.test(words[0]?.text ?? '')),
  );
  const entries = columns.flat();
  if (columns.length < 2 || entries.length < MIN_ALL) return false;
  if (columns.some(({ length }) => length < MIN_ENTRIES)) return false;
  const down = sortedShare(entries);
  if (down < MIN_SORTED) return false;
  const across = entries.toSorted((a, b) => Math.round((a.top - b.top) / MAX_RISE) || a.left - b.left);
  return sortedShare(across) <= down - MIN_MORE;
}

/** Maximum distance of the tops of lines side by side, in points. */
const MAX_RISE = 4;

/** The share of texts that are not before the text before them. */
function sortedShare(lines: readonly Segment[]): number {
  const texts = lines.map(({ words }) => words.map(({ text }) => text).join(' '));
  const sorted = texts.filter(
    (text, place) => place > 0 && collator.compare(texts[place - 1] as string, text) <= 0,
  );
  return sorted.length / (texts.length - 1);
}

const collator = new Intl.Collator('en', { sensitivity: 'base', ignorePunctuation: true });
