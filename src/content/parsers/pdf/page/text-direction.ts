/** A character of a script written from right to left. */
export const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const LETTERS = /\p{L}/u;

/** Whether most words with letters are of a script written from right to left. */
export function isRightToLeft(words: readonly { text: string }[]): boolean {
  const own = words.filter(({ text }) => RIGHT_TO_LEFT.test(text)).length;
  return own > 0 && own * 2 >= words.filter(({ text }) => LETTERS.test(text)).length;
}
