import { heightOf, widthOf } from '../boxes.ts';
import { lineText } from '../page/lines.ts';
import type { Block, Line } from '../types.ts';

/** A block as the option `blocks` of the PDF parser returns it. */
export interface OutputBlock {
  /** `p<page>.b<index>`, with the page counted from 1 and the block on the page from 0. */
  id: string;
  type: string;
  /** Left, top, right and bottom as fractions (0 to 1) of the width and height of the page. */
  bbox: [number, number, number, number];
  content: string;
  readingOrder: number;
  source: 'native_text' | 'ocr';
  /** How sure OCR is of the text, from 0 to 1: the mean of its characters. `null` for text of the file. */
  ocrConfidence: number | null;
}

/**
 * Converts the blocks of a page for the API.
 * @param page.number counted from 1
 * @param page.recognised whether OCR was used for the page
 */
export function toOutputBlocks(
  blocks: readonly Block[],
  {
    number,
    width,
    height,
    recognised,
  }: { number: number; width: number; height: number; recognised: boolean },
): OutputBlock[] {
  const share = (value: number, whole: number) =>
    Math.round(Math.min(1, Math.max(0, value / whole)) * 10_000) / 10_000;
  return blocks
    .filter((block) => widthOf(block) >= 0 && heightOf(block) >= 0)
    .map((block, place) => ({
      ...originOf(block, recognised),
      id: `p${number}.b${place}`,
      type: typeOf(block),
      bbox: [
        share(block.left, width),
        share(block.top, height),
        share(block.right, width),
        share(block.bottom, height),
      ],
      content: textOf(block),
      readingOrder: place,
    }));
}

/** Where the text of a block comes from. A page on which OCR found nothing keeps the text of the file. */
function originOf(block: Block, recognised: boolean): Pick<OutputBlock, 'source' | 'ocrConfidence'> {
  const words = linesOf(block).flatMap((line) => line.words);
  let characters = 0;
  let sum = 0;
  for (const { text, confidence } of words) {
    if (confidence === undefined) continue;
    characters += text.length;
    sum += confidence * text.length;
  }
  const isOcr = words.length ? characters > 0 : recognised;
  return {
    source: isOcr ? 'ocr' : 'native_text',
    ocrConfidence: characters ? Math.round((sum / characters) * 1000) / 1000 : null,
  };
}

function linesOf(block: Block): Line[] {
  if ('lines' in block) return block.lines;
  return block.kind === 'table' ? block.rows.flat().flatMap(({ lines }) => lines) : [];
}

const ROLE_TYPES = { header: 'page_header', footer: 'page_footer', 'page-number': 'page_number' } as const;

function typeOf(block: Block): string {
  if (block.role) return ROLE_TYPES[block.role];
  switch (block.kind) {
    case 'heading':
      return block.level === 1 ? 'title' : 'section_header';
    case 'item':
      return 'list_item';
    case 'paragraph':
      return 'text';
    default:
      return block.kind;
  }
}

function textOf(block: Block): string {
  if ('lines' in block) return block.lines.map(lineText).join(block.kind === 'code' ? '\n' : ' ');
  if (block.kind === 'table')
    return block.rows
      .map((row) => row.map(({ lines }) => lines.map(lineText).join(' ')).join('\t'))
      .join('\n');
  if (block.kind === 'annotation') return block.annotation.text;
  return block.kind === 'figure' ? (block.figure.alt ?? '') : '';
}
