import { heightOf, median, unionOf, widthOf } from '../boxes.ts';
import type { Line, SourcePage } from '../types.ts';
import { lineText, toLine } from './lines.ts';
import { groupRows } from './rows.ts';

/**
 * Height of the areas at the top and bottom of a page that can have running heads, as a share of the page
 * height.
 */
const BAND = 0.14;
/** Maximum height of a line, as a share of the page height. What is higher is no running head. */
const MAX_HEIGHT = 0.05;
/** Size from which letters are those of a heading, as a multiple of the page's usual size. */
const HEADING_SIZE = 1.2;

/** A page number; the third group is the number itself. */
export const PAGE_NUMBER =
  /^[-–—|\s]*((page|seite|p\.)\s*)?(\d{1,4}|[ivxlc]{1,7})(\s*(of|\/|von)\s*\d{1,4})?[-–—|\s]*$/i;

/** A line near the top or the bottom of a page. */
export interface EdgeLine extends Line {
  page: number;
  text: string;
  /**
   * Text with `#` in place of numbers, by which pages are compared; empty for what can be no running head.
   */
  pattern: string;
  /** Whether its letters are clearly larger than those of the page. */
  isLarge: boolean;
  isHeader: boolean;
}

/** The text of a line with `#` in place of numbers. */
export const patternOf = (text: string) => text.replace(/\d+|\b[ivxlc]+\b/gi, '#').toLowerCase();

/** The lines near the top and the bottom of a page, each side from the edge of the page inwards. */
export function edgeLines(page: SourcePage): { top: EdgeLine[]; bottom: EdgeLine[] } {
  const { height, words } = page;
  const usualSize = median(words.map(({ style }) => style.size));
  const inBand = words.filter(({ top, bottom }) => bottom < BAND * height || top > (1 - BAND) * height);
  const lines = groupRows(inBand).map((row): EdgeLine => {
    const line = toLine(row);
    const text = lineText(line);
    const canBeHead = heightOf(line) <= MAX_HEIGHT * height && widthOf(unionOf(row)) <= page.width;
    return {
      ...line,
      page: page.number,
      text,
      pattern: canBeHead ? patternOf(text) : '',
      isLarge: row.every(({ style }) => style.size > HEADING_SIZE * usualSize),
      isHeader: line.bottom < BAND * height,
    };
  });
  return {
    top: lines.filter(({ isHeader }) => isHeader),
    bottom: lines.filter(({ isHeader }) => !isHeader).reverse(),
  };
}
