import { type Box, centerY, least, unionOf } from '../boxes.ts';
import { hasPitch } from '../source/fixed-pitch.ts';
import type { Line, PdfTextBlock, Word } from '../types.ts';
import { wouldFit } from './line-breaks.ts';
import { isSpaced, lineText } from './lines.ts';

/** Characters that distinguish code from a single word that is only printed in a monospaced font. */
const STATEMENT = /[;{}()=<>$#|/\\]|^\w+ -/;

/**
 * Whether all words of a line are monospaced. Different character widths show that the reported font is wrong;
 * signs alone have no font that is known, but in code they are as wide as its letters.
 */
export function isCode({ words }: Line): boolean {
  const [first] = words as [Word];
  // Saves the time for most lines of text.
  if (!first.style.monospaced && !SIGNS.test(first.text)) return false;
  const code = words.filter(({ style }) => style.monospaced);
  if (code.length < words.length) {
    const own = code.find(({ text }) => text.length >= MIN_MEASURED);
    const isInCode = (word: Word) =>
      own && SIGNS.test(word.text) && hasPitch(charWidth(word), charWidth(own));
    if (!words.every((word) => word.style.monospaced || isInCode(word))) return false;
  }
  return code.length < 4 || new Set(code.filter(({ text }) => text.length > 2).map(advanceOf)).size < 3;
}

/** Minimum length of a word that tells the width of the characters of its font. */
const MIN_MEASURED = 3;
const SIGNS = /^[^\p{L}\p{N}]+$/u;

const charWidth = ({ left, right, text }: Word) => (right - left) / text.length;

const advanceOf = (word: Word) => Math.round(5 * charWidth(word));

/** The largest distance of two lines of code with one blank line or more between them, as a multiple of the usual one. */
const MAX_STEP = 3.2;
/** From this multiple on, a distance is that of blank lines or of two blocks. */
const MIN_GAP = 1.3;
/** How far the distance of lines with blank ones between them may be from a multiple of the usual one. */
const MAX_SHIFT = 0.16;

/** The usual distance of a line of code from the one above in points, by font size. */
export function codePitches(lines: readonly Line[]): Map<number, number> {
  const steps = new Map<number, number[]>();
  for (let place = 1; place < lines.length; place++) {
    const [above, line] = [lines[place - 1] as Line, lines[place] as Line];
    const { size } = line.style;
    const step = line.top - above.top;
    if (above.style.size !== size || step < 0.9 * size || step > 2.2 * size) continue;
    if (!isCode(line) || !isCode(above)) continue;
    const own = steps.get(size);
    if (own) own.push(step);
    else steps.set(size, [step]);
  }
  return new Map(
    Array.from(steps, ([size, own]) => {
      const smallest = least(own);
      // Browsers round the places of lines, so that only their mean distance is exact.
      const usual = own.filter((step) => step < MIN_GAP * smallest);
      return [size, usual.reduce((sum, step) => sum + step, 0) / usual.length];
    }),
  );
}

/**
 * Whether lines of code at a distance are parts of one block: blank lines are as high as others, and so what is
 * between them is a whole number of lines, unlike the space between two blocks.
 */
export function isInSameCode(step: number, pitch: number): boolean {
  const lines = step / pitch;
  if (lines > MAX_STEP) return false;
  return lines < MIN_GAP || Math.abs(lines - Math.round(lines)) < MAX_SHIFT;
}

/** How far the lines of a paragraph are from its edge, as multiples of the font size. */
const MAX_HANG = 3;
const MAX_EDGE_SHIFT = 0.5;

/**
 * Whether a line goes on with the paragraph above it, although only one of the two is all code: the paragraph
 * quotes so much code that it fills a line, or the rest of such code begins one.
 * @param group the lines of the paragraph so far
 * @param maxStep the largest distance of the lines of a paragraph, in points
 */
export function continuesBesideCode(
  line: Line,
  group: readonly Line[],
  maxStep: number,
  column: Box,
): boolean {
  const [first, before] = [group[0] as Line, group.at(-1) as Line];
  const { size } = line.style;
  const step = centerY(line) - centerY(before);
  if (step <= 0 || step > maxStep || wouldFit(before, line, column)) return false;
  if (group.length > 1) return Math.abs(line.left - before.left) < MAX_EDGE_SHIFT * size;
  return line.left > first.left - MAX_HANG * size && line.left < first.left + MAX_HANG * size;
}

/**
 * Creates a block from lines in a monospaced font: code, or a paragraph if it is a single word without
 * punctuation.
 */
export function toCode(lines: Line[], page: number): PdfTextBlock {
  const [first] = lines as [Line];
  const isCode = lines.length > 1 || lineText(first).includes(' ') || STATEMENT.test(lineText(first));
  return { kind: isCode ? 'code' : 'paragraph', ...unionOf(lines), page, lines };
}

/**
 * The text of code. Indentation, repeated spaces and blank lines are derived from the positions of the words.
 */
export function codeText(lines: readonly Line[]): string {
  const left = least(lines.map((line) => line.left));
  const advance = characterWidth(lines);
  const steps = lines.slice(1).map((line, place) => centerY(line) - centerY(lines[place] as Line));
  const pitch = least(steps.filter((step) => step > 1));
  return lines
    .map((line, place) => {
      const blank = place > 0 && (steps[place - 1] as number) > 1.6 * pitch ? '\n' : '';
      let text = ' '.repeat(Math.max(0, Math.round((line.left - left) / advance)));
      line.words.forEach((word, at) => {
        const before = line.words[at - 1];
        if (before && isSpaced(before, word))
          text += ' '.repeat(Math.max(1, Math.round((word.left - before.right) / advance)));
        text += word.text;
      });
      return blank + text;
    })
    .join('\n');
}

/** The average width of a character in points. */
function characterWidth(lines: readonly Line[]): number {
  let width = 0;
  let count = 0;
  for (const { words } of lines)
    for (const { left, right, text } of words)
      if (text.length > 1) {
        width += right - left;
        count += text.length;
      }
  return count > 0 ? width / count : 6;
}
