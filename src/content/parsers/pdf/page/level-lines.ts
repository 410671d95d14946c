import { type Box, centerY } from '../boxes.ts';

/**
 * Share of the lines of the shorter side that are at the height of a line of the other side, as in a table
 * row.
 */
export function alignedShare(left: readonly Box[], right: readonly Box[], lineHeight: number): number {
  const [fewer, more] = left.length < right.length ? [left, right] : [right, left];
  const aligned = fewer.filter((box) =>
    more.some((other) => Math.abs(centerY(box) - centerY(other)) < 0.14 * lineHeight),
  );
  return aligned.length / fewer.length;
}
