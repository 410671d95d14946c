import type { PageComplexityStats } from '@llamaindex/liteparse';
import type { SourcePage } from '../types.ts';
import { type CharacterCounts, countKinds } from './character-counts.ts';

/** Why the text layer of a page is missing or differs from the visible text. */
export type OcrReason = 'scanned' | 'garbled' | 'vector-text';

/** Number of characters from which a page counts as having a text layer, even if images cover it. */
const MIN_TEXT = 200;
/** The same for a page that is one picture, on which a stamp or a header may be all the text of the layer. */
const MIN_TEXT_ON_SCAN = 1000;
/** Maximum share of the page that such a text takes. */
const MAX_STAMP = 0.05;
/** Share of a page without text from which its pictures may be a scan, such as that of a receipt. */
const MIN_SCAN = 0.03;
/** Share of a page with little text from which its pictures may have text that is missing. */
const MIN_PICTURE = 0.1;
/**
 * A page has no more characters than this if its text is drawn by paths: those of a page number, for
 * instance.
 */
const MAX_BESIDE_PATHS = 20;
/**
 * Number of paths from which a page without text counts as text that a plotter draws, whose letters are not
 * filled.
 */
const MIN_STROKES = 50;
/** Maximum share of unknown characters in readable text. */
const MAX_GARBLED = 0.12;
const GLYPH_SHIFT = 29;
/** Number of letters from which their frequencies are those of the language. */
const MIN_LETTERS = 60;
const MAX_SMALL = 0.05;
const MAX_VOWELS = 0.22;
const MIN_VOWELS = 0.3;

/**
 * Whether a page may need OCR: it has little text, or its text is garbled. Only such pages are measured by
 * liteparse, which takes much longer than this test.
 * @param hasImages whether the document has any
 */
export function mayNeedOcr({ words, width, height }: SourcePage, hasImages = false): boolean {
  const length = countCharacters(words);
  if (length < MIN_TEXT) return true;
  const mayBeStamp = hasImages && length < MIN_TEXT_ON_SCAN && areaOf(words) < MAX_STAMP * width * height;
  return mayBeStamp || isGarbled(textOf(words));
}

function countCharacters(words: SourcePage['words']): number {
  let count = 0;
  for (const { text } of words) count += text.length;
  return count;
}

const areaOf = (words: SourcePage['words']) =>
  words.reduce((sum, { left, right, top, bottom }) => sum + (right - left) * (bottom - top), 0);

const textOf = (words: SourcePage['words']) => words.map(({ text }) => text).join(' ');

/**
 * Whether the text of a page may be drawn by paths. liteparse reports such a page like a blank one. A path
 * may be a letter or, from some programs, a whole line.
 */
function isDrawn({ words, turnedWords = [], paths }: SourcePage): boolean {
  const characters = countCharacters(words) + countCharacters(turnedWords);
  if (characters === 0) return paths.curved > 0 || paths.all >= MIN_STROKES;
  return characters <= MAX_BESIDE_PATHS && paths.curved > characters;
}

/** Whether a text has many unknown characters, or hardly any letters and digits. */
function isGarbled(text: string): boolean {
  const counts = countKinds(text);
  const { characters, unknown, readable } = counts;
  if (characters < 20) return false;
  return unknown > MAX_GARBLED * characters || readable < 0.3 * characters || isShifted(text, counts);
}

/**
 * Whether a text consists of the numbers of glyphs, which PDFium returns for fonts without a mapping to
 * Unicode. In most TrueType fonts the number of a glyph is that of its ASCII character less 29: the text then
 * has hardly any vowels or small letters, and as many vowels as any other when it is shifted back.
 */
function isShifted(text: string, { latin, small, vowels }: CharacterCounts): boolean {
  if (latin < MIN_LETTERS || small > MAX_SMALL * latin || vowels > MAX_VOWELS * latin) return false;
  const shifted = countKinds(
    text.replace(/\S/g, (each) => String.fromCharCode(each.charCodeAt(0) + GLYPH_SHIFT)),
  );
  return shifted.vowels > MIN_VOWELS * shifted.latin;
}

/** Decides by the measurements of liteparse why a page needs OCR; undefined if it does not. */
export function ocrReason(stats: PageComplexityStats, page: SourcePage | undefined): OcrReason | undefined {
  const { reasons, isGarbled: garbled, fullPageImage, imageCoverage, textLength } = stats;
  if (garbled || reasons.includes('garbled') || (page && isGarbled(textOf(page.words)))) return 'garbled';
  if (reasons.includes('vector-text') || (page && isDrawn(page))) return 'vector-text';
  if (textLength === 0 && stats.imageCoverage > MIN_SCAN) return 'scanned';
  if (reasons.includes('scanned') || (textLength < MIN_TEXT && (fullPageImage || imageCoverage > 0.4)))
    return 'scanned';
  return undefined;
}

/** Whether a page that does not need OCR has a picture that may have more text than the page itself. */
export const hasUnreadPicture = (stats: PageComplexityStats) =>
  stats.textLength < MIN_TEXT
    ? stats.imageCoverage > MIN_PICTURE
    : stats.fullPageImage && stats.textLength < MIN_TEXT_ON_SCAN && stats.textCoverage < MAX_STAMP;
