import { heightOf, overlapY } from '../boxes.ts';
import type { Word } from '../types.ts';
import { overAccents } from './accents-alone.ts';

/** Accents that stand beside their letter, the combining characters for them, and the letters that have them. */
const ACCENTS: Readonly<Record<string, readonly [combining: string, letters: string]>> = {
  '`': ['\u0300', 'aeiou'],
  '´': ['\u0301', 'aeiouyclnrsz'],
  ˆ: ['\u0302', 'aeioucghjswy'],
  '˜': ['\u0303', 'anoiu'],
  '¯': ['\u0304', 'aeiou'],
  '˘': ['\u0306', 'aeioug'],
  '˙': ['\u0307', 'cegzi'],
  '¨': ['\u0308', 'aeiouy'],
  '˚': ['\u030a', 'au'],
  '˝': ['\u030b', 'ou'],
  ˇ: ['\u030c', 'cdeglnrstz'],
  '¸': ['\u0327', 'cst'],
  '˛': ['\u0328', 'aeiu'],
};
/** Accents that nobody writes for an apostrophe or a quotation mark, beside a letter. */
const ACCENT_ONLY = /[ˆ˜¯˘˙¨˚˝ˇ¸˛]\p{sc=Latin}|\p{sc=Latin}[ˆ˜¯˘˙¨˚˝ˇ¸˛]|[`´]ı/u;
/** An accent that is the only character of its word. */
const ALONE = /^[`´ˆ˜¯˘˙¨˚˝ˇ¸˛]$/;
const BEFORE = /(?<accent>[`´ˆ˜¯˘˙¨˚˝ˇ¸˛])(?<letter>\p{sc=Latin})/gu;
const BEHIND = /(?<letter>\p{sc=Latin})(?<accent>[`´ˆ˜¯˘˙¨˚˝ˇ¸˛])/gu;
/** A letter without accents that stands between an accent and its vowel, as the accent is wider than it. */
const EARLY = /(?<accent>[´ˆ¨])(?<between>[tfjl])(?<letter>[aeiou])/gu;
const DOTLESS: Readonly<Record<string, string>> = { ı: 'i', ȷ: 'j' };

/**
 * Joins accents and letters of the words of a page that draws them as two characters, one over the other, as
 * fonts do that have no accented letters (OT1 of TeX). PDFium returns the accent beside its letter, or as a
 * word of its own. The acute and the grave accent stand for apostrophes, too, so inside of words they are
 * joined only on pages that have further accents, or fonts that have another character for the apostrophe.
 * @param hasAccents whether the page has such a font
 */
export function composeAccents(words: Word[], hasAccents = false): Word[] {
  const { composed, left } = overAccents(words, {
    isAccent: ({ text }) => ALONE.test(text),
    withAccent,
  });
  if (!hasAccents && composed === 0 && !left.some(({ text }) => ACCENT_ONLY.test(text))) return left;
  for (const [place, word] of left.entries()) {
    const next = left[place + 1];
    if (next && (next.run === word.run ? !next.isSpaced : isOver(word, next))) moveAccent(word, next);
    word.text = compose(word.text, word.style.monospaced);
  }
  return left;
}

/** Whether the end of a word, which can only be an accent, is drawn over the next one. */
const isOver = (word: Word, next: Word) =>
  word.left < next.left && word.right > next.left && overlapY(word, next) > 0.5 * heightOf(next);

/** Moves an accent from the end of a word to the rest of it, which has another font. */
function moveAccent(word: Word, rest: Word): void {
  const accent = word.text.at(-1) as string;
  const letter = rest.text.at(0) as string;
  if (word.text.length < 2 || !ALONE.test(accent) || withAccent(letter, accent) === undefined) return;
  word.text = word.text.slice(0, -1);
  rest.text = accent + rest.text;
}

/** @param isCode in which the grave accent is a quotation mark */
function compose(text: string, isCode: boolean): string {
  if (isCode && text.includes('`')) return text;
  return [BEFORE, BEHIND].reduce(
    (composed, pattern) => composed.replace(pattern, joined),
    text.replace(EARLY, '$<between>$<accent>$<letter>'),
  );
}

/** The letter of a match with its accent, or the whole match if no language has such a letter. */
function joined(pair: string, ...match: unknown[]): string {
  // The last argument has the groups of the pattern, which are never optional.
  const { letter, accent } = match.at(-1) as { letter: string; accent: string };
  return withAccent(letter, accent) ?? pair;
}

/** A letter with an accent; undefined if no language has it. */
function withAccent(letter: string, accent: string): string | undefined {
  const base = DOTLESS[letter] ?? letter;
  const [combining, letters] = ACCENTS[accent] as readonly [string, string];
  if (!letters.includes(base.toLowerCase())) return undefined;
  // Unicode has the capital letter of some pairs alone: İ, but no i with a further dot.
  const composed = `${base}${combining}`.normalize('NFC');
  return composed.length === 1 ? composed : undefined;
}
