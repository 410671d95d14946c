import type { Block, Line, PdfTextBlock, Word } from '../types.ts';
import { wordPart } from '../word-part.ts';
import type { BodyStyle } from './headings.ts';

const MARK = /^(\d{1,3}|[*†‡§¶]{1,3})$/;
/** The mark at the beginning of a note, also where the note touches it. */
const NOTE_MARK = /^(\d{1,3}|[*†‡§¶]{1,3})(?=[.)]?$|[\p{Lu}“"'‘([])/u;
/** A word whose last characters are a mark, with the punctuation that stands between the two. */
const MARKED_WORD = /^(.*\p{L})([.,;:!?)\]"”’]*)(\d{1,3}|[*†‡§¶]{1,3})$/u;
/**
 * Minimum number of characters of a word that ends with punctuation before its mark: `p.2` and `Fig.2` have
 * no mark.
 */
const MIN_SENTENCE_WORD = 5;
/**
 * How much higher than the other words of its line a word with a raised mark is, as a share of the font size.
 */
const MIN_RISE = 0.01;
/**
 * Font size of a raised mark, its height above the baseline, and its width for each character, as shares of
 * the font size.
 */
const MARK_SIZE = 0.6;
const MARK_RISE = 0.35;
const MARK_WIDTH = 0.33;

/** Finds footnotes: paragraphs in small type that begin with a mark to which text on the same page refers. */
export function findPrintedFootnotes(blocks: readonly Block[], body: BodyStyle): Block[] {
  const notes = new Map<Block, string>();
  for (const block of blocks) {
    const mark = noteMark(block, body);
    if (mark) notes.set(block, mark);
  }
  if (notes.size === 0) return [...blocks];
  const marks = new Set(Array.from(notes, ([{ page }, mark]) => `${page} ${mark}`));
  const separated = blocks.map((block) =>
    notes.has(block) || !('lines' in block) ? block : withSeparateMarks(block, marks),
  );
  const referred = new Set<string>();
  for (const block of separated)
    if ('lines' in block)
      for (const line of block.lines)
        for (const word of line.words)
          if (isReference(word, line)) referred.add(`${block.page} ${word.text}`);
  return separated.map((block): Block => {
    const mark = notes.get(block);
    if (!mark || !('lines' in block) || !referred.has(`${block.page} ${mark}`)) return block;
    const { left, top, right, bottom, page, lines } = block;
    return { kind: 'footnote', left, top, right, bottom, page, lines, mark } satisfies PdfTextBlock;
  });
}

/** The mark of a block that can be a footnote by its type and its beginning. */
function noteMark(block: Block, body: BodyStyle): string | undefined {
  if ((block.kind !== 'paragraph' && block.kind !== 'item') || block.role) return undefined;
  const { words, style } = block.lines[0] as Line;
  const text = words[0]?.text ?? '';
  const mark = NOTE_MARK.exec(text)?.[1];
  if (!mark || style.size > 0.95 * body.size) return undefined;
  const hasText = words.length > 1 || text.length > mark.length + 1;
  return hasText ? mark : undefined;
}

/** Separates the marks of footnotes from the words that they touch, which PDFium reads as one word. */
function withSeparateMarks<B extends Block & { lines: Line[] }>(block: B, marks: ReadonlySet<string>): B {
  const lines = block.lines.map((line): Line => {
    const words = line.words.flatMap((word) => {
      const mark = MARKED_WORD.exec(word.text)?.[3];
      const isMarked = mark && marks.has(`${block.page} ${mark}`) && hasRaisedMark(word, line);
      return isMarked ? separateMark(word, mark) : [word];
    });
    return words.length === line.words.length ? line : { ...line, words };
  });
  return { ...block, lines };
}

/**
 * Whether a word that ends like a mark has one: it is higher than the words beside it, or a mark follows the
 * end of a sentence. A mark that is very small does not make its word higher, and PDFium does not report its
 * size.
 */
function hasRaisedMark(word: Word, { words }: Line): boolean {
  const [, start = '', punctuation] = MARKED_WORD.exec(word.text) ?? [];
  if (punctuation && start.length >= MIN_SENTENCE_WORD) return true;
  const others = words.filter(({ style, text }) => style === word.style && !MARKED_WORD.test(text));
  return others.length > 0 && others.every(({ top }) => word.top < top - MIN_RISE * word.style.size);
}

function separateMark(word: Word, mark: string): [Word, Word] {
  const { size } = word.style;
  const left = word.right - MARK_WIDTH * size * mark.length;
  const bottom = word.bottom - MARK_RISE * size;
  const style = { ...word.style, size: MARK_SIZE * size };
  return [
    { ...wordPart(word, 0, word.text.length - mark.length), right: left },
    { ...wordPart(word, word.text.length - mark.length), left, bottom, top: bottom - style.size, style },
  ];
}

/** Whether a word is a superscript footnote mark inside a line. */
export function isReference(word: Word, line: Line): boolean {
  if (!MARK.test(word.text) || word === line.words[0]) return false;
  const { size } = line.style;
  // PDFium reports the size of the first word for a whole run, so a mark that is clearly raised can have any
  // size.
  const rise = word.style.size > 0.8 * size ? 0.3 : 0.15;
  return word.bottom < line.bottom - rise * size && !isNumerator(word, line);
}

/** Whether a number stands above another word of its line, as in a fraction. */
const isNumerator = (number: Word, { words }: Line) =>
  words.some(
    (word) =>
      word !== number &&
      word.top >= number.bottom - 0.3 * (number.bottom - number.top) &&
      Math.min(word.right, number.right) - Math.max(word.left, number.left) >
        0.5 * Math.min(word.right - word.left, number.right - number.left),
  );
