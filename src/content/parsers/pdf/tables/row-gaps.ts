import { median } from '../boxes.ts';
import type { Word } from '../types.ts';

/** Maximum distance of two lines of one cell, as a multiple of the line height. */
export const MAX_LINE_STEP = 1.6;
/** Minimum ratio between the distances of lines and the distances of rows. */
const MIN_JUMP = 1.05;
/** Maximum ratio between the distances of lines, which vary with the fonts of their words. */
const MAX_SPREAD = 1.15;
/** Minimum share of the cells of a complete row that have text. */
const MIN_COMPLETE = 0.75;
/** Maximum share of complete rows among those that continue a row. */
const MAX_COMPLETE = 0.4;
/**
 * Minimum share of the distances that are distances of lines. A few small ones are due to fonts of different
 * heights.
 */
const MIN_LINE_SHARE = 0.08;
/** Minimum distance of two lines, as a multiple of the line height. */
const MIN_LINE_STEP = 0.8;
/** A cell that begins like this usually continues the line above. */
const LOWER_START = /^\p{Ll}/u;

/** A line of a cell. */
interface CellLine {
  /** Index of the visual row. */
  place: number;
  /** In points from the top of the page. */
  baseline: number;
}

/**
 * A cell, or a part of it: the first and the last of lines that follow each other at the distance of lines.
 */
interface CellPart {
  first: number;
  last: number;
}

/**
 * Finds the rows of a table by the vertical gaps in its columns: lines at the usual distance of lines belong
 * to one cell, and cells beside each other to one row. This also holds if cells are centred vertically or
 * have different heights.
 * @param visual the words of each column for each visual row
 * @param ruleBefore whether a rule separates a visual row from the one above
 * @returns whether each visual row begins a row of the table; undefined if the columns have no gaps between
 * the rows
 */
export function startsByGaps(
  visual: readonly Word[][][],
  ruleBefore: readonly boolean[],
  lineHeight: number,
): boolean[] | undefined {
  const columns = (visual[0] ?? []).map((_, column) => linesOf(visual, column));
  const steps = columns.flatMap((lines) =>
    lines.slice(1).map(({ baseline }, place) => baseline - (lines[place] as CellLine).baseline),
  );
  const maxStep = largestLineStep(steps, lineHeight);
  if (maxStep === undefined) return undefined;
  const partsOfColumns = columns.map((lines) => partsOf(lines, maxStep, ruleBefore));
  const parts = partsOfColumns.flat();
  const isStart = visual.map((_, place) => !parts.some(({ first, last }) => first < place && place <= last));
  const centred = new Set(centredRows(visual, partsOfColumns));
  return isStart.filter(Boolean).length > 1 && !isSingleSpaced(visual, isStart, centred)
    ? isStart
    : undefined;
}

/**
 * The visual rows between two lines of a cell that is beside them: those of cells that are centred vertically. Lines
 * of cells that begin at the same height are on one level.
 */
const centredRows = (visual: readonly Word[][][], columns: readonly CellPart[][]): number[] =>
  visual.flatMap((cells, place) =>
    columns.some(
      (parts, column) =>
        cells[column]?.length === 0 && parts.some(({ first, last }) => first < place && place < last),
    )
      ? [place]
      : [],
  );

const linesOf = (visual: readonly Word[][][], column: number): CellLine[] =>
  visual.flatMap((cells, place) => {
    const words = cells[column] ?? [];
    return words.length > 0 ? [{ place, baseline: median(words.map(({ bottom }) => bottom)) }] : [];
  });

function partsOf(lines: readonly CellLine[], maxStep: number, ruleBefore: readonly boolean[]): CellPart[] {
  const parts: CellPart[] = [];
  lines.forEach(({ place, baseline }, at) => {
    const before = lines[at - 1];
    const part = parts.at(-1);
    const isNear =
      before &&
      baseline - before.baseline <= maxStep &&
      !ruleBefore.slice(before.place + 1, place + 1).some(Boolean);
    if (part && isNear) part.last = place;
    else parts.push({ first: place, last: place });
  });
  return parts;
}

