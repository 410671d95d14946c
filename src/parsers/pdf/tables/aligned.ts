import { type Box, heightOf, median, unionOf } from '../boxes.ts';
import { findGutters } from '../gutters.ts';
import { toLines } from '../lines.ts';
import type { Segment } from '../segments.ts';
import type { Rule, TableBlock, TableCell } from '../types.ts';
import { logicalRows } from './logical-rows.ts';

/** Minimum width of the strip between table columns, as a multiple of the line height. */
const MIN_STRIP = 0.55;
const DOT_LEADER = /(\. ?){5,}|…{2,}|_{6,}/;

interface AlignedTable {
  block: TableBlock;
  /** The first and the last row of the table, as indices of the given rows. */
  first: number;
  last: number;
}

/**
 * Finds a table without vertical rules: consecutive rows that have gaps at the same horizontal positions.
 * @param rows all rows of a column of the page
 * @param from index of the row at which the table must begin
 * @param rules horizontal rules, which indicate a table and separate its rows
 */
export function findAlignedTable(
  rows: readonly Segment[][],
  from: number,
  rules: readonly Rule[],
  page: number,
): AlignedTable | undefined {
  const lineHeight = median(rows.flat().map(heightOf));
  const start = headerEnd(rows, from, lineHeight);
  const grown = start === undefined ? undefined : growRange(rows, start, lineHeight);
  if (!grown || (grown.first > from && !hasRuleBelow(rows, grown, rules))) return undefined;
  const { last } = grown;
  const first = from;
  const body = rows.slice(first, last + 1);
  const box = unionOf(body.flat());
  const inside = rules.filter(
    ({ at, from: left, to }) =>
      at > box.top - lineHeight &&
      at < box.bottom + lineHeight &&
      Math.min(to, box.right) - Math.max(left, box.left) > 0.6 * (box.right - box.left),
  );
  const bounds = columnBounds(body, lineHeight);
  if (!isTable(body, bounds, inside.length > 0, lineHeight)) return undefined;
  const cells = logicalRows(body, bounds, inside, lineHeight).map((row) =>
    row.map((words): TableCell => ({ lines: toLines(words), columnSpan: 1, rowSpan: 1 })),
  );
  const columns = [box.left, ...bounds.slice(1, -1), box.right];
  return { block: { kind: 'table', page, ...box, rows: cells, columns, ruled: false }, first, last };
}

/**
 * Maximum number of lines at the beginning of a table that have only one segment. Header cells are aligned at the
 * bottom, so the first lines may belong to a single cell.
 */
const MAX_HEADER_LINES = 4;

/** The first row with several segments, which is at most a few rows below `from`. */
function headerEnd(rows: readonly Segment[][], from: number, lineHeight: number): number | undefined {
  for (let place = from; place <= from + MAX_HEADER_LINES && rows[place]; place++) {
    const row = rows[place] as Segment[];
    if (row.length > 1) return place;
    const next = rows[place + 1];
    // A line that begins at the left edge is a heading above the table.
    const isAside =
      (row[0] as Segment).left >
      Math.min(...rows.slice(place + 1, place + 6).map((other) => unionOf(other).left)) + lineHeight;
    if (!next || unionOf(next).top - unionOf(row).bottom > 0.5 * lineHeight || !isAside) return undefined;
  }
  return undefined;
}

/** Whether a rule separates the first rows of a range from the others. */
function hasRuleBelow(
  rows: readonly Segment[][],
  { first, last }: { first: number; last: number },
  rules: readonly Rule[],
): boolean {
  const top = unionOf(rows[first] as Segment[]).top;
  const { bottom, left, right } = unionOf(
    rows.slice(first, Math.min(last, first + MAX_HEADER_LINES) + 1).flat(),
  );
  return rules.some(({ at, from, to }) => at > top && at < bottom && from < left + 20 && to > right - 20);
}

