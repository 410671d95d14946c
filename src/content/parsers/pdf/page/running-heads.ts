import { heightOf, median, unionOf, widthOf } from '../boxes.ts';
import type { PageRole, PdfTextBlock, SourcePage, Word } from '../types.ts';
import { lineText, toLine } from './lines.ts';
import { groupRows } from './rows.ts';

/**
 * Height of the areas at the top and bottom of a page that can have running heads, as a share of the page
 * height.
 */
const BAND = 0.14;
/** Number of other pages on which a running head must be repeated at the same height. */
const MIN_REPEATS = 2;
/** Number of pages before and after a page that are compared with it. */
const REACH = 3;
/** Maximum difference of the heights in points. */
const MAX_SHIFT = 4;
/** Size from which letters are those of a heading, as a multiple of the page's usual size. */
const HEADING_SIZE = 1.2;
const PAGE_NUMBER =
  /^[-–—|\s]*((page|seite|p\.)\s*)?(\d{1,4}|[ivxlc]{1,7})(\s*(of|\/|von)\s*\d{1,4})?[-–—|\s]*$/i;

/** Header and footer lines of a page, and its other words. */
export interface RunningHeads {
  header: PdfTextBlock[];
  footer: PdfTextBlock[];
  words: Word[];
}

interface Candidate {
  page: number;
  words: Word[];
  text: string;
  /** Text with `#` in place of numbers, by which pages are compared. */
  pattern: string;
  top: number;
  /** Whether its letters are clearly larger than those of the page. */
  isLarge: boolean;
  isHeader: boolean;
}

/**
 * Finds lines at the top or bottom of pages that neighbouring pages repeat. Only the numbers in them may
 * differ. Where most pages have nothing else, such lines are their text.
 */
export function findRunningHeads(pages: readonly SourcePage[]): RunningHeads[] {
  const heads = findRepeatedLines(pages);
  const isText = heads.filter(isNothingElse).length > pages.length / 2;
  return isText ? pages.map(withoutHeads) : heads;
}

const withoutHeads = ({ words }: SourcePage): RunningHeads => ({ header: [], footer: [], words });

/** Whether a page has words, but only in running heads that are more than its number. */
const isNothingElse = ({ header, footer, words }: RunningHeads) =>
  words.length === 0 && [...header, ...footer].some(({ role }) => role !== 'page-number');

function findRepeatedLines(pages: readonly SourcePage[]): RunningHeads[] {
  if (pages.length < 2) return pages.map(withoutHeads);
  const candidates = pages.map(candidatesOf);
  return pages.map((page, place) => {
    const neighbours = candidates
      .slice(Math.max(0, place - REACH), place + REACH + 1)
      .flat()
      .filter((other) => other.page !== page.number);
    const taken = new Set<Word>();
    const found = withoutHeads(page);
    for (const candidate of candidates[place] as Candidate[]) {
      const role = roleOf(candidate, neighbours, pages.length);
      if (!role) continue;
      for (const word of candidate.words) taken.add(word);
      const line = toLine(candidate.words);
      const block: PdfTextBlock = {
        kind: 'paragraph',
        ...unionOf(line.words),
        page: page.number,
        lines: [line],
        role,
      };
      found[candidate.isHeader ? 'header' : 'footer'].push(block);
    }
    if (taken.size > 0) found.words = page.words.filter((word) => !taken.has(word));
    return found;
  });
}

function candidatesOf({ number, width, height, words }: SourcePage): Candidate[] {
  const usualSize = median(words.map(({ style }) => style.size));
  const inBand = words.filter(({ top, bottom }) => bottom < BAND * height || top > (1 - BAND) * height);
  return groupRows(inBand).flatMap((row) => {
    const box = unionOf(row);
    if (heightOf(box) > 0.05 * height || widthOf(box) > width) return [];
    const text = lineText(toLine(row));
    return [
      {
        page: number,
        words: row,
        text,
        pattern: text.replace(/\d+|\b[ivxlc]+\b/gi, '#').toLowerCase(),
        top: box.top,
        isLarge: row.every(({ style }) => style.size > HEADING_SIZE * usualSize),
        isHeader: box.bottom < BAND * height,
      },
    ];
  });
}

function roleOf(candidate: Candidate, neighbours: readonly Candidate[], pages: number): PageRole | undefined {
  const alike = neighbours.filter(
    ({ pattern, top, isHeader }) =>
      isHeader === candidate.isHeader &&
      pattern === candidate.pattern &&
      Math.abs(top - candidate.top) < MAX_SHIFT,
  );
  const repeats = new Set(alike.map(({ page }) => page)).size;
  if (repeats < Math.min(MIN_REPEATS, pages - 1) || pages < 2) return undefined;
  const number = PAGE_NUMBER.exec(candidate.text);
  if (number) {
    // Page numbers increase from page to page. Other repeated numbers, such as those of chapters, do not.
    const own = Number(number[3]);
    if (Number.isNaN(own)) return 'page-number';
    const grows = alike.some(
      ({ text, page }) => Number(PAGE_NUMBER.exec(text)?.[3]) - own === page - candidate.page,
    );
    return grows ? 'page-number' : undefined;
  }
  // The title of a chapter or a slide, which begins a page and differs from that of its neighbours by its
  // number.
  if (candidate.isLarge && alike.every(({ text }) => text !== candidate.text)) return undefined;
  // A line of numbers only is no running head, but for example a row of a table.
  if (!/\p{L}/u.test(candidate.pattern.replaceAll('#', ''))) return undefined;
  return candidate.isHeader ? 'header' : 'footer';
}