/** A number with separators or decimals, a percentage or an amount of money. */
const AMOUNT = /^[-+−(]?\p{Sc}?\d{1,3}(?:[.,  '’]?\d{3})*(?:[.,]\d+)?(?:%|\p{Sc})?\)?$/u;

/**
 * Whether a visual row has a number directly below another one, beside a label of its own. Those are never
 * the lines of one cell, such as the net price and the tax above a total.
 */
export function hasAmounts(visual: readonly Word[][][], place: number): boolean {
  const [cells, above] = [visual[place] as Word[][], visual[place - 1]];
  const isAmount = (words: readonly Word[] = []) => words.length === 1 && AMOUNT.test(words[0]?.text ?? '');
  return cells.some((words, column) => {
    if (!isAmount(words) || !isAmount(above?.[column])) return false;
    const label = cells.slice(0, column).findLast(({ length }) => length > 0);
    return label !== undefined && !isAmount(label) && !LOWER_START.test(label[0]?.text ?? '');
  });
}

/** Minimum number of values that a row repeats. */
const MIN_REPEATED = 2;

/**
 * Whether a visual row has a label of its own and repeats several values of the row above, which the lines of one
 * cell hardly do.
 */
export function repeatsValues(visual: readonly Word[][][], place: number): boolean {
  const [cells, above] = [visual[place] as Word[][], visual[place - 1] ?? []];
  const label = cells[0]?.[0]?.text ?? '';
  if (label === '' || LOWER_START.test(label)) return false;
  if (cells.some(({ length }, column) => length === 0 && (above[column]?.length ?? 0) > 0)) return false;
  const textOf = (words: readonly Word[] = []) => words.map(({ text }) => text).join(' ');
  const repeated = cells.filter(
    (words, column) => words.length > 0 && textOf(words) === textOf(above[column]),
  );
  return repeated.length >= MIN_REPEATED;
}

/**
 * Whether many of the visual rows that do not begin a row are complete, and none of their cells goes on in
 * lower case. Then each of them is a row, and the gaps only separate groups of rows.
 */
function isSingleSpaced(
  visual: readonly Word[][][],
  isStart: readonly boolean[],
  centred: ReadonlySet<number>,
): boolean {
  const joined = visual.filter((_, place) => !isStart[place] && !centred.has(place));
  const complete = joined.filter((cells) => {
    const filled = cells.filter(({ length }) => length > 0);
    return (
      (cells[0]?.length ?? 0) > 0 &&
      filled.length > 1 &&
      filled.length >= MIN_COMPLETE * cells.length &&
      !filled.some(([word]) => word && LOWER_START.test(word.text))
    );
  });
  return complete.length > MAX_COMPLETE * joined.length;
}

/**
 * The largest distance of two lines of one cell. The distances form two groups, those of lines and those of
 * rows, and the widest interval between the sorted distances separates them.
 * @returns undefined if there is only one group
 */
function largestLineStep(distances: readonly number[], lineHeight: number): number | undefined {
  const steps = distances.filter((step) => step > MIN_LINE_STEP * lineHeight).sort((a, b) => a - b);
  const few = Math.floor(MIN_LINE_SHARE * steps.length);
  const least = areLineSteps(steps.slice(0, few), steps[few]) ? 0 : few;
  const even = evenLineStep(steps.slice(least), lineHeight);
  if (even !== undefined) return even;
  let largest: number | undefined;
  let jump = MIN_JUMP;
  for (let place = least; place < steps.length - 1; place++) {
    const [step, next] = [steps[place] as number, steps[place + 1] as number];
    if (step > MAX_LINE_STEP * lineHeight || step > MAX_SPREAD * (steps[least] as number)) break;
    if (next / step > jump) [largest, jump] = [step, next / step];
  }
  return largest;
}

/**
 * Whether a few small distances are those of the lines of a few cells: they are equal, and clearly smaller than all
 * others.
 */
function areLineSteps(few: readonly number[], next: number | undefined): boolean {
  const [first, last] = [few[0], few.at(-1)];
  if (first === undefined || last === undefined || next === undefined || few.length < 2) return false;
  return last <= (1 + MAX_DIFFERENCE) * first && next > MAX_SPREAD * last;
}

/** Maximum difference of equal distances, as a share of their size, and minimum number of them. */
const MAX_DIFFERENCE = 0.02;
const MIN_EQUAL = 3;
/** Maximum rest of a sum of them, as a share of the distance of lines, and minimum share of such sums. */
const MAX_REST = 0.08;
const MIN_SUMS = 0.8;

/**
 * The distance of lines where all small distances are of two sizes, those of lines and slightly larger ones of
 * rows. Fonts of different heights cause more sizes.
 * @param steps in ascending order
 */
function evenLineStep(steps: readonly number[], lineHeight: number): number | undefined {
  const [least] = steps;
  if (least === undefined || least > MAX_LINE_STEP * lineHeight) return undefined;
  const small = steps.filter((step) => step <= MAX_SPREAD * least);
  const lines = small.filter((step) => step <= (1 + MAX_DIFFERENCE) * least);
  const rows = small.slice(lines.length);
  const [first, last] = [rows[0], rows.at(-1)];
  if (lines.length < MIN_EQUAL || rows.length < MIN_EQUAL || !first || !last) return undefined;
  const line = lines.at(-1) as number;
  if (first <= MIN_JUMP * line || last > (1 + MAX_DIFFERENCE) * first) return undefined;
  // Larger ones are those of rows of which another cell has more lines.
  const isSum = (step: number) =>
    Math.abs((step - first) / line - Math.round((step - first) / line)) < MAX_REST;
  const larger = steps.slice(small.length);
  return larger.filter(isSum).length >= MIN_SUMS * larger.length ? line : undefined;
}
