import { type Box, heightOf, median, unionOf } from '../boxes.ts';
import type { Rule, Segment, Word } from '../types.ts';

/** Minimum number of entries with a page number, so that a few short lines are no contents. */
const MIN_ENTRIES = 5;
/**
 * Minimum share of the rows that end with a page number. The others are parts of long titles, or lost their
 * number.
 */
const MIN_SHARE = 0.7;
/** Maximum number of rows in succession without a page number. */
const MAX_ROWS_WITHOUT = 2;
/** Number of rows above the entries among which their heading can be. */
const HEADING_ROWS = 3;
const HEADING = /^(?:table of )?contents:?$/i;
const MAX_NUMBER_LENGTH = 6;
const PAGE_NUMBER = /^(?:\d{1,4}|[ivxlc]{1,6})$/i;
/** What is left of a row of dots, of which liteparse drops all that follow each other. */
const LEADER = /^[.…]+$/;
/** Minimum number of rows with a dot of a leader, or with the number of a part of a section. */
const MIN_LED = 2;
const SECTION = /^(?:\d{1,3}|[A-Z])(?:\.\d{1,3})*\.?$/;
const PART_OF_SECTION = /^(?:\d{1,3}|[A-Z])\.\d{1,3}/;
/** Maximum distance of aligned edges, as a multiple of the line height. */
const MAX_SHIFT = 0.5;

/**
 * Finds the end of a table of contents whose page numbers are apart from the titles, because it has no dot
 * leaders or OCR did not recognise them. Its rows look like those of a table with two columns. They are
 * entries if the page numbers ascend, and the heading says so, the numbers are where the leaders left them: at
 * no common position, some have a dot of their leaders, or the rows begin with the numbers of sections.
 * @param rows all rows of a column of the page
 * @param from index of the row at which the entries must begin
 * @param rules horizontal rules, which tables have between their rows
 * @returns the index of the last entry; undefined if no table of contents begins at the row
 */
export function lastContentsRow(
  rows: readonly Segment[][],
  from: number,
  rules: readonly Rule[],
): number | undefined {
  if (!pageNumberOf(rows[from])) return undefined;
  let [last, page, entries] = [from, 0, 0];
  for (let place = from; place < rows.length && place - last <= MAX_ROWS_WITHOUT + 1; place++) {
    const row = rows[place] as Segment[];
    const number = pageNumberOf(row);
    if (!number && row.length > 1) break;
    if (!number) continue;
    // Roman numbers are those of the pages before the first one.
    const next = Number(number) || 0;
    if (next < page) break;
    page = next;
    last = place;
    entries++;
  }
  const found = rows.slice(from, last + 1);
  if (entries < MIN_ENTRIES || entries < MIN_SHARE * found.length) return undefined;
  const { top, bottom } = unionOf(found.flat());
  if (rules.some(({ at }) => at > top && at < bottom)) return undefined;
  const above = rows.slice(Math.max(0, from - HEADING_ROWS), from);
  const isContents =
    above.some((row) => HEADING.test(textOf(row))) ||
    isRagged(found) ||
    haveLeaders(found) ||
    areNumbered(found);
  return isContents ? last : undefined;
}

/** Whether some rows have what is left of a row of dots before the page number, where tables have no dot. */
const haveLeaders = (rows: readonly Segment[][]) =>
  rows.filter((row) => row.length > 1 && LEADER.test(row.at(-1)?.words.at(-2)?.text ?? '')).length >= MIN_LED;

/** Whether the rows begin with the numbers of sections, some of them with those of parts of sections. */
function areNumbered(rows: readonly Segment[][]): boolean {
  const numbers = rows.map((row) => row[0]?.words[0]?.text ?? '');
  return (
    numbers.every((number) => SECTION.test(number)) &&
    numbers.filter((number) => PART_OF_SECTION.test(number)).length >= MIN_LED
  );
}

/** The words of an entry, without what is left of the dots before its number. */
export const entryWords = (row: readonly Segment[]): Word[] =>
  row.flatMap(({ words }, place) =>
    place > 0 && place === row.length - 1 ? words.filter(({ text }) => !LEADER.test(text)) : words,
  );

const textOf = (row: readonly Segment[]) =>
  row.flatMap(({ words }) => words.map(({ text }) => text)).join(' ');

/** The page number at the end of a row; undefined if it has none, or no title before it. */
function pageNumberOf(row: readonly Segment[] | undefined): string | undefined {
  const text = row?.at(-1)?.words.at(-1)?.text ?? '';
  if (!row || text.length > MAX_NUMBER_LENGTH || !PAGE_NUMBER.test(text)) return undefined;
  const isAlone = row
    .at(-1)
    ?.words.slice(0, -1)
    .every((word) => LEADER.test(word.text));
  const isApart = row.length > 1;
  if (isApart !== isAlone || row.length > 3) return undefined;
  // A row of three begins with the number of the chapter.
  if (row.length === 3 && (row[0] as Segment).words.length > 1) return undefined;
  return /\p{L}/u.test(textOf(row).slice(0, -text.length)) ? text : undefined;
}

/** Whether the page numbers that are apart from their titles neither begin nor end at one position. */
function isRagged(rows: readonly Segment[][]): boolean {
  const numbers = rows.flatMap((row) => (row.length > 1 ? (row.at(-1) as Segment) : []));
  if (numbers.length < MIN_ENTRIES) return false;
  const shift = MAX_SHIFT * median(numbers.map(heightOf));
  const edges = [
    ({ left }: Box) => left,
    ({ right }: Box) => right,
    ({ left, right }: Box) => (left + right) / 2,
  ];
  return edges.every((edge) => {
    const usual = median(numbers.map(edge));
    return numbers.filter((number) => Math.abs(edge(number) - usual) < shift).length < 0.5 * numbers.length;
  });
}
