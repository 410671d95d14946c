import { type Box, overlapY, unionOf } from '../boxes.ts';
import type { Segment } from '../types.ts';
import { groupColumns, groupRows } from './rows.ts';

/** Minimum number of lines with an amount in a list of prices, and of other lines beside such lines. */
const MIN_PRICES = 3;
const MIN_UNLIKE = 2;
/** Minimum share of the lines with an amount whose labels or amounts are aligned. */
const MIN_ALIGNED = 0.8;
/** Maximum distance of aligned edges, as a multiple of the line height. */
const MAX_SHIFT = 0.15;
/** Minimum size of a heading, as a multiple of that of the labels. */
const HEADING_SIZE = 1.08;
/** A number with decimals, with or without a currency. */
export const AMOUNT = /^\p{Sc}?\d{1,3}(?:[.,’']?\d{3})*[.,]\d{2}\p{Sc}?$/u;

/** A line of a list: a label, and an amount at the right edge if it has one. */
interface Entry {
  box: Box;
  label: Segment;
  amount: Segment | undefined;
}

/**
 * Whether texts side by side are lists of prices, as on a menu, rather than the cells of one table: each has
 * labels at its left edge and amounts at its right edge. There are lines with an amount beside lines without one,
 * or headings beside each other, which rows of a table do not have. The text on the right can be several lists.
 */
export function arePriceLists(
  left: readonly Segment[],
  right: readonly Segment[],
  lineHeight: number,
): boolean {
  const isList = (list: readonly Entry[]) => isPriceList(list, MAX_SHIFT * lineHeight);
  const own = groupRows(left).map(toEntry);
  if (!isList(own)) return false;
  const others = listsOf(right).map((list) => groupRows(list).map(toEntry));
  return (
    others.every(isList) &&
    others.every((list) => {
      const pairs = own.flatMap((entry) =>
        list
          .filter(({ box }) => overlapY(entry.box, box) > 0.5 * lineHeight)
          .map((other) => [entry, other] as const),
      );
      const unlike = pairs.filter(([a, b]) => (a.amount === undefined) !== (b.amount === undefined));
      return (
        unlike.length >= MIN_UNLIKE || pairs.some(([a, b]) => isHeadingOf(own, a) && isHeadingOf(list, b))
      );
    })
  );
}

/** The lists that a text consists of, each with a column of labels and one of amounts. */
function listsOf(text: readonly Segment[]): Segment[][] {
  const columns = groupColumns(text);
  if (columns.length < 4 || columns.length % 2 > 0) return [[...text]];
  return columns.flatMap((labels, place) => (place % 2 ? [] : [[...labels, ...(columns[place + 1] ?? [])]]));
}

/** Whether a line without an amount is bold or larger than the labels of a list. */
function isHeadingOf(list: readonly Entry[], { label, amount }: Entry): boolean {
  const entry = list.find((other) => other.amount)?.label.words[0]?.style;
  const style = label.words[0]?.style;
  if (amount || !entry || !style) return false;
  return (style.bold && !entry.bold) || style.size > HEADING_SIZE * entry.size;
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
