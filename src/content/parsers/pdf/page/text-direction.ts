import type { Word } from '../types.ts';

/** A character of a script written from right to left. */
export const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const LETTERS = /\p{L}/u;

/**
 * Whether most words with letters are of a script written from right to left. A line with words of both
 * directions follows most of its page.
 */
export function isRightToLeft(words: readonly { text: string; isEmbedded?: boolean }[]): boolean {
  const own = words.filter(({ text }) => RIGHT_TO_LEFT.test(text));
  const letters = words.filter(({ text }) => LETTERS.test(text)).length;
  if (own.length < letters && own.some(({ isEmbedded }) => isEmbedded)) return false;
  return own.length > 0 && own.length * 2 >= letters;
}

/** Marks the words from right to left of a page that has more words from left to right. */
export function markEmbedded(words: readonly Word[]): void {
  const own = words.filter(({ text }) => RIGHT_TO_LEFT.test(text));
  if (own.length === 0) return;
  const letters = words.filter(({ text }) => LETTERS.test(text)).length;
  if (own.length * 2 < letters) for (const word of own) word.isEmbedded = true;
}
