import { heightOf, median } from '../boxes.ts';
import type { Segment } from '../types.ts';
import { sidesOf } from './column-ends.ts';
import { type ColumnItem, isSegment } from './column-items.ts';
import type { Gutter } from './gutters.ts';
import { alignedShare } from './level-lines.ts';
import { isRunning } from './running-lines.ts';
import { cellsOfWideTables, type Strip } from './wide-tables.ts';

/** Minimum number of lines on both sides of a gutter that counts for the document. */
const MIN_ROWS = 5;
/** Minimum number of lines of running text on both sides, on all pages together. */
const MIN_RUNNING_ROWS = 8;
/** Minimum number of pages with a gutter at the same place, and their share of the pages with columns. */
const MIN_PAGES = 2;
const MIN_SHARE = 0.3;
/** Maximum share of lines that cross a gutter which only one page shows to be one. */
const MAX_CROSSING = 0.05;
/** Minimum width of what the gutters of the pages have in common, in points. */
const MIN_WIDTH = 4;
/** Maximum share of level lines on one side of a strip if neither side has running text. */
const MAX_LEVEL = 0.8;

/** A strip with what the pages show of it. */
interface CountedStrip extends Strip {
  /** Numbers of the pages that it divides. */
  pages: Set<number>;
  /** Number of lines of running text on its left and on its right. */
  running: [number, number];
}

/** Counts the gutters that the pages of a document have at the same place, and the running text beside them. */
export class GutterCounts {
  readonly #strips: CountedStrip[] = [];

  /** Adds a gutter of a page, if its columns are long. */
  add<T>(page: number, { left, right, leftRows, rightRows }: Gutter, sides: ColumnItem<T>[][]): void {
    if (Math.min(leftRows, rightRows) < MIN_ROWS) return;
    const counts = sides.map((side) => side.filter(isRunning).length) as [number, number];
    const strip = this.#strips.find(
      (other) => Math.min(other.right, right) - Math.max(other.left, left) >= MIN_WIDTH,
    );
    if (!strip) this.#strips.push({ left, right, pages: new Set([page]), running: counts });
    else {
      strip.left = Math.max(strip.left, left);
      strip.right = Math.min(strip.right, right);
      strip.pages.add(page);
      strip.running = [strip.running[0] + counts[0], strip.running[1] + counts[1]];
    }
  }

  /**
   * The strips of the document, from left to right.
   * @param pages the contents of its pages
   */
  strips<T>(pages: readonly (readonly ColumnItem<T>[])[]): Strip[] {
    return this.#strips
      .filter(({ running }) => Math.min(...running) >= MIN_RUNNING_ROWS)
      .filter((strip) => strip.pages.size >= MIN_SHARE * pages.length)
      .filter((strip) => strip.pages.size >= MIN_PAGES || areDivided(pages, strip))
      .sort((a, b) => a.left - b.left);
  }
}

/** Whether hardly any text of the pages crosses a strip, and most pages have text on both of its sides. */
function areDivided<T>(pages: readonly (readonly ColumnItem<T>[])[], { left, right }: Strip): boolean {
  const middle = (left + right) / 2;
  const segments = pages.map((items) => items.filter(isSegment));
  const isCrossing = (item: Segment) => item.left < middle && item.right > middle;
  const all = segments.flat();
  const divided = segments.filter(
    (items) => items.some((item) => item.right < middle) && items.some((item) => item.left > middle),
  );
  return all.filter(isCrossing).length <= MAX_CROSSING * all.length && divided.length > pages.length / 2;
}

/**
 * The longest part of a page that one of the strips divides: no text crosses the strip, and there is text on
 * both sides.
 * @param sorted the contents from top to bottom
 */
export function knownGutter<T>(
  sorted: readonly ColumnItem<T>[],
  strips: readonly Strip[],
): Gutter | undefined {
  if (strips.length === 0) return undefined;
  const lineHeight = median(sorted.filter(isSegment).map(heightOf));
  let best: Gutter | undefined;
  for (const strip of strips)
    for (const band of bandsOf(sorted, strip, strips))
      if ((!best || sizeOf(band) > sizeOf(best)) && isDivided(sorted, band, lineHeight)) best = band;
  return best;
}

const sizeOf = ({ first, last }: Gutter) => last - first;

/** The parts of a page with text on both sides of a strip that no text crosses. */
function bandsOf<T>(sorted: readonly ColumnItem<T>[], strip: Strip, strips: readonly Strip[]): Gutter[] {
  const middle = (strip.left + strip.right) / 2;
  const wide = cellsOfWideTables(sorted.filter(isSegment), strip, strips);
  const bands: Gutter[] = [];
  let band: Gutter | undefined;
  sorted.forEach((item, place) => {
    if ((item.left < middle && item.right > middle) || wide.has(item)) {
      band = undefined;
      return;
    }
    if (!band) {
      band = {
        left: middle,
        right: middle,
        first: place,
        last: place,
        leftRows: 0,
        rightRows: 0,
        bothRows: 0,
      };
      bands.push(band);
    }
    band.last = place;
    if (item.right <= middle) band.leftRows++;
    else band.rightRows++;
  });
  return bands.filter(({ leftRows, rightRows }) => leftRows > 0 && rightRows > 0);
}

/**
 * Whether the text on both sides of a strip is that of columns. The cells of a table as wide as the page are no
 * running text, and those of a row are level.
 */
function isDivided<T>(sorted: readonly ColumnItem<T>[], band: Gutter, lineHeight: number): boolean {
  const sides = sidesOf(sorted.slice(band.first, band.last + 1), band).map((side) => side.filter(isSegment));
  const [left, right] = sides as [Segment[], Segment[]];
  if (left.length === 0 || right.length === 0 || sides.some((side) => side.some(isRunning))) return true;
  return alignedShare(left, right, lineHeight) < MAX_LEVEL;
}
