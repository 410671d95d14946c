import { isSpaced } from '../page/lines.ts';
import { inLogicalOrder } from '../page/logical-order.ts';
import { isRightToLeft } from '../page/text-direction.ts';
import type { Block, Line, PdfTextBlock, TableBlock } from '../types.ts';

const LETTER = /\p{L}/u;

/**
 * Blocks whose tables have the cells of a row in reading order: from the right in a table whose text runs from
 * right to left, and in a table of numbers among such text.
 */
export function withTablesInReadingOrder(blocks: readonly Block[]): Block[] {
  const paragraphs = blocks.filter((block): block is PdfTextBlock => block.kind === 'paragraph');
  const isAmong = paragraphs.filter(({ rightToLeft }) => rightToLeft).length * 2 > paragraphs.length;
  return blocks.map((block) => {
    if (block.kind !== 'table') return block;
    const words = block.rows.flat().flatMap(({ lines }) => lines.flatMap((line) => line.words));
    const isReversed = isRightToLeft(words) || (isAmong && !words.some(({ text }) => LETTER.test(text)));
    return isReversed ? fromRight(block) : block;
  });
}

const fromRight = (table: TableBlock): TableBlock => ({
  ...table,
  rightToLeft: true,
  rows: table.rows.map((row) =>
    row.map((cell) => ({ ...cell, lines: cell.lines.map(lineFromRight) })).reverse(),
  ),
});

/** A line without letters, such as a price, in the order of text from right to left. */
const lineFromRight = (line: Line): Line =>
  line.words.some(({ text }) => LETTER.test(text))
    ? line
    : { ...line, words: inLogicalOrder(line.words, true, isSpaced) };
