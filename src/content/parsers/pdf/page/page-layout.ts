import { type Box, centerY, heightOf, median, unionOf } from '../boxes.ts';
import { findAlignedTable } from '../tables/aligned-table.ts';
import { splitAtColumnStarts } from '../tables/column-starts.ts';
import { findMarkedTables } from '../tables/find-tables.ts';
import { joinSectionTitles } from '../tables/section-titles.ts';
import { splitAtStrips } from '../tables/strips.ts';
import type { Block, Line, Segment, SourcePage, Word } from '../types.ts';
import { type ColumnItem, isSegment, type Placed } from './column-items.ts';
import { splitColumns } from './columns.ts';
import { entryWords, lastContentsRow } from './contents-list.ts';
import { cutAtStrips } from './cut-segments.ts';
import { GutterCounts } from './document-gutters.ts';
import { withDrawnBullets } from './drawn-bullets.ts';
import { joinDropCaps } from './drop-caps.ts';
import { withFieldValues } from './form-fields.ts';
import { toLine } from './lines.ts';
import { toTextBlocks } from './paragraphs.ts';
import { groupRows } from './rows.ts';
import { toSegments } from './segments.ts';

/**
 * Minimum length of a rule that separates content, in points. Shorter ones are underlines or belong to
 * footnotes.
 */
const MIN_CROSSING_RULE = 100;
/** Limits the time for drawings. */
const MAX_CROSSING_RULES = 100;

/**
 * Arranges the words of a page into blocks in reading order. Only positions are used here; headings are found
 * later, because they are compared with the text of the whole document.
 */
export function layoutPage(page: SourcePage, words: readonly Word[]): Block[] {
  const contents = contentsOf(page, words);
  return readContents(contents, splitColumns(contents.items));
}

/**
 * Arranges the words of the pages of a document. The gutters that several pages have are gutters of the other
 * pages, too.
 */
export function layoutPages(pages: readonly { page: SourcePage; words: readonly Word[] }[]): Block[][] {
  if (pages.length === 1) return pages.map(({ page, words }) => layoutPage(page, words));
  const contents = pages.map(({ page, words }) => contentsOf(page, words));
  const gutters = new GutterCounts();
  const columns = contents.map(({ items, page }) =>
    splitColumns(items, { onGutter: (gutter, sides) => gutters.add(page.number, gutter, sides) }),
  );
  const strips = gutters.strips(contents.map(({ items }) => items));
  return contents.map((each, place) =>
    readContents(
      each,
      strips.length > 0
        ? splitColumns(cutAtStrips(each.items, strips), { strips })
        : (columns[place] as Columns),
    ),
  );
}

type Columns = ColumnItem<Block | undefined>[][];

interface PageContents {
  page: SourcePage;
  items: ColumnItem<Block | undefined>[];
  /** Lines in another direction than the page. */
  turned: Line[];
}

/** The contents of a page that are put in reading order: parts of lines, and what is never divided. */
function contentsOf(page: SourcePage, words: readonly Word[]): PageContents {
  const { tables, rest, turned } = findMarkedTables(
    page,
    withDrawnBullets(page, withFieldValues(page, words)),
  );
  const placed = tables.map(place);
  for (const figure of page.figures)
    placed.push(place({ kind: 'figure', figure, ...boxOf(figure), page: page.number }));
  for (const annotation of page.annotations)
    placed.push(place({ kind: 'annotation', annotation, ...boxOf(annotation), page: page.number }));
  return { page, items: [...toSegments(joinDropCaps(rest)), ...placed, ...crossingRules(page)], turned };
}

const readContents = ({ page, turned }: PageContents, columns: Columns): Block[] => [
  ...columns.flatMap((column) => readColumn(column, page)),
  ...turned.map((line) => turnedBlock(line, page)),
];

/** A paragraph of text in another direction than the page. */
const turnedBlock = (line: Line, { number }: SourcePage): Block => ({
  kind: 'paragraph',
  ...boxOf(line),
  page: number,
  lines: [line],
  isTurned: true,
});

const boxOf = ({ left, top, right, bottom }: Box): Box => ({ left, top, right, bottom });
const place = (block: Block): Placed<Block> => ({ ...boxOf(block), content: block });

/** Horizontal rules as boxes without content, because columns of text end at them. */
const crossingRules = ({ rules }: SourcePage): Placed<undefined>[] =>
  rules.horizontal
    .filter(({ from, to }) => to - from > MIN_CROSSING_RULE)
    .slice(0, MAX_CROSSING_RULES)
    .map(({ at, from, to }) => ({ left: from, right: to, top: at, bottom: at, content: undefined }));

/** The rows of a column, divided into cells, and those that are titles of sections. */
function rowsOf(segments: readonly Segment[]): { rows: Segment[][]; titles: ReadonlySet<Segment[]> } {
  const { rows, titles } = joinSectionTitles(groupRows(segments));
  const divided = splitAtColumnStarts(splitAtStrips(rows.filter((row) => !titles.has(row))));
  let next = 0;
  return { rows: rows.map((row) => (titles.has(row) ? row : (divided[next++] as Segment[]))), titles };
}

/** The rows from the given one on, up to the first title. */
function sectionAt(rows: readonly Segment[][], from: number, titles: ReadonlySet<Segment[]>): Segment[][] {
  let end = from;
  while (end < rows.length && !titles.has(rows[end] as Segment[])) end++;
  return rows.slice(from, end);
}

/** The blocks of one column, from top to bottom. */
function readColumn(column: readonly ColumnItem<Block | undefined>[], page: SourcePage): Block[] {
  const blocks: Block[] = [];
  let lines: Line[] = [];
  const segments = column.filter(isSegment);
  const box = unionOf(segments);
  const flush = () => {
    blocks.push(...toTextBlocks(lines, box, page.number));
    lines = [];
  };
  const { rows, titles } = rowsOf(segments);
  let section: Segment[][] = [];
  let start = 0;
  const others = column
    .filter((item): item is Placed<Block> => !isSegment(item) && item.content !== undefined)
    .sort((a, b) => a.top - b.top);
  const lineHeight = others.length > 0 ? median(segments.map(heightOf)) : 0;
  for (let row = 0; row < rows.length; row++) {
    const cells = rows[row] as Segment[];
    const middle = others.length > 0 ? median(cells.map(centerY)) : 0;
    while (others[0] && others[0].top < middle - 0.2 * lineHeight) {
      flush();
      blocks.push((others.shift() as Placed<Block>).content);
    }
    if (titles.has(cells)) {
      lines.push(toLine(cells.flatMap(({ words }) => words)));
      continue;
    }
    const contentsEnd = lastContentsRow(rows, row, page.rules.horizontal);
    if (contentsEnd !== undefined) {
      for (const entry of rows.slice(row, contentsEnd + 1)) lines.push(toLine(entryWords(entry)));
      row = contentsEnd;
      continue;
    }
    if (row >= start + section.length) {
      section = sectionAt(rows, row, titles);
      start = row;
    }
    const table = findAlignedTable(section, row - start, page.rules.horizontal, page.number);
    if (table) {
      flush();
      blocks.push(table.block);
      row = start + table.last;
      continue;
    }
    lines.push(toLine(cells.flatMap(({ words }) => words)));
  }
  flush();
  for (const { content } of others) blocks.push(content);
  return blocks;
}
