import { unionOf, widthOf } from '../boxes.ts';
import type { Segment } from '../types.ts';

/** Minimum number of lines of each of two even columns, and their minimum mean length. */
const MIN_EVEN_ROWS = 6;
const MIN_EVEN_LENGTH = 25;
/** Maximum difference of the widths of two even columns, as a share of the width. */
const MAX_UNEVEN = 0.08;

/**
 * Whether two texts are columns of a page that are equally wide and full of long lines, such as questions with
 * answers, whose paragraphs may begin at the same heights by chance.
 */
export function areEvenColumns(left: readonly Segment[], right: readonly Segment[]): boolean {
  const sides = [left, right];
  const [a, b] = sides.map((side) => widthOf(unionOf(side))) as [number, number];
  return (
    Math.abs(a - b) < MAX_UNEVEN * Math.max(a, b) &&
    sides.every(
      (side) =>
        side.length >= MIN_EVEN_ROWS &&
        side.reduce((sum, { length }) => sum + length, 0) >= MIN_EVEN_LENGTH * side.length,
    )
  );
}