/** Extends a range downwards from a row with several segments, as long as the rows have a gap in common. */
function growRange(
  rows: readonly Segment[][],
  from: number,
  lineHeight: number,
): { first: number; last: number } | undefined {
  const isCandidate = (row: readonly Segment[]) => row.length > 1 && !row.some(isLeaderOrCode);
  if (!isCandidate(rows[from] ?? [])) return undefined;
  let last = from;
  let strips = innerGaps(rows[from] as Segment[]);
  for (let place = from + 1; place < rows.length; place++) {
    const row = rows[place] as Segment[];
    if (row.some(isLeaderOrCode)) break;
    const gap = unionOf(row).top - unionOf(rows[place - 1] as Segment[]).bottom;
    if (gap > 3 * lineHeight) break;
    const free = freeStrips(strips, row, MIN_STRIP * lineHeight);
    // Header cells can span several columns. A row below with more cells then replaces the gaps.
    const own = row.length > strips.length + 1 && free.length >= 1 ? innerGaps(row) : free;
    if (own.length === 0 || (row.length > 1 && own.length < 0.5 * strips.length)) break;
    if (row.length === 1 && (own.length < strips.length || gap > 0.8 * lineHeight)) break;
    strips = own;
    last = place;
  }
  // Rows with one segment at the end belong to the table only if they continue a cell.
  while (last > from && (rows[last] as Segment[]).length === 1 && !continuesCell(rows, last, lineHeight))
    last--;
  return last > from ? { first: from, last } : undefined;
}

function continuesCell(rows: readonly Segment[][], place: number, lineHeight: number): boolean {
  const [segment] = rows[place] as [Segment];
  for (let above = place - 1; above >= 0; above--) {
    const row = rows[above] as Segment[];
    const near = unionOf(rows[above + 1] as Segment[]).top - unionOf(row).bottom < 0.5 * lineHeight;
    if (!near) return false;
    if (row.length > 1)
      return (
        row.some(({ left }, column) => column > 0 && Math.abs(left - segment.left) < 0.5 * lineHeight) ||
        Math.abs((row[0] as Segment).left - segment.left) < 0.5 * lineHeight
      );
  }
  return false;
}

const isLeaderOrCode = ({ words }: Segment) =>
  words.every(({ style }) => style.monospaced) || words.some(({ text }) => DOT_LEADER.test(text));

interface Strip {
  left: number;
  right: number;
}

const innerGaps = (row: readonly Segment[]): Strip[] =>
  row.slice(1).map(({ left }, place) => ({ left: (row[place] as Segment).right, right: left }));

/** The parts of the strips that the boxes of a row leave free. */
function freeStrips(strips: readonly Strip[], row: readonly Box[], minWidth: number): Strip[] {
  return strips.flatMap((strip) => {
    let { left, right } = strip;
    for (const box of row) {
      if (box.right <= left || box.left >= right) continue;
      if (box.left <= left && box.right >= right) return [];
      // If the box is in the middle of the strip, the wider of the remaining parts is kept.
      if (box.left - left > right - box.right) right = box.left;
      else left = box.right;
    }
    return right - left >= minWidth ? [{ left, right }] : [];
  });
}

/** The boundaries of the columns, including the outer ones: the middles of strips that the rows leave free. */
function columnBounds(rows: readonly Segment[][], lineHeight: number): number[] {
  const box = unionOf(rows.flat());
  // Rows with few segments may have cells that span columns, or cells that nearly touch.
  const dense = Math.max(...rows.map(({ length }) => length));
  const full = rows.filter(({ length }) => length >= Math.max(2, 0.6 * dense));
  const regular = dense > 2 && full.length > 2 && full.length > 0.3 * rows.length ? full : rows;
  // Words are used because a segment can extend over a narrow strip.
  const words = regular.map((row) => row.flatMap((segment) => segment.words));
  const strips = findGutters(words, MIN_STRIP * lineHeight)
    .filter(({ first, last, bothRows }) => first === 0 && last === regular.length - 1 && bothRows > 0)
    .sort((a, b) => a.left - b.left);
  return [box.left - 1, ...strips.map(({ left, right }) => (left + right) / 2), box.right + 1];
}

function isTable(
  rows: readonly Segment[][],
  bounds: readonly number[],
  hasRules: boolean,
  lineHeight: number,
): boolean {
  const columns = bounds.length - 1;
  if (columns < 2) return false;
  const several = rows.filter(({ length }) => length > 1);
  if (several.length < (hasRules || columns > 3 ? 2 : 3)) return false;
  if (several.length < 0.25 * rows.length) return false;
  const lengths = rows.flat().map(({ length }) => length);
  if (hasRules) return true;
  // Two columns of long lines are running text side by side.
  if (columns === 2 && median(lengths) > 40) return false;
  const gaps = several.flatMap((row) => innerGaps(row).map(({ left, right }) => right - left));
  return median(gaps) > (columns > 2 ? 0.9 : 1.3) * lineHeight;
}
