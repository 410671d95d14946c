import type { Block, Line, PdfTextBlock, Word } from '../types.ts';
import type { BodyStyle } from './headings.ts';

const MARK = /^(\d{1,3}|[*†‡§¶]{1,3})$/;

/** Finds footnotes: paragraphs in small type that begin with a mark to which text on the same page refers. */
export function findPrintedFootnotes(blocks: readonly Block[], body: BodyStyle): Block[] {
  const referred = new Set<string>();
  for (const block of blocks)
    if ('lines' in block)
      for (const line of block.lines)
        for (const word of line.words)
          if (isReference(word, line)) referred.add(`${block.page} ${word.text}`);
  if (referred.size === 0) return [...blocks];
  return blocks.map((block): Block => {
    if ((block.kind !== 'paragraph' && block.kind !== 'item') || block.role) return block;
    const first = block.lines[0] as Line;
    const mark = first.words[0]?.text.replace(/[.)]$/, '') ?? '';
    if (!MARK.test(mark) || !referred.has(`${block.page} ${mark}`)) return block;
    if (first.style.size > 0.95 * body.size || first.words.length < 2) return block;
    const { left, top, right, bottom, page, lines } = block;
    return { kind: 'footnote', left, top, right, bottom, page, lines, mark } satisfies PdfTextBlock;
  });
}

/** Whether a word is a superscript footnote mark inside a line. */
export function isReference(word: Word, line: Line): boolean {
  if (!MARK.test(word.text) || word.style.size > 0.8 * line.style.size || word === line.words[0])
    return false;
  return word.bottom < line.bottom - 0.15 * line.style.size;
}
