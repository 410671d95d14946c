import { heightOf } from '../boxes.ts';
import type { Word } from '../types.ts';

/** A large first letter, with a quotation mark before it where the text begins with one. */
const LETTER = /^["'“‘«„]?\p{L}$/u;
/** Letters that are words of their own in some languages. */
const WORD = /^["'“‘«„]?[AIO]$/;
/** Minimum size of such a letter, as a multiple of that of the text. */
const MIN_RATIO = 1.8;
/** The same in points, which saves the search on most pages. */
const MIN_SIZE = 14;
/** More large letters on a page begin no texts. */
const MAX_CAPS = 20;
/** Maximum space between the letter and the text, as a multiple of the size of the text. */
const MAX_SPACE = 1;
/** Space between the letter and the text from which the letter may be a word, as a multiple likewise. */
const WORD_SPACE = 0.3;

/**
 * Joins letters that are two or more lines high (drop caps) with the words whose first letters they are: else
 * they would make the first line as high as all lines beside them.
 * @param words the words of a page
 */
export function joinDropCaps(words: readonly Word[]): readonly Word[] {
  const caps = words.filter(
    ({ text, style }) => text.length < 3 && style.size > MIN_SIZE && LETTER.test(text),
  );
  if (caps.length === 0) return words;
  const joined = new Map<Word, Word | undefined>();
  for (const cap of caps.slice(0, MAX_CAPS)) {
    const beside = words.filter((word) => word !== cap && isBeside(word, cap));
    const [first, second] = beside.toSorted((a, b) => a.top - b.top || a.left - b.left);
    // The letter of a chapter beside one line is no part of it.
    if (!first || !second || !beside.some(({ top }) => top > first.top + 0.7 * heightOf(first))) continue;
    const isWord = WORD.test(cap.text) && first.left - cap.right > WORD_SPACE * first.style.size;
    joined.set(cap, undefined);
    joined.set(first, { ...first, text: `${cap.text}${isWord ? ' ' : ''}${first.text}` });
  }
  return words.flatMap((word) => (joined.has(word) ? (joined.get(word) ?? []) : [word]));
}

/** Whether a word begins a line beside a large letter. */
function isBeside(word: Word, cap: Word): boolean {
  const { size } = word.style;
  const space = word.left - cap.right;
  return (
    cap.style.size > MIN_RATIO * size &&
    space > -0.3 * size &&
    space < MAX_SPACE * size &&
    word.bottom > cap.top + 0.3 * size &&
    word.bottom < cap.bottom + 0.5 * size
  );
}
