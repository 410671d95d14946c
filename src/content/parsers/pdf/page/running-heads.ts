import { unionOf } from '../boxes.ts';
import type { PageRole, PdfTextBlock, SourcePage, Word } from '../types.ts';
import { continuesBody, occursIn } from './body-lines.ts';
import { type EdgeLine, edgeLines, PAGE_NUMBER } from './edge-lines.ts';
import { equallyNumbered } from './numbered-heads.ts';
import { markOnlyPlaces } from './only-places.ts';

/** Number of other pages on which a running head must be repeated at the same height. */
const MIN_REPEATS = 2;
/** Number of pages before and after a page that are compared with it. */
const REACH = 3;
/** Maximum difference of the heights in points. */
const MAX_SHIFT = 4;
/** Number of lines at one edge that are compared with the body, each of which takes the time of a layout. */
const MAX_CONTINUED = 8;

/** Header and footer lines of a page, and its other words. */
export interface RunningHeads {
  header: PdfTextBlock[];
  footer: PdfTextBlock[];
  words: Word[];
}

/** A line that neighbouring pages repeat, with the lines of these. */
interface RepeatedLine {
  line: EdgeLine;
  role: PageRole;
  alike: EdgeLine[];
  /** Whether the number of the page is at its end. */
  isNumbered?: boolean;
}

/**
 * Finds lines at the top or bottom of pages that neighbouring pages repeat. Only the numbers in them may
 * differ, and no line of the body may be between them and the edge of the page. Rows of tables, items of
 * lists and lines of paragraphs stay in the body. Where most pages have nothing else, such lines are their
 * text.
 */
export function findRunningHeads(pages: readonly SourcePage[]): RunningHeads[] {
  const heads = findRepeatedLines(pages);
  const isText = heads.filter(isNothingElse).length > pages.length / 2;
  return isText ? pages.map(withoutHeads) : markOnlyPlaces(heads);
}

const withoutHeads = ({ words }: SourcePage): RunningHeads => ({ header: [], footer: [], words });

/** Whether a page has words, but only in running heads that are more than its number. */
const isNothingElse = ({ header, footer, words }: RunningHeads) =>
  words.length === 0 && [...header, ...footer].some(({ role }) => role !== 'page-number');

function findRepeatedLines(pages: readonly SourcePage[]): RunningHeads[] {
  if (pages.length < 2) return pages.map(withPrintedNumber);
  const sides = pages.map(edgeLines);
  const repeated = pages.map((_, place) =>
    (['top', 'bottom'] as const).map((side) => {
      const around = sides.slice(Math.max(0, place - REACH), place + REACH + 1).flatMap((each) => each[side]);
      return repeatedLines((sides[place] as (typeof sides)[number])[side], around, pages.length);
    }),
  );
  const body = bodyLines(pages, repeated);
  return pages.map((page, place) => {
    const [top = [], bottom = []] = (repeated[place] ?? []).map((lines) => untilBody(lines, body));
    const taken = new Set([...top, ...bottom].flatMap(({ line }) => line.words));
    return {
      header: top.map(toBlock),
      // The lines of a side are given from the edge of the page inwards.
      footer: bottom.reverse().map(toBlock),
      words: taken.size > 0 ? page.words.filter((word) => !taken.has(word)) : page.words,
    };
  });
}

/**
 * The only page of a document, which has no other to compare it with: its outermost line is its number if it
 * says so, such as `Page 1` or `1 / 1`.
 */
function withPrintedNumber(page: SourcePage): RunningHeads {
  const { top, bottom } = edgeLines(page);
  const line = [bottom[0], top[0]].find((each) => each !== undefined && saysPage(each));
  const words = page.words.filter((word) => !line?.words.includes(word));
  if (!line || words.length === 0) return withoutHeads(page);
  const block = toBlock({ line, role: 'page-number', alike: [] });
  return { header: line.isHeader ? [block] : [], footer: line.isHeader ? [] : [block], words };
}

/** Whether a line is the number of its page, with a word for it or with the number of pages. */
function saysPage({ text, page }: EdgeLine): boolean {
  const [, , word, number, total] = PAGE_NUMBER.exec(text) ?? [];
  return number === String(page) && (word !== undefined || total !== undefined);
}

