import { unionOf } from '../boxes.ts';
import { lineLength, lineText } from '../page/lines.ts';
import { isAllBold, isAllItalic, isMonospaced } from '../page/paragraphs.ts';
import type { Block, Line, PdfListItem, PdfTextBlock, TextStyle } from '../types.ts';
import { findContentsEntries } from './contents-entries.ts';
import { withNumberedLevels } from './numbered-levels.ts';
import { markNumberedTitles } from './numbered-titles.ts';

/** A heading is bold, or its font is larger than that of the text by at least this factor. */
const LARGER = 1.12;
/** Weight of characters in tables for the body size: they decide it only where there is little other text. */
const TABLE_WEIGHT = 0.25;
const MAX_LINES = 4;
const MAX_LENGTH = 240;
const CAPTION =
  /^(fig(ure|\.)?|FIG(URE|\.)?|Fig(ure|\.)?|Table|TABLE|Tab\.|Listing|Chart|Exhibit|Plate|Scheme|Box)\s*\.?\s*(\d+|[IVX]+|[A-Z])([.\-–]\d+)*\s*([.:|—–-]|\s|$)/;
/** Dots that lead to a page number. */
const LEADER = /(?:\. ?){5,}|\. \. |…{2,}/;
/** The number of a chapter that stands above its title. */
const CHAPTER = /^(?:chapter|appendix|part)\s+(?:\d+|[A-Z]|[IVX]+)[.:]?$/i;
/** Labels of boxes, which stand alone above their text like headings. */
const LABEL = /^(?:note|tip|hint|caution|warning|important|danger|attention)[:!]?$/i;
/** Maximum length of a line in bold that is a heading although it ends with a full stop. */
const MAX_SENTENCE = 100;
const SECTION_NUMBER =
  /^(\d+(\.\d+)*\.?|[IVX]+\.|[A-Z]\.|(chapter|section|part|appendix)\s+[\dA-Z]+)\s+\p{L}/iu;

/** The usual style of a document's text, from which headings differ. */
export interface BodyStyle {
  /** The most frequent font size, in points. */
  size: number;
  /** The most frequent font size of blocks of code, in points; 0 if there are none. */
  codeSize: number;
  /** Share of bold characters. If it is large, bold type does not indicate a heading. */
  boldShare: number;
  /** The same of blocks of code, as far as they have several lines. */
  boldCodeShare: number;
}

/** Measures the usual style of the text; 10 points if there is no text. */
export function bodyStyle(blocks: readonly Block[]): BodyStyle {
  const sizes = new Map<number, number>();
  let bold = 0;
  let all = 0;
  for (const block of blocks) {
    const isText = block.kind === 'paragraph' || block.kind === 'item';
    const lines = isText
      ? block.lines
      : block.kind === 'table'
        ? block.rows.flatMap((row) => row.flatMap((cell) => cell.lines))
        : [];
    const weight = isText ? 1 : TABLE_WEIGHT;
    for (const [style, length] of lengthsByStyle(lines)) {
      const size = Math.round(style.size * 2) / 2;
      sizes.set(size, (sizes.get(size) ?? 0) + weight * length);
      all += weight * length;
      if (style.bold) bold += weight * length;
    }
  }
  return {
    size: mostFrequent(sizes) || 10,
    codeSize: codeSizeOf(blocks),
    boldShare: all > 0 ? bold / all : 0,
    boldCodeShare: boldCodeShareOf(blocks),
  };
}

function boldCodeShareOf(blocks: readonly Block[]): number {
  let [bold, all] = [0, 0];
  for (const block of blocks)
    if (block.kind === 'code' && block.lines.length > 1)
      for (const [style, length] of lengthsByStyle(block.lines)) {
        all += length;
        if (style.bold) bold += length;
      }
  return all > 0 ? bold / all : 0;
}

/** The most frequent size of code. A line alone can be the title of a section, so it counts only without others. */
function codeSizeOf(blocks: readonly Block[]): number {
  const code = blocks.filter((block): block is PdfTextBlock => block.kind === 'code');
  const several = code.filter(({ lines }) => lines.length > MAX_NAME_LINES);
  const sizes = new Map<number, number>();
  for (const { lines } of several.length > 0 ? several : code)
    for (const line of lines)
      sizes.set(line.style.size, (sizes.get(line.style.size) ?? 0) + lineLength(line));
  return mostFrequent(sizes);
}

/** The size with the highest count; 0 if there is none. */
function mostFrequent(sizes: ReadonlyMap<number, number>): number {
  let size = 0;
  for (const [candidate, count] of sizes) if (count > (sizes.get(size) ?? 0)) size = candidate;
  return size;
}

