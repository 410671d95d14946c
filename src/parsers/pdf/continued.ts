import { lineText } from './lines.ts';
import { joinContinuedTables } from './tables/continued.ts';
import type { Block, Line, TextBlock } from './types.ts';

const SENTENCE_END = /[.!?:;。！？…]["'”’)\]\d]*$/;
const LOWER_START = /^[\p{Ll}(“‘]/u;

/** Joins the tables and paragraphs that page breaks divide. */
export const joinContinued = (blocks: readonly Block[]): Block[] =>
  joinParagraphs(joinContinuedTables(blocks));

/** Joins a paragraph that ends without the end of a sentence with the next one, at the top of a column or page. */
export function joinParagraphs(blocks: readonly Block[]): Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const place = joined.findLastIndex(({ role, kind }) => !role && kind !== 'footnote');
    const before = joined[place];
    if (block.kind === 'paragraph' && !block.role && before?.kind === 'paragraph' && goesOn(before, block))
      joined[place] = { ...before, lines: [...before.lines, ...block.lines] };
    else joined.push(block);
  }
  return joined;
}

function goesOn(before: TextBlock, block: TextBlock): boolean {
  const isAtTop = block.page > before.page || block.top < before.top;
  if (!isAtTop || before.rightToLeft !== block.rightToLeft) return false;
  const [last, first] = [before.lines.at(-1) as Line, block.lines[0] as Line];
  if (Math.abs(last.style.size - first.style.size) > 0.08 * first.style.size) return false;
  if (before.lines.length < 2 && block.lines.length < 2) return false;
  return !SENTENCE_END.test(lineText(last)) && LOWER_START.test(lineText(first));
}
