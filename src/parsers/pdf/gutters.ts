import { type Box, heightOf } from './boxes.ts';

/** A vertical strip without text between rows `first` and `last`, with text on both sides of it. */
export interface Gutter {
  left: number;
  right: number;
  first: number;
  last: number;
  /** How many rows have text on the left side, on the right side and on both. */
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

/** Bounds the work on pages with scattered text. */
const MAX_OPEN = 64;

/**
 * Finds the strips that stay free of text over several rows.
 * @param rows boxes by row, each row from left to right
 * @param minWidth of a strip, in points
 */
export function findGutters(rows: readonly (readonly Box[])[], minWidth: number): Gutter[] {
  const found: Gutter[] = [];
  let open: Gutter[] = [];
  rows.forEach((row, place) => {
    const gaps = gapsOf(row);
    const next: Gutter[] = [];
    for (const gutter of open) {
      let goesOn = false;
      for (const gap of gaps) {
        const left = Math.max(gutter.left, gap.left);
        const right = Math.min(gutter.right, gap.right);
        if (right - left < minWidth) continue;
        if (left === gutter.left && right === gutter.right) goesOn = true;
        addGutter(next, {
          ...gutter,
          left,
          right,
          last: place,
          leftRows: gutter.leftRows + Number(gap.hasLeft),
          rightRows: gutter.rightRows + Number(gap.hasRight),
          bothRows: gutter.bothRows + Number(gap.hasLeft && gap.hasRight),
        });
      }
      if (!goesOn && gutter.leftRows > 0 && gutter.rightRows > 0) found.push(gutter);
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

/** Keeps of strips with the same sides the one that began first. */
function addGutter(gutters: Gutter[], gutter: Gutter): void {
  const same = gutters.findIndex(({ left, right }) => left === gutter.left && right === gutter.right);
  if (same === -1) gutters.push(gutter);
  else if ((gutters[same] as Gutter).first > gutter.first) gutters[same] = gutter;
}

/** The gaps of a row, with those before its first box and after its last one. */
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

/** The usual distance between the tops of neighbouring rows: the lower quartile, so that paragraph gaps do not count. */
export function rowPitch(rows: readonly (readonly Box[])[]): number {
  const tops = rows.map((row) => Math.min(...row.map(({ top }) => top)));
  const pitches = tops.slice(1).map((top, place) => top - (tops[place] as number));
  if (pitches.length === 0) return rows[0]?.[0] ? 1.2 * heightOf(rows[0][0]) : 0;
  pitches.sort((a, b) => a - b);
  return pitches[pitches.length >> 2] as number;
}