/**
 * The number of characters in each style. Neighbouring words mostly share theirs, so it is looked up for few
 * of them.
 */
function lengthsByStyle(lines: readonly Line[]): Map<TextStyle, number> {
  const lengths = new Map<TextStyle, number>();
  let style: TextStyle | undefined;
  let length = 0;
  const add = () => style && lengths.set(style, (lengths.get(style) ?? 0) + length);
  for (const { words } of lines)
    for (const word of words) {
      if (word.style !== style) {
        add();
        style = word.style;
        length = 0;
      }
      length += word.text.length;
    }
  add();
  return lengths;
}

/**
 * Turns paragraphs into headings and captions by their style and wording, and assigns levels to the headings.
 */
export function findHeadings(blocks: readonly Block[]): Block[] {
  const body = bodyStyle(blocks);
  const entries = findContentsEntries(blocks);
  const marked = blocks.map((block, place): Block => {
    if (block.role || entries.has(block) || !mayBeHeading(block)) return block;
    if (block.kind === 'paragraph' && block.isTurned) return block;
    const text = block.lines.map(lineText).join(' ');
    if (block.kind === 'paragraph' && CAPTION.test(text) && block.lines.length <= 6)
      return { ...block, kind: 'caption' };
    const candidate = { block, text, previous: blocks[place - 1], next: blocks[place + 1] };
    return isHeading(candidate, body) ? toHeading(block) : block;
  });
  return withNumberedLevels(withLevels(joinChapterNumbers(markNumberedTitles(marked))));
}

/** The most lines that the name of a function takes in a narrow column. */
const MAX_NAME_LINES = 3;

/**
 * Whether a block can be a heading: text without a bullet, or a few lines in a monospaced font, such as the name
 * of a function.
 */
const mayBeHeading = (block: Block): block is PdfTextBlock | PdfListItem =>
  block.kind === 'paragraph' ||
  (block.kind === 'item' && block.ordered) ||
  (block.kind === 'code' && block.lines.length <= MAX_NAME_LINES);

function toHeading({ left, top, right, bottom, page, lines }: Block & { lines: Line[] }): PdfTextBlock {
  return { kind: 'heading', left, top, right, bottom, page, lines };
}

/** A block that may be a heading, and its neighbours. */
interface Candidate {
  block: Block & { lines: Line[] };
  text: string;
  previous: Block | undefined;
  next: Block | undefined;
}

function isHeading(candidate: Candidate, body: BodyStyle): boolean {
  const { block, text, next } = candidate;
  const { lines } = block;
  if (lines.length > MAX_LINES || text.length > MAX_LENGTH || !/\p{L}{2}/u.test(text)) return false;
  const { size } = (lines[0] as Line).style;
  const larger = size / body.size;
  const bold = lines.every(isAllBold);
  if (LEADER.test(text) || (larger < LARGER && LABEL.test(text))) return false;
  const isCode = block.kind === 'code' || lines.every(isMonospaced);
  if (isCode && !isNameOfSection(candidate, body)) return false;
  if (!isCode && larger < LARGER && !(bold && body.boldShare < 0.5 && larger > 0.85))
    return isBoldTitle(candidate) || isItalicHeading(candidate);
  // Text that ends with a full stop or has several lines is usually running text.
  if (/[,;]$/.test(text)) return false;
  if (/[.]$/.test(text) && (lines.length > 1 || (larger < 1.3 && !SECTION_NUMBER.test(text))))
    return bold && isBoldSentence(candidate);
  if (/:$/.test(text) && larger < LARGER && next?.kind === 'item') return false;
  if (larger < 1.3 && lines.length > 2 && lines.reduce((sum, line) => sum + lineLength(line), 0) > 150)
    return false;
  return true;
}

/** Minimum size of a heading in a monospaced font, as a multiple of that of code. */
const LARGER_CODE = 1.06;
/** The same as a multiple of that of the text, unless it is bold. */
const LARGER_TEXT = 1.03;
/** Maximum share of bold type in code of which bold lines are titles. */
const MAX_BOLD_CODE = 0.1;

/**
 * Whether a line of code is the title of a section, such as the name of a function: other code is smaller, or
 * not bold. Listings are often smaller than examples, so a line in the size and weight of the text is a title only
 * if it is nearer to what it heads.
 */
