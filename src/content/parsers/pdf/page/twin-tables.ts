import { overlapY } from '../boxes.ts';
import type { Segment } from '../types.ts';
import { groupRows } from './rows.ts';

/** Minimum number of rows with the same label on both sides, and their share of the rows with a value. */
const MIN_ROWS = 3;
const MIN_SHARE = 0.75;
/** Minimum number of labels of the head of a table that stands twice. */
const MIN_HEAD = 2;

/**
 * Whether two texts side by side are tables of values with the same labels or the same head, such as the data of two
 * products, rather than the cells of one table, which would have each label twice.
 */
export function areTwinTables(left: readonly Segment[], right: readonly Segment[]): boolean {
  if (haveSameHeads(left, right)) return true;
  const labels = labelsOf(right);
  const own = labelsOf(left);
  const shared = own.filter((label) => labels.includes(label)).length;
  return shared >= MIN_ROWS && shared >= MIN_SHARE * Math.max(own.length, labels.length);
}

/** Whether the first rows of both sides are level and have the same labels, at least two of them. */
function haveSameHeads(left: readonly Segment[], right: readonly Segment[]): boolean {
  const [own, others] = [left, right].map((side) => groupRows(side)[0] ?? []) as [Segment[], Segment[]];
  const [first, other] = [own[0], others[0]];
  if (!first || !other || own.length < MIN_HEAD || overlapY(first, other) <= 0) return false;
  const texts = own.map(textOf);
  return texts.join('\n') === others.map(textOf).join('\n') && texts.every((text) => /\p{L}/u.test(text));
}

/** The labels at the beginning of the rows that have a value, too. */
const labelsOf = (side: readonly Segment[]): string[] =>
  groupRows(side).flatMap(([label, value]) => {
    const text = label ? textOf(label) : '';
    return value && /\p{L}/u.test(text) ? [text] : [];
  });

const textOf = ({ words }: Segment) => words.map(({ text }) => text).join(' ');
