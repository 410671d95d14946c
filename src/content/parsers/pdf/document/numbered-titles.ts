import { lineText } from '../page/lines.ts';
import { toSegments } from '../page/segments.ts';
import type { Block, Line, PdfTextBlock } from '../types.ts';

/** The number of a part of a section, and the rest of its title. */
const NUMBERED = /^(?<number>\d{1,2}(?:\.\d{1,2}){1,4})\.?\s+(?<title>(?!\p{Ll})\p{L}.*)$/u;
/** The number that a heading begins with. */
const SECTION = /^(?:\p{L}+\s)?(?<number>\d{1,2}(?:\.\d{1,2}){0,4})[.:]?(?=\s|\p{Script=Han}|$)/u;
const MAX_LENGTH = 60;
/** How a sentence ends, and an entry of the contents. */
const NO_TITLE_END = /[.,;:!?。，；：！？]$|\s\d{1,4}$/;

/**
 * Makes headings of titles in the type of the text, as small titles and those in fonts that have no bold letters
 * are: a short line whose number is the next one after that of the heading before, with text below it.
 */
export function markNumberedTitles(blocks: readonly Block[]): Block[] {
  let last: number[] = [];
  return blocks.map((block, place) => {
    if (block.kind === 'heading') {
      last = sectionNumber(block) ?? last;
      return block;
    }
    const number = titleNumber(block, blocks[place + 1]);
    if (!number || !follows(number, last)) return block;
    last = number;
    const { left, top, right, bottom, page, lines } = block as PdfTextBlock;
    return { kind: 'heading', left, top, right, bottom, page, lines };
  });
}

/** The number of a block that may be a title; undefined if it is none. */
function titleNumber(block: Block, next: Block | undefined): number[] | undefined {
  if (block.role || block.kind !== 'paragraph' || block.lines.length > 1 || block.isTurned) return undefined;
  if (!next || next.page !== block.page || next.top < block.bottom) return undefined;
  const text = textOf(block);
  if (text.length > MAX_LENGTH || NO_TITLE_END.test(text)) return undefined;
  if (toSegments((block.lines[0] as Line).words.slice(1)).length > 1) return undefined;
  // Lines with numbers below each other are a list.
  if ('lines' in next && next.kind !== 'heading' && numberIn(NUMBERED, lineText(next.lines[0] as Line)))
    return undefined;
  return numberIn(NUMBERED, text);
}

/** The parts of the number of a section that a heading begins with; undefined if it has none. */
export const sectionNumber = (heading: PdfTextBlock) => numberIn(SECTION, textOf(heading));

const textOf = ({ lines }: PdfTextBlock) => lines.map(lineText).join(' ');

const numberIn = (pattern: RegExp, text: string) =>
  pattern.exec(text)?.groups?.number?.split('.').map(Number);

/** Whether a number is that of the first part of a section, or of the next part of it or of one around it. */
function follows(number: readonly number[], last: readonly number[]): boolean {
  const depth = number.length - 1;
  if (depth > last.length || !number.slice(0, depth).every((part, place) => part === last[place]))
    return false;
  return number[depth] === (last[depth] ?? 0) + 1;
}
