import { type Box, centerY, overlapY, widthOf } from '../boxes.ts';
import type { FormField, Rules, Word } from '../types.ts';

/** Maximum distance of a box from its label, as a multiple of the font size. */
const MAX_DISTANCE = 3;
/** Space between a box and its label, and width of the box, as multiples of the font size. */
const SPACE = 0.3;
const WIDTH = 0.8;

/** What stands around the boxes of a form. */
interface Surroundings {
  words: readonly Word[];
  fields: readonly FormField[];
  rules: Rules;
}

/**
 * The place of the sign for a check box or a radio button: beside its label, which is the nearest text to the
 * right or to the left, so that nothing divides them. A rule or another field between them shows that the
 * text is no label.
 * @returns undefined if the box has no label
 */
export function placeBesideLabel(field: FormField, around: Surroundings): Box | undefined {
  const near = around.words.filter((word) => overlapY(field, word) > 0 && isLevel(field, word));
  const right = nearest(near, (word) => word.left - field.right, field, around);
  const left = nearest(near, (word) => field.left - word.right, field, around);
  const label = right && (!left || right.distance <= left.distance) ? right : left;
  if (!label) return undefined;
  const { word } = label;
  const { size } = word.style;
  const start = label === right ? word.left - (SPACE + WIDTH) * size : word.right + SPACE * size;
  return { left: start, right: start + WIDTH * size, top: word.top, bottom: word.bottom };
}

const isLevel = (field: Box, word: Word) => Math.abs(centerY(field) - centerY(word)) < 0.75 * word.style.size;

function nearest(
  words: readonly Word[],
  distanceOf: (word: Word) => number,
  field: FormField,
  { fields, rules }: Surroundings,
): { word: Word; distance: number } | undefined {
  let found: { word: Word; distance: number } | undefined;
  for (const word of words) {
    const distance = distanceOf(word);
    const isNear = distance > -0.2 * widthOf(field) && distance < MAX_DISTANCE * word.style.size;
    if (isNear && distance < (found?.distance ?? Infinity)) found = { word, distance };
  }
  if (!found) return undefined;
  const [from, to] = [Math.min(field.right, found.word.right), Math.max(field.left, found.word.left)];
  const middle = centerY(field);
  const isDivided =
    rules.vertical.some((rule) => rule.at > from && rule.at < to && rule.from < middle && rule.to > middle) ||
    fields.some((other) => other !== field && isBetween(other, { from, to, middle }));
  return isDivided ? undefined : found;
}

const isBetween = (box: Box, { from, to, middle }: { from: number; to: number; middle: number }) =>
  box.left >= from - 1 && box.right <= to + 1 && box.top < middle && box.bottom > middle;
