import { type Box, centerX, centerY, overlapX, overlapY, unionOf, widthOf } from '../boxes.ts';
import type { FormField, Rule, Rules, Word } from '../types.ts';

/** Maximum distance of a box from its label, as a multiple of the font size. */
const MAX_DISTANCE = 3;
/** Space between a box and its label, and width of the box, as multiples of the font size. */
const SPACE = 0.3;
const WIDTH = 0.8;

/** Maximum distance of a box from a label above or below it, as a multiple of the font size. */
const MAX_RISE = 1;
/** Maximum space between the words of a label, as a multiple of the font size. */
const MAX_SPACE = 0.72;

/** What stands around the boxes of a form. */
interface Surroundings {
  words: readonly Word[];
  fields: readonly FormField[];
  rules: Rules;
}

/**
 * The place of the sign for a check box or a radio button: beside its label, which is the nearest text to the
 * right or to the left, so that nothing divides them. A rule or another field between them shows that the
 * text is no label. A box that has a line of its own belongs to the nearer line above or below.
 * @returns undefined if the box has no label
 */
export function placeBesideLabel(field: FormField, around: Surroundings): Box | undefined {
  if (!field.isDrawn && around.words.every((word) => overlapY(field, word) <= 0))
    return placeInNextLine(field, around);
  const near = around.words.filter((word) => overlapY(field, word) > 0 && isLevel(field, word));
  const right = nearestUndivided(near, (word) => word.left - field.right, field, around);
  const left = nearestUndivided(near, (word) => field.left - word.right, field, around);
  const label = right && (!left || right.distance <= left.distance) ? right : left;
  if (!label) return undefined;
  const { word } = label;
  const { size } = word.style;
  const start = label === right ? word.left - (SPACE + WIDTH) * size : word.right + SPACE * size;
  return { left: start, right: start + WIDTH * size, top: word.top, bottom: word.bottom };
}

/** The place of the sign before a label that stands below its box, or after one that stands above it. */
function placeInNextLine(field: FormField, { words, rules }: Surroundings): Box | undefined {
  const near = words.filter(
    (word) => overlapX(field, word) > -word.style.size && overlapY(field, word) > -MAX_RISE * word.style.size,
  );
  const nearer = (a: Word, b: Word) => (riseOf(field, b) < riseOf(field, a) ? b : a);
  const label = near.length > 0 ? near.reduce(nearer) : undefined;
  if (!label) return undefined;
  const { top, bottom, style } = label;
  const [from, to] = [Math.min(centerY(field), centerY(label)), Math.max(centerY(field), centerY(label))];
  if (rules.horizontal.some((rule) => rule.at > from && rule.at < to && isAcross(rule, field)))
    return undefined;
  const { left, right } = phraseAround(label, words);
  const isBelow = top > centerY(field);
  const start = isBelow ? left - (SPACE + WIDTH) * style.size : right + SPACE * style.size;
  return { left: start, right: start + WIDTH * style.size, top, bottom };
}

/**
 * How far a line is above or below a box. Of two at about the same distance, the one below is its label, because
 * a box is read before its label.
 */
const riseOf = (field: Box, word: Word) =>
  -overlapY(field, word) + (word.top < field.top ? 0.25 * word.style.size : 0);

/** Whether a rule is above or below a box and is no side of it. */
const isAcross = ({ from, to }: Rule, box: Box) =>
  from < box.right && to > box.left && to - from > 2 * widthOf(box);

/** The box of the words on one line with a word that no wide gap divides from it. */
function phraseAround(word: Word, words: readonly Word[]): Box {
  const maxSpace = MAX_SPACE * word.style.size;
  let phrase: Box = word;
  const level = words.filter((other) => isLevel(other, word)).sort((a, b) => a.left - b.left);
  for (const other of level) if (overlapX(phrase, other) > -maxSpace) phrase = unionOf([phrase, other]);
  for (const other of level.reverse())
    if (overlapX(phrase, other) > -maxSpace) phrase = unionOf([phrase, other]);
  return phrase;
}

/**
 * The word that a field to its right stands beside, which is the end of its label. The frame of the field may
 * be between them.
 */
export function labelBefore(field: FormField, words: readonly Word[]): Word | undefined {
  const level = words.filter(
    (word) => centerY(word) > field.top && centerY(word) < field.bottom && centerX(word) < field.left,
  );
  return nearestWord(level, (word) => field.left - word.right, field)?.word;
}

const isLevel = (field: Box, word: Word) => Math.abs(centerY(field) - centerY(word)) < 0.75 * word.style.size;

interface Neighbour {
  word: Word;
  /** In points. */
  distance: number;
}

function nearestWord(
  words: readonly Word[],
  distanceOf: (word: Word) => number,
  field: FormField,
): Neighbour | undefined {
  let found: Neighbour | undefined;
  for (const word of words) {
    const distance = distanceOf(word);
    const isNear = distance > -0.2 * widthOf(field) && distance < MAX_DISTANCE * word.style.size;
    if (isNear && distance < (found?.distance ?? Infinity)) found = { word, distance };
  }
  return found;
}

/** The nearest word, unless a rule or another field is between. */
function nearestUndivided(
  words: readonly Word[],
  distanceOf: (word: Word) => number,
  field: FormField,
  { fields, rules }: Surroundings,
): Neighbour | undefined {
  const found = nearestWord(words, distanceOf, field);
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
