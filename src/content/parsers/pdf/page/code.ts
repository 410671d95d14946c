import { centerY, unionOf } from '../boxes.ts';
import type { Line, PdfTextBlock } from '../types.ts';
import { isSpaced, lineText } from './lines.ts';

/** Characters that distinguish code from a single word that is only printed in a monospaced font. */
const STATEMENT = /[;{}()=<>$#|/\\]|^\w+ -/;

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
  const left = Math.min(...lines.map((line) => line.left));
  const advance = characterWidth(lines);
  const steps = lines.slice(1).map((line, place) => centerY(line) - centerY(lines[place] as Line));
  const pitch = Math.min(...steps.filter((step) => step > 1), Infinity);
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