function isNameOfSection({ block, previous, next }: Candidate, body: BodyStyle): boolean {
  const { size, bold } = (block.lines[0] as Line).style;
  const isOnlyBold = block.lines.every(isAllBold) && body.boldCodeShare < MAX_BOLD_CODE;
  if (isOnlyBold && previous?.kind !== 'code' && next?.page === block.page) return true;
  if (block.lines.length > 1) return size > LARGER * body.codeSize && body.codeSize > 0;
  const stands = bold || size > LARGER_TEXT * body.size || isNearerToNext({ block, previous, next });
  const isLarger = body.codeSize > 0 && size > LARGER_CODE * body.codeSize && stands;
  if (previous?.kind === 'code' || next?.kind === 'code') return isLarger;
  return size > LARGER * body.size || isLarger || (body.codeSize === 0 && bold);
}

/** Minimum distance of a title from what is above, as a multiple of that from what is below. */
const NEARER = 1.2;

function isNearerToNext({ block, previous, next }: Pick<Candidate, 'block' | 'previous' | 'next'>): boolean {
  if (next?.page !== block.page) return false;
  const above = previous?.page === block.page ? block.top - previous.bottom : Infinity;
  return above > NEARER * (next.top - block.bottom);
}

/** Whether a block is one short line above text that is not bold. */
function isBoldSentence({ block: { lines, page }, text, next }: Candidate): boolean {
  if (lines.length > 1 || text.length > MAX_SENTENCE) return false;
  return next?.kind === 'paragraph' && next.page === page && !isAllBold(next.lines[0] as Line);
}

/**
 * Whether a block is a short bold line with space above and below, such as the title of a table of contents.
 */
function isBoldTitle({ block, text, previous, next }: Candidate): boolean {
  const { lines, top, bottom, page } = block;
  const [line] = lines as [Line];
  if (lines.length > 1 || !isAllBold(line) || text.length > 40 || /[.:]$/.test(text)) return false;
  const { size } = line.style;
  const isFirst = !previous || previous.page !== page || top - previous.bottom > size;
  return isFirst && next?.page === page && next.top - bottom > 1.5 * size;
}

/**
 * Whether a block is one line in italics that is closer to the paragraph below it than to the block above it.
 */
function isItalicHeading({ block, text, previous, next }: Candidate): boolean {
  const { lines, top, bottom, page } = block;
  const [line] = lines as [Line];
  if (lines.length > 1 || !isAllItalic(line) || text.length > 70 || !/^\p{Lu}.*[\p{L}\d)]$/u.test(text))
    return false;
  if (next?.kind !== 'paragraph' || next.page !== page || isAllItalic(next.lines[0] as Line)) return false;
  const below = next.top - bottom;
  const above = previous?.page === page && previous.bottom <= top ? top - previous.bottom : Infinity;
  return below >= 0 && below < 0.8 * line.style.size && above > below;
}

/** Joins the number of a chapter and the heading directly below it, which is its title. */
function joinChapterNumbers(blocks: readonly Block[]): Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const before = joined.at(-1);
    const isTitle =
      block.kind === 'heading' &&
      before?.kind === 'heading' &&
      before.page === block.page &&
      before.lines.length === 1 &&
      CHAPTER.test(lineText(before.lines[0] as Line));
    if (isTitle)
      joined[joined.length - 1] = {
        ...block,
        ...unionOf([before, block]),
        lines: [...before.lines, ...block.lines],
      };
    else joined.push(block);
  }
  return joined;
}

/** Assigns levels by font size, then by weight. The largest headings of the document get level 1. */
function withLevels(blocks: readonly Block[]): Block[] {
  const keyOf = ({ lines }: PdfTextBlock) => {
    const { size, bold, italic } = lines.reduce(
      (most, { style }) => (style.size > most.size ? style : most),
      (lines[0] as Line).style,
    );
    return Math.round(size * 2) * 4 + (bold ? 2 : 0) + (italic ? 0 : 1);
  };
  const headings = blocks.filter((block): block is PdfTextBlock => block.kind === 'heading');
  const keys = [...new Set(headings.map(keyOf))].sort((a, b) => b - a);
  // Sizes that differ by less than a point are one level: some programs scale text to fit it into boxes.
  const levels = new Map<number, number>();
  let level = 0;
  let previous = Infinity;
  for (const key of keys) {
    if (previous - key > 4 || (previous - key >= 2 && previous >> 2 === key >> 2)) level++;
    levels.set(key, Math.min(6, Math.max(1, level)));
    previous = key;
  }
  return blocks.map((block) =>
    block.kind === 'heading'
      ? { ...block, level: block.level ?? (levels.get(keyOf(block)) as number) }
      : block,
  );
}