/** The lines at one edge of a page up to the first one that is not repeated. */
function repeatedLines(
  lines: readonly EdgeLine[],
  around: readonly EdgeLine[],
  pages: number,
): RepeatedLine[] {
  const found: RepeatedLine[] = [];
  for (const line of lines) {
    const alike = around.filter(
      ({ page, pattern, top }) =>
        page !== line.page && pattern === line.pattern && Math.abs(top - line.top) < MAX_SHIFT,
    );
    const isNumbered = line.pattern !== '' && isRepeated(equallyNumbered(line, around, MAX_SHIFT), pages);
    const role = isNumbered ? sideOf(line) : roleOf(line, alike, pages);
    if (!role) break;
    found.push({ line, role, alike, isNumbered });
  }
  return found;
}

/** The lines that belong to the text between the edges of their page, or whose like on another page does. */
function bodyLines(
  pages: readonly SourcePage[],
  repeated: readonly (readonly RepeatedLine[][])[],
): Set<EdgeLine> {
  const body = new Set<EdgeLine>();
  const rest = pages.map(({ words }, place) => {
    const taken = new Set((repeated[place] ?? []).flat().flatMap(({ line }) => line.words));
    return taken.size > 0 ? words.filter((word) => !taken.has(word)) : words;
  });
  for (const [place, page] of pages.entries()) {
    const around = rest.slice(Math.max(0, place - 1), place + 2);
    for (const side of repeated[place] as RepeatedLine[][])
      for (const { line, alike } of linesOfBody(side, { page, words: rest[place] as Word[], around }))
        for (const each of [line, ...alike]) body.add(each);
  }
  return body;
}

interface PageBody {
  page: SourcePage;
  /** The words of the page that no other page repeats. */
  words: readonly Word[];
  /** Those of this page and of its neighbours. */
  around: readonly (readonly Word[])[];
}

/** The repeated lines at one edge of a page that belong to its body. */
function linesOfBody(side: readonly RepeatedLine[], { page, words, around }: PageBody): RepeatedLine[] {
  const found: RepeatedLine[] = [];
  // The innermost line is next to the body. Only where it belongs to that can the line beside it do so, too.
  const next = [...words];
  let isNext = true;
  for (const repeated of [...side].reverse()) {
    const { line, role, isNumbered } = repeated;
    if (role === 'page-number' || isNumbered) continue;
    isNext =
      around.some((other) => occursIn(other, line)) ||
      (isNext && found.length < MAX_CONTINUED && continuesBody(line, page, next));
    if (!isNext) continue;
    found.push(repeated);
    next.push(...line.words);
  }
  return found;
}

/** The lines from the edge of the page up to the first one that belongs to the body. */
function untilBody(lines: readonly RepeatedLine[], body: ReadonlySet<EdgeLine>): RepeatedLine[] {
  const end = lines.findIndex(({ line }) => body.has(line));
  return end === -1 ? [...lines] : lines.slice(0, end);
}

const toBlock = ({ line, role }: RepeatedLine): PdfTextBlock => ({
  kind: 'paragraph',
  ...unionOf(line.words),
  page: line.page,
  lines: [line],
  role,
});

/** Whether the lines like one are on enough other pages. */
const isRepeated = (alike: readonly EdgeLine[], pages: number) =>
  new Set(alike.map(({ page }) => page)).size >= Math.min(MIN_REPEATS, pages - 1);

function roleOf(line: EdgeLine, alike: readonly EdgeLine[], pages: number): PageRole | undefined {
  if (line.pattern === '' || !isRepeated(alike, pages)) return undefined;
  const number = PAGE_NUMBER.exec(line.text);
  if (number) {
    // Page numbers increase from page to page. Other repeated numbers, such as those of chapters, do not.
    const own = Number(number[3]);
    if (Number.isNaN(own)) return 'page-number';
    const grows = alike.some(
      ({ text, page }) => Number(PAGE_NUMBER.exec(text)?.[3]) - own === page - line.page,
    );
    return grows ? 'page-number' : undefined;
  }
  // The title of a chapter or a slide, which begins a page and differs from that of its neighbours by its
  // number.
  if (line.isLarge && alike.every(({ text }) => text !== line.text)) return undefined;
  // A line of numbers only is no running head, but for example a row of a table.
  if (!/\p{L}/u.test(line.pattern.replaceAll('#', ''))) return undefined;
  return sideOf(line);
}

const sideOf = ({ isHeader }: EdgeLine): PageRole => (isHeader ? 'header' : 'footer');
