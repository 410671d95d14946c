import type { Box } from '../boxes.ts';

/** A vertical strip without text that extends from row `first` to row `last` and has text on both sides. */
export interface Gutter {
  left: number;
  right: number;
  first: number;
  last: number;
  /** Number of rows with text to the left of the strip, to its right, and on both sides. */
  leftRows: number;
  rightRows: number;
  bothRows: number;
}

interface Gap {
  left: number;
  right: number;
  hasLeft: boolean;
  hasRight: boolean;
}

/**
 * Maximum number of strips that are extended at the same time, which limits the time for pages with scattered
 * text.
 */
const MAX_OPEN = 64;

/**
 * Finds vertical strips that have no text in several consecutive rows.
 * @param rows boxes by row, each row from left to right
 * @param minWidth minimum width of a strip in points
 */
export function findGutters(rows: readonly (readonly Box[])[], minWidth: number): Gutter[] {
  const found: Gutter[] = [];
  let open: Gutter[] = [];
  rows.forEach((row, place) => {
    const gaps = gapsOf(row);
    const next: Gutter[] = [];
    for (const gutter of open) {
      let continues = false;
      for (const gap of gaps) {
        const left = Math.max(gutter.left, gap.left);
        const right = Math.min(gutter.right, gap.right);
        if (right - left < minWidth) continue;
        if (left === gutter.left && right === gutter.right) continues = true;
        addGutter(next, {
          left,
          right,
          first: gutter.first,
          last: place,
          leftRows: gutter.leftRows + Number(gap.hasLeft),
          rightRows: gutter.rightRows + Number(gap.hasRight),
          bothRows: gutter.bothRows + Number(gap.hasLeft && gap.hasRight),
        });
      }
      if (!continues && gutter.leftRows > 0 && gutter.rightRows > 0) found.push(gutter);
    }
    for (const { left, right, hasLeft, hasRight } of gaps)
      if (right - left >= minWidth)
        addGutter(next, {
          left,
          right,
          first: place,
          last: place,
          leftRows: Number(hasLeft),
          rightRows: Number(hasRight),
          bothRows: Number(hasLeft && hasRight),
        });
    open = next.slice(0, MAX_OPEN);
  });
  return [...found, ...open].filter(({ leftRows, rightRows }) => leftRows > 0 && rightRows > 0);
}

/** Adds a strip. If there is one with the same edges, the strip that begins in the higher row is kept. */
function addGutter(gutters: Gutter[], gutter: Gutter): void {
  const { left, right } = gutter;
  // This runs for each strip of each row, so it is a plain loop.
  for (let place = 0; place < gutters.length; place++) {
    const other = gutters[place] as Gutter;
    if (other.left !== left || other.right !== right) continue;
    if (other.first > gutter.first) gutters[place] = gutter;
    return;
  }
  gutters.push(gutter);
}

/** The gaps of a row, including the space before its first box and after its last box. */
function gapsOf(row: readonly Box[]): Gap[] {
  const gaps: Gap[] = [];
  let end = -Infinity;
  for (const { left, right } of row) {
    if (left > end) gaps.push({ left: end, right: left, hasLeft: end !== -Infinity, hasRight: true });
    if (right > end) end = right;
  }
  gaps.push({ left: end, right: Infinity, hasLeft: end !== -Infinity, hasRight: false });
  return gaps;
}
