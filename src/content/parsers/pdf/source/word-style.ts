import type { TextItem } from '@llamaindex/liteparse';
import type { TextStyle } from '../types.ts';
import { fontKeyOf, hasPitch, type Pitches } from './fixed-pitch.ts';
import { fontSizeOf } from './font-scale.ts';

/** Range of the character width in monospaced fonts, as a multiple of the font size. */
const MIN_ADVANCE = 0.48;
const MAX_ADVANCE = 0.68;
/** Makes the name of a font with a fixed pitch that of a monospaced one. */
export const MONOSPACED_SUFFIX = ' mono';

/** A bullet can be in a font of its own, which says nothing about the text behind it. */
export const isBullet = (text: string | undefined) => text !== undefined && /^[•◦▪●○■□‣·⁃∙–—*-]$/.test(text);

/**
 * The style of a word. In a run that begins in a monospaced font, words of another width are not monospaced.
 * @param fonts.plain the style of such words
 * @param fonts.advance the width of the characters of the monospaced font, if it was measured
 */
export function styleOfWord(
  { text, width }: { text: string; width: number },
  { style, plain, advance }: { style: TextStyle; plain: TextStyle; advance: number | undefined },
): TextStyle {
  if (!style.monospaced || text.length < 3) return style;
  const own = width / text.length;
  if (advance) return hasPitch(own, advance) ? style : plain;
  return own > MIN_ADVANCE * style.size && own < MAX_ADVANCE * style.size ? style : plain;
}

/** Code is printed at most by this factor smaller or larger than the text around it. */
const MAX_STEP = 1.4;

/** The most frequent size of the text of a page that is not code, before it is converted to points. */
export function usualSize(items: readonly TextItem[], pitches: Pitches): number | undefined {
  const lengths = new Map<number, number>();
  for (const item of items) {
    const size = fontSizeOf(item);
    if (size && !pitches.has(fontKeyOf(item))) lengths.set(size, (lengths.get(size) ?? 0) + item.text.length);
  }
  let usual: number | undefined;
  for (const [size, length] of lengths) if (length > (lengths.get(usual ?? 0) ?? 0)) usual = size;
  return usual;
}

/**
 * The size of text in a run that begins with code: the usual size of the page, as PDFium reports that of the
 * code.
 */
export const sizeBeside = (code: number, usual: number | undefined): number =>
  usual && usual < MAX_STEP * code && code < MAX_STEP * usual ? usual : code;
