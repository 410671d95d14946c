import type { Segment } from '../types.ts';
import { groupRows } from './rows.ts';

/** Minimum number of rows with the same label on both sides, and their share of the rows with a value. */
const MIN_ROWS = 3;
const MIN_SHARE = 0.75;

/**
 * Whether two texts side by side are tables of values with the same labels, such as the data of two products,
 * rather than the cells of one table, which would have each label twice.
 */
export function areTwinTables(left: readonly Segment[], right: readonly Segment[]): boolean {
  const labels = labelsOf(right);
  const own = labelsOf(left);
  const shared = own.filter((label) => labels.includes(label)).length;
  return shared >= MIN_ROWS && shared >= MIN_SHARE * Math.max(own.length, labels.length);
}

/** The labels at the beginning of the rows that have a value, too. */
const labelsOf = (side: readonly Segment[]): string[] =>
  groupRows(side).flatMap(([label, value]) => {
    const text = label?.words.map((word) => word.text).join(' ') ?? '';
    return value && /\p{L}/u.test(text) ? [text] : [];
  });
