import type { Box } from '../boxes.ts';
import type { Line } from '../types.ts';
import { AMOUNT } from './price-lists.ts';
import { isRightToLeft } from './text-direction.ts';

/** Width of a gap within a line from which its ends are two texts, as a multiple of the font size. */
const WIDE_GAP = 3;

/** Whether a line has a text on its left and another on its right, such as a position and its years. */
export const hasWideGap = ({ words, style }: Line) =>
  words.some((word, place) => {
    const before = words[place - 1];
    return before !== undefined && word.left - before.right > WIDE_GAP * style.size;
  }) && !words.some(({ isLeader }) => isLeader);

/** Minimum gap before an amount that stands by itself, and maximum distance of the ends of two of them. */
const MIN_AMOUNT_GAP = 0.72;
const MAX_SHIFT = 0.15;

/** Whether two lines end with an amount each that stands by itself and ends at the same place. */
export const endWithAmounts = (before: Line, line: Line): boolean =>
  endsWithAmount(before) &&
  endsWithAmount(line) &&
  Math.abs(before.right - line.right) < MAX_SHIFT * line.style.size;

function endsWithAmount({ words, style }: Line): boolean {
  const [label, amount] = words.slice(-2);
  if (!label || !amount || !AMOUNT.test(amount.text)) return false;
  return amount.left - label.right > MIN_AMOUNT_GAP * style.size;
}

/** Whether the first word of a line would have fitted into the line above, so that the break is intended. */
export function wouldFit(before: Line, line: Line, column: Box): boolean {
  const [word] = line.words as [Line['words'][number]];
  return !isRightToLeft(line.words) && before.right + word.right - word.left + line.style.size < column.right;
}

/** The number of a clause: `1.1`, `2.3.1.` or `§ 4`, or a number alone, with the text apart from it. */
const CLAUSE_NUMBER = /^(?:\d{1,2}(?:\.\d{1,2}){1,4}\.?|§+|\d{1,2})$/;
/** Minimum space behind the number of a clause, as a multiple of the font size. */
const MIN_NUMBER_GAP = 0.4;

/** Whether a line begins with the number of a clause. */
export function beginsClause({ words: [number, text], style: { size } }: Line): boolean {
  if (!number || !text) return false;
  return CLAUSE_NUMBER.test(number.text) && text.left - number.right > MIN_NUMBER_GAP * size;
}

const CAPITAL_START = /^["'“‘(]?\p{Lu}/u;
/** An item that ends before this share of its column has no further line at its marker. */
const MAX_ITEM = 0.7;

/**
 * Whether a line below a short item begins another text, such as the caption of the table below: in another
 * style, at the marker and not below the text of the item.
 */
export const beginsBelowItem = (before: Line, line: Line, item: Line, column: Box) =>
  (line.style.bold !== before.style.bold || line.style.italic !== before.style.italic) &&
  line.left < item.left + 0.3 * line.style.size &&
  before.right < column.left + MAX_ITEM * (column.right - column.left) &&
  CAPITAL_START.test(line.words[0]?.text ?? '') &&
  !isRightToLeft(line.words);

/** Whether a line stands below the text of the clause whose number begins the line above. */
export const hangsBelow = ({ words: [number, text] }: Line, { left, style }: Line) =>
  number !== undefined &&
  text !== undefined &&
  CLAUSE_NUMBER.test(number.text) &&
  Math.abs(left - text.left) < 0.5 * style.size;
