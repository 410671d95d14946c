import type { Word } from '../types.ts';

/** Accents that stand beside their letter, and the combining characters for them. */
const COMBINING: Readonly<Record<string, string>> = {
  '`': '\u0300',
  '´': '\u0301',
  ˆ: '\u0302',
  '˜': '\u0303',
  '¯': '\u0304',
  '˘': '\u0306',
  '˙': '\u0307',
  '¨': '\u0308',
  '˚': '\u030a',
  '˝': '\u030b',
  ˇ: '\u030c',
  '¸': '\u0327',
  '˛': '\u0328',
};
/** Accents that nobody writes for an apostrophe or a quotation mark, beside a letter. */
const ACCENT_ONLY = /[ˆ˜¯˘˙¨˚˝ˇ¸˛]\p{sc=Latin}|\p{sc=Latin}[ˆ˜¯˘˙¨˚˝ˇ¸˛]/u;
const BEFORE = /(?<accent>[`´ˆ˜¯˘˙¨˚˝ˇ]|¸(?=[cst])|˛(?=[aeiu]))(?<letter>\p{sc=Latin})/giu;
const BEHIND = /(?<letter>\p{sc=Latin})(?<accent>[`´ˆ˜¯˘˙¨˚˝ˇ¸˛])/gu;
const DOTLESS: Readonly<Record<string, string>> = { ı: 'i', ȷ: 'j' };

/**
 * Joins accents and letters of the words of a page that draws them as two characters, one over the other, as
 * fonts do that have no accented letters (OT1 of TeX). The acute and the grave accent stand for apostrophes,
 * too, so they are joined only on pages that have further accents.
 */
export function composeAccents(words: readonly Word[]): void {
  if (!words.some(({ text }) => ACCENT_ONLY.test(text))) return;
  for (const word of words) word.text = compose(word.text);
}

const compose = (text: string) =>
  [BEFORE, BEHIND].reduce((composed, pattern) => composed.replace(pattern, joined), text);

/** The letter of a match with its accent, or the whole match if Unicode has no such character. */
function joined(pair: string, ...match: unknown[]): string {
  // The last argument has the groups of the pattern, which are never optional.
  const { letter, accent } = match.at(-1) as { letter: string; accent: string };
  const both = `${DOTLESS[letter] ?? letter}${COMBINING[accent]}`.normalize('NFC');
  return [...both].length === 1 ? both : pair;
}
