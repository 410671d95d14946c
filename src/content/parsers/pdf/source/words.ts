import type { TextStyle, Word } from '../types.ts';

/**
 * Characters that are no text: control characters, zero-width spaces, byte order marks and non-characters.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed
const NO_TEXT = /[\u0000-\u001f\u007f-\u009f\u200b\ufeff\ufffe\uffff]/g;
const SOFT_HYPHEN = /\u00ad/g;
const LIGATURES: Record<string, string> = { ﬀ: 'ff', ﬁ: 'fi', ﬂ: 'fl', ﬃ: 'ffi', ﬄ: 'ffl', ﬅ: 'ft', ﬆ: 'st' };

/** Kangxi radicals and Arabic letters by their shape, which fonts map to instead of the characters. */
const COMPATIBLE = /[\u2f00-\u2fd5\ufb50-\ufdff\ufe70-\ufefc]/g;
/**
 * Radicals that fonts of Chrome map to instead of the characters, and that Unicode does not call compatible.
 */
const CJK_RADICALS: Record<string, string> = Object.fromEntries(
  [...'⻓长⻔门⻅见⻋车⻛风⻢马⻥鱼⻦鸟⻩黄⻬齐⻰龙⻆角⻉贝⻚页⻘青⻝食⻤鬼⻣骨⻄西⺟母⺠民'].flatMap(
    (character, place, all) => (place % 2 === 0 ? [[character, all[place + 1] as string]] : []),
  ),
);
/** Removes control characters and replaces ligatures and compatibility characters by their letters. */
export function cleanText(text: string): string {
  return /^[\x20-\x7e]*$/.test(text)
    ? text
    : text
        .replace(NO_TEXT, '')
        .replace(SOFT_HYPHEN, '-')
        .replace(/[ﬀ-ﬆ]/g, (ligature) => LIGATURES[ligature] as string)
        .replace(COMPATIBLE, (character) => character.normalize('NFKC'))
        .replace(/[⺀-⻿]/g, (radical) => CJK_RADICALS[radical] ?? radical);
}

/** Removes words that are drawn again at nearly the same position, as for shadows and simulated bold type. */
export function withoutRepeats(words: Word[]): Word[] {
  // Most words occur only once, so there is a list only for the others.
  const first = new Map<string, Word>();
  const further = new Map<string, Word[]>();
  return words.filter((word) => {
    const { text } = word;
    const other = first.get(text);
    if (!other) {
      first.set(text, word);
      return true;
    }
    const others = further.get(text);
    if (isDrawnAgain(other, word) || others?.some((one) => isDrawnAgain(one, word))) return false;
    if (others) others.push(word);
    else further.set(text, [word]);
    return true;
  });
}

function isDrawnAgain(one: Word, word: Word): boolean {
  const near = 0.15 * word.style.size;
  return Math.abs(one.left - word.left) < near && Math.abs(one.top - word.top) < near;
}

const BOLD = /bold|black|heavy|semibold|demi(?!-?ital)|(^|[-,+])(bd|cmbx|sfbx)/i;
const ITALIC = /italic|oblique|slanted|cmti|cmsl|(^|[-,])it$/i;
const MONOSPACED =
  /mono|courier|consol|menlo|monaco|typewriter|cmtt|inconsolata|fira ?code|source ?code|andale/i;

/** What the name of a font tells of it. */
export type FontStyle = Omit<TextStyle, 'size'>;

/** The style of a font by its name. */
export const fontStyle = (name: string): FontStyle => ({
  bold: BOLD.test(name),
  italic: ITALIC.test(name),
  monospaced: MONOSPACED.test(name),
});

/**
 * Returns a function that derives styles from the names of fonts, or from what is known of them, and from
 * their sizes. It returns one object per name and size.
 */
export function styleTable(): (font: string | FontStyle, size: number) => TextStyle {
  const styles = new Map<string, TextStyle>();
  return (font, size) => {
    const rounded = Math.round(size * 10) / 10;
    const key = `${rounded} ${typeof font === 'string' ? font : `${font.bold} ${font.italic} ${font.monospaced}`}`;
    let style = styles.get(key);
    if (!style) {
      style = { size: rounded, ...(typeof font === 'string' ? fontStyle(font) : font) };
      styles.set(key, style);
    }
    return style;
  };
}
