import { centerX, heightOf, overlapY, widthOf } from '../boxes.ts';
import type { Word } from '../types.ts';
import { WordsByPlace } from './words-by-place.ts';

/** The first code point with a combining character. */
const FIRST_MARK = 0x300;
const MARKS_ONLY = /^\p{M}+$/u;
/** Maximum distance of a mark from the word that it belongs to, as a multiple of the font size. */
const MAX_DISTANCE = 0.1;
/** Maximum length of a word that gets further marks: all of its syllables are compared with each of them. */
const MAX_LENGTH = 500;
/** Signs that follow the vowel sign of their syllable: candrabindu, anusvara and visarga of Indic scripts. */
const LAST_SIGNS =
  /[\u0900-\u0903\u0981-\u0983\u0a01-\u0a03\u0a81-\u0a83\u0b01-\u0b03\u0c00-\u0c03\u0c81-\u0c83\u0d02\u0d03]$/;
/** Width of a spacing mark, as a multiple of that of a letter. */
const SPACING_MARK = 0.5;

const syllables = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * Puts combining characters that are words of their own into the words above or below which they stand.
 * PDFium returns a sign without a width, such as a vowel sign of Devanagari, at the end of its run.
 */
export function attachMarks(words: Word[]): Word[] {
  const isMark = ({ text }: Word) => text.charCodeAt(0) >= FIRST_MARK && MARKS_ONLY.test(text);
  const marks = new Set(words.filter(isMark));
  if (marks.size === 0) return words;
  const letters = new WordsByPlace(
    words.filter((word) => !marks.has(word)),
    ({ style }) => MAX_DISTANCE * style.size,
  );
  const attached = new Set<Word>();
  for (const mark of marks) {
    const near = letters.at(mark);
    const word =
      near.find((other) => isAt(other, mark, 0)) ?? near.find((other) => isAt(other, mark, MAX_DISTANCE));
    if (!word || word.text.length > MAX_LENGTH) continue;
    word.text = withMark(word, mark);
    attached.add(mark);
  }
  return words.filter((word) => !attached.has(word));
}

function isAt(word: Word, mark: Word, maxDistance: number): boolean {
  const tolerance = maxDistance * word.style.size;
  const middle = centerX(mark);
  if (middle < word.left - tolerance || middle > word.right + tolerance) return false;
  return overlapY(word, mark) > 0.5 * Math.min(heightOf(word), heightOf(mark));
}

/** The text of a word with a mark at its syllable. Letters count as equally wide. */
function withMark(word: Word, mark: Word): string {
  const parts = [...syllables.segment(word.text)].map(({ segment }) => segment);
  const widths = parts.map(widthOfSyllable);
  const unit = widthOf(word) / widths.reduce((sum, width) => sum + width, 0);
  let end = word.left;
  let place = 0;
  while (place < parts.length - 1) {
    end += (widths[place] as number) * unit;
    if (centerX(mark) < end) break;
    place++;
  }
  const part = parts[place] as string;
  const sign = part.match(LAST_SIGNS)?.[0] ?? '';
  parts[place] = part.slice(0, part.length - sign.length) + mark.text + sign;
  return parts.join('');
}

const widthOfSyllable = (text: string) =>
  [...text].reduce((sum, character) => {
    if (/\p{Mc}/u.test(character)) return sum + SPACING_MARK;
    return /\p{M}/u.test(character) ? sum : sum + 1;
  }, 0) || 1;
