import { unionOf } from '../boxes.ts';
import type { Line, SourcePage, TextStyle, Word } from '../types.ts';
import { inLogicalOrder } from './logical-order.ts';
import { groupRows } from './rows.ts';
import { isRightToLeft, RIGHT_TO_LEFT } from './text-direction.ts';

/** Minimum width of a space between words, as a share of the font size. */
const MIN_SPACE = 0.12;

/**
 * Groups words into lines. Lines are sorted from top to bottom, and the words of each are in reading order.
 */
export const toLines = (words: readonly Word[]): Line[] => groupRows(words).map(toLine);

/** Creates a line from the words of one baseline, which are given from left to right. */
export function toLine(words: Word[]): Line {
  const ordered = words.some(({ text }) => RIGHT_TO_LEFT.test(text))
    ? inLogicalOrder(words, isRightToLeft(words), isSpaced)
    : words;
  return { ...unionOf(words), words: ordered, style: prevailingStyle(words) };
}

/** The lines of a page in another direction than most, each of which is one run. */
export const turnedLines = ({ turnedWords = [] }: SourcePage): Line[] =>
  [...Map.groupBy(turnedWords, ({ run }) => run).values()].map((words) => ({
    ...unionOf(words),
    words,
    style: (words[0] as Word).style,
  }));

/** Minimum share of the words of a line that are text, from which its code counts as part of the text. */
const MIN_TEXT = 0.25;

/** The most frequent style by characters. Words of code in a line of text do not count. */
function prevailingStyle(all: readonly Word[]): TextStyle {
  const first = (all[0] as Word).style;
  if (all.every(({ style }) => style === first)) return first;
  const text = all.filter(({ style }) => !style.monospaced);
  const words = text.length >= MIN_TEXT * all.length ? text : all;
  const counts = new Map<TextStyle, number>();
  for (const { style, text } of words) counts.set(style, (counts.get(style) ?? 0) + text.length);
  return [...counts].reduce((best, entry) => (entry[1] > best[1] ? entry : best))[0];
}

const UNSPACED = String.raw`[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\u3001-\u301f\uff01-\uff5e]`;
const ENDS_UNSPACED = new RegExp(`${UNSPACED}$`, 'u');
const STARTS_UNSPACED = new RegExp(`^${UNSPACED}`, 'u');

/** Whether two words meet in Chinese or Japanese, which are written without spaces. */
export const isUnspacedScript = (a: Word, b: Word) =>
  b.text.charCodeAt(0) > 0x2fff && ENDS_UNSPACED.test(a.text) && STARTS_UNSPACED.test(b.text);

/**
 * Whether there is a space between two neighbouring words. In one run this is known. Many PDF files draw no
 * spaces between runs, so the distance decides.
 */
export function isSpaced(a: Word, b: Word): boolean {
  if (isUnspacedScript(a, b)) return false;
  if (a.run === b.run && (a.left < b.left ? b : a).isSpaced) return true;
  const gap = Math.max(b.left - a.right, a.left - b.right, b.top - a.bottom, a.top - b.bottom);
  return gap > MIN_SPACE * Math.min(a.style.size, b.style.size);
}

/** The text of a line, with single spaces between words. */
export function lineText({ words }: Line): string {
  let text = '';
  for (let place = 0; place < words.length; place++) {
    const word = words[place] as Word;
    if (place > 0 && isSpaced(words[place - 1] as Word, word)) text += ' ';
    text += word.text;
  }
  return text;
}

/** Number of characters of a line, without spaces. */
export const lineLength = ({ words }: Line) => words.reduce((sum, { text }) => sum + text.length, 0);
