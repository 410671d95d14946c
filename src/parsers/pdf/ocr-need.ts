import type { PageComplexityStats } from '@llamaindex/liteparse';
import type { SourcePage } from './types.ts';

/** Why the text layer of a page does not say what the page shows. */
export type OcrReason = 'scanned' | 'garbled' | 'vector-text';

/** Pages with more characters than this have a text layer, whatever pictures they show. */
const MIN_TEXT = 200;
const MAX_GARBLED = 0.12;
/** Characters of fonts without a mapping to Unicode. */
const UNKNOWN = /[\ufffd\ue000-\uf8ff]|\p{Cn}/gu;
const READABLE = /[\p{L}\p{N}]/gu;

/**
 * Whether a page may need OCR: it has little text, or much of its text is unreadable. A cheap test that saves the exact
 * one for most pages.
 */
export function mayNeedOcr({ words }: SourcePage): boolean {
  let length = 0;
  for (const { text } of words) length += text.length;
  return length < MIN_TEXT || isGarbled(words.map(({ text }) => text).join(' '));
}

/** Whether a text has many characters without a meaning, or hardly a letter or digit. */
export function isGarbled(text: string): boolean {
  const characters = text.replace(/\s/g, '').length;
  if (characters < 20) return false;
  const unknown = text.match(UNKNOWN)?.length ?? 0;
  const readable = text.match(READABLE)?.length ?? 0;
  return unknown > MAX_GARBLED * characters || readable < 0.3 * characters;
}

/** What the measurements of liteparse say about a page that may need OCR. */
export function ocrReason(stats: PageComplexityStats, page: SourcePage | undefined): OcrReason | undefined {
  const { reasons, isGarbled: garbled, fullPageImage, imageCoverage, textLength } = stats;
  if (
    garbled ||
    reasons.includes('garbled') ||
    (page && isGarbled(page.words.map(({ text }) => text).join(' ')))
  )
    return 'garbled';
  if (reasons.includes('vector-text')) return 'vector-text';
  if (reasons.includes('scanned') || (textLength < MIN_TEXT && (fullPageImage || imageCoverage > 0.4)))
    return 'scanned';
  return undefined;
}
