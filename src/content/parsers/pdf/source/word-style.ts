import type { TextStyle } from '../types.ts';
import { hasPitch } from './fixed-pitch.ts';

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
