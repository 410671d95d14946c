import { least, median, unionOf } from '../boxes.ts';
import type { Rule, Segment, Word } from '../types.ts';
import { hasAmounts, MAX_LINE_STEP, repeatsValues, startsByGaps } from './row-gaps.ts';

/**
 * Maximum distance of two lines of one cell, as a multiple of the smallest distance of lines in the table.
 */
const ROW_STEP = 1.12;

/**
 * Joins the lines of cells that have several lines, in a table without rules around its cells.
 * @param visual the words of each column for each of the rows
 * @returns the words of each column for each row of the table
 */
export function logicalRows(
  rows: readonly Segment[][],
  visual: readonly Word[][][],
  rules: readonly Rule[],
  lineHeight: number,
): Word[][][] {
  const tops = rows.map((row) => median(row.map(({ top, bottom }) => (top + bottom) / 2)));
  const steps = tops.map((top, place) => (place === 0 ? Infinity : top - (tops[place - 1] as number)));
  const ruleBefore = rows.map(
    (row, place) => place > 0 && hasRuleBetween(rules, rows[place - 1] as Segment[], row),
  );
  const isStart =
    startsByGaps(visual, ruleBefore, lineHeight) ?? startsOf(visual, steps, ruleBefore, lineHeight);
  const joined: Word[][][] = [];
  visual.forEach((cells, place) => {
    const last = joined.at(-1);
    if (isStart[place] || !last || hasAmounts(visual, place) || repeatsValues(visual, place))
      joined.push(cells);
    else for (const [column, words] of cells.entries()) last[column]?.push(...words);
  });
  return joined;
}

function startsOf(
  visual: readonly Word[][][],
  steps: readonly number[],
  ruleBefore: readonly boolean[],
  lineHeight: number,
): boolean[] {
  const filled = visual.map((cells) => cells.filter(({ length }) => length > 0).length);
  const inner = steps.slice(1).filter((_, place) => !ruleBefore[place + 1]);
  const lineStep = least(inner);
  const isNear = (place: number) =>
    (steps[place] as number) <= ROW_STEP * lineStep && lineStep <= MAX_LINE_STEP * lineHeight;
  const near = visual.map((_, place) => place > 0 && !ruleBefore[place] && isNear(place));
  const nearRows = near.flatMap((flag, place) => (flag ? [place] : []));
  const hasRowGaps = near.some((flag, place) => !flag && place > 0);
  // If many of the close rows have all their cells, each of them is a row, and larger gaps separate groups of
  // rows.
  const isSingleSpaced =
    nearRows.filter((place) => isFull(visual, filled, place)).length > 0.4 * nearRows.length;
  return visual.map((cells, place) => {
    if (place === 0 || ruleBefore[place]) return true;
    if (!near[place]) return true;
    if (hasRowGaps && !isSingleSpaced) return false;
    return (cells[0]?.length ?? 0) > 0 || !fillsCellsAbove(visual, place);
  });
}

/** Whether the first cell of a row has text, and as many cells have text as in most rows. */
const isFull = (visual: readonly Word[][][], filled: readonly number[], place: number) =>
  (visual[place]?.[0]?.length ?? 0) > 0 && (filled[place] as number) >= Math.max(2, median(filled));

const NUMBER = /^[-+(]?[\d.,]+%?\)?$/;

/** Whether each cell with text can continue the cell above: that one has text, and this one is no number. */
function fillsCellsAbove(visual: readonly Word[][][], place: number): boolean {
  const above = visual[place - 1] as Word[][];
  return (visual[place] as Word[][]).every(
    (words, column) =>
      words.length === 0 ||
      ((above[column]?.length ?? 0) > 0 && !words.every(({ text }) => NUMBER.test(text))),
  );
}

function hasRuleBetween(
  rules: readonly Rule[],
  above: readonly Segment[],
  below: readonly Segment[],
): boolean {
  const { bottom, top: start } = unionOf(above);
  const { top, bottom: end } = unionOf(below);
  return rules.some(({ at }) => at > (start + bottom) / 2 && at < (top + end) / 2);
}
