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
  const [own, others] = [groupRows(left), groupRows(right)];
  if (haveSameHeads(own[0], others[0])) return true;
  const labels = labelsOf(own);
  if (labels.length < MIN_ROWS) return false;
  const otherLabels = labelsOf(others);
  const shared = labels.filter((label) => otherLabels.includes(label)).length;
  return shared >= MIN_ROWS && shared >= MIN_SHARE * Math.max(labels.length, otherLabels.length);
}

/** Whether the first rows of both sides are level and have the same labels, at least two of them. */
function haveSameHeads(own: readonly Segment[] = [], others: readonly Segment[] = []): boolean {
  const [first, other] = [own[0], others[0]];
  if (!first || !other || own.length < MIN_HEAD || own.length !== others.length) return false;
  if (overlapY(first, other) <= 0) return false;
  return own.every((cell, place) => {
    const text = textOf(cell);
    return /\p{L}/u.test(text) && text === textOf(others[place] as Segment);
  });
}

/** The labels at the beginning of the rows that have a value, too. */
const labelsOf = (rows: readonly Segment[][]): string[] =>
  rows.flatMap(([label, value]) => {
    const text = label && value ? textOf(label) : '';
    return /\p{L}/u.test(text) ? [text] : [];
  });

const textOf = ({ words }: Segment) => words.map(({ text }) => text).join(' ');
