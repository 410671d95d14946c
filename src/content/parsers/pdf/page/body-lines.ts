import { centerY, heightOf } from '../boxes.ts';
import { contentIds, outermost } from '../document/tag-tree.ts';
import type { Block, Line, SourcePage, Word } from '../types.ts';
import { type EdgeLine, patternOf } from './edge-lines.ts';
import { lineText, toLine } from './lines.ts';
import { listMarker } from './lists.ts';
import { layoutPage } from './page-layout.ts';
import { groupRows } from './rows.ts';
import { toSegments } from './segments.ts';

/** Maximum difference of the sizes of two lines of the same kind, as a share of their size. */
const MAX_SIZE_STEP = 0.08;
/** Distance from a line within which the page is laid out, as a multiple of the line's height. */
const NEAR = 16;
/** Maximum distance of a row of a table from the next row, as a multiple of the distances after it. */
const MAX_ROW_STEP = 1.4;
/** The same of a line of a paragraph. */
const MAX_LINE_STEP = 1.25;
/** Number of rows beside a line whose distances it is compared with. */
const COMPARED_ROWS = 4;

/** Limits the time for pages with many words that begin a line at an edge. */
const MAX_COMPARED = 30;

/**
 * Whether a line like the given one, but for its numbers, stands alone among other words, as the rows of a
 * table and the items of a list do.
 * @param words those of a page without the lines at its edges that are compared
 */
export function occursIn(words: readonly Word[], line: EdgeLine): boolean {
  const first = line.words.find(({ text }) => /\p{L}/u.test(text));
  if (!first) return false;
  const { size, bold } = first.style;
  const start = patternOf(first.text);
  let compared = 0;
  for (const word of words) {
    if (word.text.length !== first.text.length && !/\d/.test(word.text)) continue;
    const { style } = word;
    if (style.bold !== bold || Math.abs(style.size - size) >= MAX_SIZE_STEP * size) continue;
    if (patternOf(word.text) !== start) continue;
    if (rowsWith(word, words).some((row) => patternOf(row) === line.pattern)) return true;
    if (++compared >= MAX_COMPARED) return false;
  }
  return false;
}

/** The texts of the whole row of a word and of its segment. */
function rowsWith(word: Word, words: readonly Word[]): string[] {
  const middle = centerY(word);
  const row = words
    .filter(({ top, bottom }) => top < middle && bottom > middle)
    .sort((a, b) => a.left - b.left);
  const segment = toSegments(row).find((each) => each.words.includes(word));
  return [row, ...(segment ? [segment.words] : [])].map((each) => lineText(toLine(each)));
}

/**
 * Whether a line at the edge of a page is a row of a table, an item of a list or a line of a paragraph that
 * goes on in the lines next to it.
 * @param words the words of the page that are no running heads
 */
export function continuesBody(line: EdgeLine, page: SourcePage, words: readonly Word[]): boolean {
  if (isTaggedAsCell(line, page)) return true;
  const reach = NEAR * heightOf(line);
  const near = words.filter(({ top, bottom }) =>
    line.isHeader
      ? top < line.bottom + reach && bottom > line.bottom
      : bottom > line.top - reach && top < line.top,
  );
  const rows = groupRows(near).map(toLine);
  if (!line.isHeader) rows.reverse();
  const [next] = rows;
  if (!next || rows.length < 2) return false;
  const step = Math.abs(centerY(next) - centerY(line));
  const steps = rows
    .slice(1, COMPARED_ROWS)
    .map((row, place) => Math.abs(centerY(row) - centerY(rows[place] as Line)));
  const segments = toSegments(line.words);
  if (segments.length === 1 && isLineOfParagraph(line, rows, step, steps)) return true;
  const mayBeRow = segments.length > 1 || page.rules.horizontal.length > 1;
  if (!mayBeRow && !listMarker(line, line.text)) return false;
  if (step > MAX_ROW_STEP * Math.max(...steps)) return false;
  return isInTableOrList(line, near, page);
}

/**
 * Whether a line stands as close to the next ones as they do to each other, at their edge and in their style.
 */
function isLineOfParagraph(
  line: EdgeLine,
  [next, after]: readonly Line[],
  step: number,
  steps: readonly number[],
): boolean {
  if (!next || !after) return false;
  const { size, bold } = line.style;
  return (
    step < MAX_LINE_STEP * Math.min(...steps) &&
    [next, after].every(
      ({ left, style }) =>
        Math.abs(left - line.left) < size &&
        style.bold === bold &&
        Math.abs(style.size - size) < MAX_SIZE_STEP * size,
    )
  );
}

/** Whether a line is in a cell of a table by the tags of its page. */
function isTaggedAsCell({ words }: EdgeLine, { tags }: SourcePage): boolean {
  if (tags.length === 0) return false;
  const ids = new Set(outermost(tags, 'Table').flatMap((table) => contentIds(table)));
  return words.some(({ mcid }) => mcid !== undefined && ids.has(mcid));
}

/** Whether a line and the words next to it are laid out as one table, or as items of one list. */
function isInTableOrList(line: EdgeLine, near: readonly Word[], page: SourcePage): boolean {
  const own = new Set(line.words);
  const alone = { ...page, turnedWords: [], figures: [], annotations: [], fields: [], tags: [] };
  const blocks = layoutPage(alone, [...line.words, ...near]);
  const has = (block: Block, isOwn: boolean) => wordsOf(block).some((word) => own.has(word) === isOwn);
  const place = blocks.findIndex((block) => has(block, true));
  const block = blocks[place];
  if (block?.kind === 'item')
    return [blocks[place - 1], blocks[place + 1]].some((beside) => beside?.kind === 'item');
  return block?.kind === 'table' && has(block, false);
}

function wordsOf(block: Block): Word[] {
  if ('lines' in block) return block.lines.flatMap(({ words }) => words);
  return block.kind === 'table'
    ? block.rows.flat().flatMap(({ lines }) => lines.flatMap(({ words }) => words))
    : [];
}
