import { type Box, overlapY, unionOf } from '../boxes.ts';
import type { Segment } from '../types.ts';
import { groupRows } from './rows.ts';

/** Minimum number of lines with an amount in a list of prices, and of other lines beside such lines. */
const MIN_PRICES = 3;
const MIN_UNLIKE = 2;
/** Minimum share of the lines with an amount whose labels or amounts are aligned. */
const MIN_ALIGNED = 0.8;
/** Maximum distance of aligned edges, as a multiple of the line height. */
const MAX_SHIFT = 0.15;
/** A number with decimals, with or without a currency. */
export const AMOUNT = /^\p{Sc}?\d{1,3}(?:[.,’']?\d{3})*[.,]\d{2}\p{Sc}?$/u;

/** A line of a list: a label, and an amount at the right edge if it has one. */
interface Entry {
  box: Box;
  label: Segment;
  amount: Segment | undefined;
}

/**
 * Whether two texts side by side are lists of prices, as on a menu, rather than the cells of one table: each
 * has labels at its left edge and amounts at its right edge, and there are lines with an amount beside lines
 * without one, which rows of a table do not have.
 */
export function arePriceLists(
  left: readonly Segment[],
  right: readonly Segment[],
  lineHeight: number,
): boolean {
  const sides = [left, right].map((side) => groupRows(side).map(toEntry));
  if (!sides.every((side) => isPriceList(side, MAX_SHIFT * lineHeight))) return false;
  const [own, others] = sides as [Entry[], Entry[]];
  const unlike = own.filter((entry) =>
    others.some(
      ({ box, amount }) =>
        overlapY(entry.box, box) > 0.5 * lineHeight &&
        (amount === undefined) !== (entry.amount === undefined),
    ),
  );
  return unlike.length >= MIN_UNLIKE;
}

function toEntry(row: readonly Segment[]): Entry {
  const last = row.at(-1) as Segment;
  const isAmount = row.length === 2 && last.words.some(({ text }) => AMOUNT.test(text)) && !hasLetters(last);
  return { box: unionOf(row), label: row[0] as Segment, amount: isAmount ? last : undefined };
}

const hasLetters = ({ words }: Segment) => words.some(({ text }) => /\p{L}/u.test(text));

function isPriceList(entries: readonly Entry[], shift: number): boolean {
  const priced = entries.flatMap(({ label, amount }) => (amount ? [{ label, amount }] : []));
  const [first] = priced;
  if (!first || priced.length < MIN_PRICES) return false;
  const aligned = priced.filter(
    ({ label, amount }) =>
      hasLetters(label) &&
      Math.abs(label.left - first.label.left) < shift &&
      Math.abs(amount.right - first.amount.right) < shift,
  );
  return aligned.length >= MIN_ALIGNED * priced.length;
}
