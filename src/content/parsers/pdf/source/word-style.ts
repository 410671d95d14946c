import type { TextItem } from '@llamaindex/liteparse';
import type { TextStyle } from '../types.ts';
import { fontKeyOf, hasPitch, type Pitches } from './fixed-pitch.ts';
import { fontSizeOf } from './font-scale.ts';
import { STYLED, type StyledWord } from './replaced-characters.ts';
import type { FontStyle, styleTable } from './words.ts';

/** Range of the character width in monospaced fonts, as a multiple of the font size. */
const MIN_ADVANCE = 0.48;
const MAX_ADVANCE = 0.68;
/** Makes the name of a font with a fixed pitch that of a monospaced one. */
const MONOSPACED_SUFFIX = ' mono';

/** A bullet can be in a font of its own, which says nothing about the text behind it. */
const isBullet = (text: string | undefined) => text !== undefined && /^[•◦▪●○■□‣·⁃∙–—*-]$/.test(text);

/** A word of liteparse. */
type RunWord = StyledWord & { width: number };

/** What is known of the font of a run. */
interface RunFont {
  /** As PDFium reports it: that of the first word. */
  name: string;
  size: number;
  /** The size of words in another font, if this one is monospaced. */
  plainSize: number;
  /** The width of the characters, if it is fixed and was measured. */
  advance: number | undefined;
  /** Whether all words in this font have their own style. */
  isTold: boolean;
}

const PLAIN: FontStyle = { bold: false, italic: false, monospaced: false };

/**
 * The styles of the words of a run. Words that do not have a style themselves get that of the first one, as far
 * as their widths and the other words do not contradict.
 */
export function wordStyles(
  words: readonly RunWord[],
  { name, size, plainSize, advance, isTold }: RunFont,
  styleOf: ReturnType<typeof styleTable>,
): TextStyle[] {
  const style = styleOf(`${name}${advance ? MONOSPACED_SUFFIX : ''}`, size);
  // PDFium reports the font of the first word for a whole run.
  const plain = style.monospaced ? styleOf('', plainSize) : style;
  const rest = !style.monospaced && isBullet(words[0]?.text) ? styleOf('', size) : undefined;
  const hasOther = isTold && words.some(({ text }) => STYLED.test(text));
  const isCode = style.monospaced || words[0]?.fontStyle?.monospaced;
  const hasCode = words.some(({ fontStyle }) => fontStyle?.monospaced);
  return words.map((word, place) => {
    // The font of the run is that of its first word.
    const isBetween = hasOther && place > 0;
    const own =
      word.fontStyle ??
      (isBetween ? styleBetween(words, place) : sharedStyle(words, place)) ??
      (hasCode ? styleOfNext(words, place) : undefined);
    if (own) return styleOf(own, own === PLAIN && isCode ? plainSize : size);
    return (place > 0 && rest) || styleOfWord(word, { style, plain, advance });
  });
}

/** The style of a word that is in another font than the first one, or has no letters. */
const styleBetween = (words: readonly RunWord[], place: number): FontStyle =>
  (STYLED.test((words[place] as RunWord).text) ? undefined : sharedStyle(words, place)) ?? PLAIN;

/** The style that the neighbours of a word without letters share. */
function sharedStyle(words: readonly RunWord[], place: number): FontStyle | undefined {
  const before = words[place - 1]?.fontStyle;
  if (!before || STYLED.test((words[place] as RunWord).text)) return undefined;
  const after = words.slice(place + 1).find(({ text }) => STYLED.test(text));
  return !after || after.fontStyle === before ? before : undefined;
}

/**
 * The style of the code behind a word without letters that is as wide as it would be in the font of this code.
 */
function styleOfNext(words: readonly RunWord[], place: number): FontStyle | undefined {
  const { text, width } = words[place] as RunWord;
  if (STYLED.test(text)) return undefined;
  const next = words.slice(place + 1).find((word) => STYLED.test(word.text));
  if (!next?.fontStyle?.monospaced || next.edges) return undefined;
  return hasPitch(width / text.length, next.width / next.text.length) ? next.fontStyle : undefined;
}

/** Minimum length of a word by which the width of the characters of code is measured. */
const MIN_CODE_LENGTH = 3;
/** Maximum difference of the width of a comma in code from that of other characters, as a share of it. */
const MAX_COMMA = 0.15;
const COMMAS = /^[,.]+$/;

/**
 * The characters at the ends of words that are not in their style. Nothing tells the font of a comma, but behind
 * code it is in the same font if it is as wide as other characters.
 */
export function edgesOfWords(words: readonly RunWord[]): (RunWord['edges'] | undefined)[] {
  if (!words.some(({ edges }) => edges)) return [];
  const pure = words.find(
    ({ text, edges, fontStyle }) =>
      fontStyle?.monospaced && !edges && text.length >= MIN_CODE_LENGTH && STYLED.test(text),
  );
  const advance = pure && pure.width / pure.text.length;
  return words.map(({ text, width, edges, fontStyle }) => {
    if (!edges || !advance || !fontStyle?.monospaced) return edges;
    const [start, end] = edges;
    if (end === 0 || !COMMAS.test(text.slice(text.length - end))) return edges;
    const comma = (width - (text.length - end) * advance) / end;
    if (Math.abs(comma - advance) > MAX_COMMA * advance) return edges;
    return start > 0 ? [start, 0] : undefined;
  });
}

/**
 * The style of a word. In a run that begins in a monospaced font, words of another width are not monospaced.
 * @param fonts.plain the style of such words
 * @param fonts.advance the width of the characters of the monospaced font, if it was measured
 */
function styleOfWord(
  { text, width }: RunWord,
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
