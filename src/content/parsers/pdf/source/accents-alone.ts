import { centerX, heightOf, overlapY, widthOf } from '../boxes.ts';
import type { Word } from '../types.ts';
import { WordsByPlace } from './words-by-place.ts';

/** How far the middle of an accent may be from that of its letter, as a multiple of the font size. */
const MAX_DISTANCE = 0.35;
/** Maximum length of a word with accents: all of its letters are compared with each accent. */
const MAX_LENGTH = 200;
/** Usual widths of letters, as multiples of that of most. */
const NARROW = /[fijlrtı.,:;'()[\]-]/;
const WIDE = /[mwMWÆŒ]|\p{Lu}/u;

interface Accents {
  isAccent: (word: Word) => boolean;
  /** A letter with an accent; undefined if there is none. */
  withAccent: (letter: string, accent: string) => string | undefined;
}

/**
 * Puts accents that are words of their own on the letters over which they are drawn.
 * @returns the other words, and how many accents were put on letters
 */
export function overAccents(
  words: Word[],
  { isAccent, withAccent }: Accents,
): { left: Word[]; composed: number } {
  const accents = new Set(words.filter(isAccent));
  if (accents.size === 0) return { left: words, composed: 0 };
  const put = new Set<Word>();
  const others = new WordsByPlace(words.filter((word) => !accents.has(word)));
  for (const accent of accents) {
    const isOver = (word: Word) => overlapY(word, accent) > 0.5 * Math.min(heightOf(word), heightOf(accent));
    const word = others.at(accent).find(isOver);
    const text = word && accented(word, accent, withAccent);
    if (!text) continue;
    word.text = text;
    put.add(accent);
  }
  return { left: words.filter((word) => !put.has(word)), composed: put.size };
}

/** The text of a word with an accent on the letter below it; undefined if that can have none. */
function accented(word: Word, accent: Word, withAccent: Accents['withAccent']): string | undefined {
  if (word.text.length > MAX_LENGTH) return undefined;
  const letters = [...word.text];
  const widths = letters.map((letter) => (NARROW.test(letter) ? 0.6 : WIDE.test(letter) ? 1.5 : 1));
  const unit = widthOf(word) / widths.reduce((sum, width) => sum + width, 0);
  let end = word.left;
  let best: { place: number; distance: number; letter: string } | undefined;
  for (const [place, plain] of letters.entries()) {
    const width = (widths[place] as number) * unit;
    const distance = Math.abs(end + width / 2 - centerX(accent));
    end += width;
    if (distance >= (best?.distance ?? MAX_DISTANCE * word.style.size)) continue;
    const letter = withAccent(plain, accent.text);
    if (letter) best = { place, distance, letter };
  }
  if (!best) return undefined;
  letters[best.place] = best.letter;
  return letters.join('');
}
