import { overlapX } from '../boxes.ts';
import { lineText } from '../page/lines.ts';
import { joinContinuedTables } from '../tables/continued-tables.ts';
import type { Block, Line, PdfListItem, PdfTextBlock } from '../types.ts';
import { joinLists } from './continued-lists.ts';

const SENTENCE_END = /[.!?:;。！？…]["'”’)\]\d]*$/;
const LOWER_START = /^[\p{Ll}(“‘]/u;

/** Joins the parts of tables, lists and paragraphs that continue on the next page. */
export const joinContinued = (blocks: readonly Block[]): Block[] =>
  joinLists(joinParagraphs(joinContinuedTables(blocks)));

/**
 * Joins a paragraph or an item that ends in the middle of a sentence with the paragraph at the top of the next column or
 * page.
 */
export function joinParagraphs(blocks: readonly Block[]): Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const place = joined.findLastIndex(({ role, kind }) => !role && kind !== 'footnote');
    const before = joined[place];
    if (
      block.kind === 'paragraph' &&
      !block.role &&
      (before?.kind === 'paragraph' || before?.kind === 'item') &&
      continuesIn(before, block)
    )
      joined[place] = { ...before, lines: [...before.lines, ...block.lines] };
    else if (block.kind === 'code' && before?.kind === 'code' && isNextPart(before, block)) {
      // The same column of the next page is at the same place.
      const shift = overlapX(block, before) > 0 ? 0 : columnLeft(block, blocks) - columnLeft(before, blocks);
      const lines = block.lines.map((line) => shifted(line, shift));
      joined[place] = { ...before, lines: [...before.lines, ...lines], page: block.page };
    } else joined.push(block);
  }
  return joined;
}

/**
 * Whether code goes on at the top of the next column or page, where it is not indented less than in the same
 * column of the page before.
 */
function isNextPart(before: PdfTextBlock, block: PdfTextBlock): boolean {
  if (block.page === before.page) return block.top < before.top && block.left > before.right;
  return block.page === before.page + 1 && (block.left > before.left - 1 || block.right < before.left);
}

/** Maximum distance of code from the left edge of its column, in points. */
const MAX_INDENT = 80;

/** The left edge of the column that code is in, as far as other text shows it. */
const columnLeft = ({ page, left }: PdfTextBlock, blocks: readonly Block[]): number =>
  Math.min(
    left,
    ...blocks
      .filter((block) => block.page === page && !block.role && left - block.left < MAX_INDENT)
      .map((block) => block.left),
  );

/** A line where it would be in another column, so that its indentation can be compared with that of others. */
const shifted = (line: Line, shift: number): Line => ({
  ...line,
  left: line.left - shift,
  right: line.right - shift,
  words: line.words.map((word) => ({ ...word, left: word.left - shift, right: word.right - shift })),
});

function continuesIn(before: PdfTextBlock | PdfListItem, block: PdfTextBlock): boolean {
  const isAtTop = block.page > before.page || block.top < before.top;
  if (!isAtTop || (before.kind === 'paragraph' && before.rightToLeft !== block.rightToLeft)) return false;
  const [last, first] = [before.lines.at(-1) as Line, block.lines[0] as Line];
  if (Math.abs(last.style.size - first.style.size) > 0.08 * first.style.size) return false;
  if (before.lines.length < 2 && block.lines.length < 2) return false;
  return !SENTENCE_END.test(lineText(last)) && LOWER_START.test(lineText(first));
}
