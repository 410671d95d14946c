import type { OfficeBlock } from './model.ts';
import { type SourceParagraph, visibleText } from './source/source-paragraphs.ts';

/**
 * Splits a code block into those that it has been joined from. Where a paragraph of the source has line
 * breaks, each paragraph is a block of its own; otherwise each is a line of one block.
 * @param paragraphs the paragraphs of the block in the source
 * @returns blocks with the indentation of their first lines, which the document model loses
 */
export function splitCodeBlock(block: OfficeBlock, paragraphs: readonly SourceParagraph[]): OfficeBlock[] {
  const texts = paragraphs.map(({ runs }) => runs.map(({ text }) => text).join(''));
  const indentation = /^[ \t]*(?=\S)/.exec(texts[0] ?? '')?.[0] ?? '';
  const text = `${indentation}${(block.text ?? '').replace(/^[ \t]+/, '')}`;
  if (!texts.some((text) => text.trim().includes('\n'))) return [{ ...block, text }];
  const lines = text.split('\n');
  return texts.flatMap((source) => {
    const wanted = visibleText(source);
    let [taken, seen] = [0, ''];
    while (seen.length < wanted.length && taken < lines.length) seen += visibleText(lines[taken++] ?? '');
    const part = lines.splice(0, taken).join('\n');
    return part.trim() === '' ? [] : [{ ...block, text: part.replace(/^\n+|\n+$/g, '') }];
  });
}
