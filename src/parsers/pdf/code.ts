import { centerY, unionOf } from './boxes.ts';
import { isSpaced, lineText } from './lines.ts';
import type { Line, TextBlock } from './types.ts';

/** A line in a monospaced font is code when it is not alone, looks like a statement or has several words. */
const STATEMENT = /[;{}()=<>$#|/\\]|^\w+ -/;

/** A block of lines in a monospaced font. */
export function toCode(lines: Line[], page: number): TextBlock {
  const [first] = lines as [Line];
  const isCode = lines.length > 1 || first.words.length > 1 || STATEMENT.test(lineText(first));
  return { kind: isCode ? 'code' : 'paragraph', ...unionOf(lines), page, lines };
}

/** The text of code with its indentation, its inner spaces and its blank lines. */
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
