import type { ParsedPage, TextItem } from '@llamaindex/liteparse';
import { fontSizeOf } from './font-scale.ts';

/** Number of words of a font that are measured, which limits the time. */
const MAX_WORDS = 100;
/** Minimum length of a word: in short ones, an error of the box counts for more. */
const MIN_LENGTH = 4;
/**
 * Minimum numbers of different words with the usual width, and their shares of all words of the font. Other
 * words can be in another font, because PDFium reports the font of the first word for a whole run. In a
 * proportional font, few words are equally wide by chance.
 */
const EVIDENCE = [
  { words: 5, share: 0.8 },
  { words: 12, share: 0.35 },
];
/** Maximum difference between the widths of characters, as a share of them. */
const MAX_DIFFERENCE = 0.01;
/** Maximum difference of a word from the pitch of its font, as boxes of slanted letters are not exact. */
const TOLERANCE = 0.04;
/**
 * Characters as wide as those of Latin, and among them small letters: digits are equally wide in most fonts.
 */
const MEASURED = /^(?=(?:[^a-z]*[a-z]){3})[\x21-\x7e]+$/;

/** The widths of characters in the fonts with a fixed pitch, as multiples of the font size. */
export type Pitches = ReadonlyMap<string, number>;

/** The font of a run. Fonts without a name are told apart by their sizes. */
export const fontKeyOf = ({ fontName, fontSize }: TextItem) => fontName || `${fontSize}`;

/**
 * Finds the fonts of a document in which all characters are equally wide, whatever their names are: many
 * words of them have the same mean width of a character.
 */
export function findPitches(pages: readonly ParsedPage[]): Pitches {
  const advances = new Map<string, Map<string, number>>();
  for (const { textItems } of pages)
    for (const item of textItems) {
      const size = fontSizeOf(item);
      if (!size || item.rotation) continue;
      const key = fontKeyOf(item);
      const own = advances.get(key) ?? new Map<string, number>();
      advances.set(key, own);
      if (own.size >= MAX_WORDS) continue;
      for (const { text, width } of item.words ?? [])
        if (text.length >= MIN_LENGTH && MEASURED.test(text)) own.set(text, width / (text.length * size));
    }
  return new Map(
    [...advances].flatMap(([key, own]) => {
      const pitch = commonOf([...own.values()]);
      return pitch === undefined ? [] : [[key, pitch]];
    }),
  );
}

/** The value that many of the given ones have. */
function commonOf(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  let best: { count: number; value: number } | undefined;
  for (let first = 0, last = 0; last < sorted.length; last++) {
    while ((sorted[last] as number) > (1 + MAX_DIFFERENCE) * (sorted[first] as number)) first++;
    const count = last + 1 - first;
    if (!best || count > best.count) best = { count, value: sorted[(first + last) >> 1] as number };
  }
  if (!best) return undefined;
  const { count, value } = best;
  const isCommon = EVIDENCE.some(({ words, share }) => count >= words && count >= share * sorted.length);
  return isCommon ? value : undefined;
}

/** Whether the characters of a word are as wide as a fixed pitch says. @param advance their mean width */
export const hasPitch = (advance: number, pitch: number) => Math.abs(advance - pitch) < TOLERANCE * pitch;
