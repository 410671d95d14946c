import type { Word } from '../types.ts';

/** Heights of letters in usual fonts above and below the baseline, as multiples of the height of capitals. */
const SMALL = 0.69;
const DESCENDER = 0.31;
const COMMA = 0.17;

/** Letters and signs that are no higher than an x. Quotation marks count as high, because their tops are. */
const LOW = /^[\sacegmnopqrsuvwxyz.,:;+~=_-]*$/;
const DESCENDING = /[gjpqyQ()[\]{}|/]/;
const COMMAS = /[,;]/;
const SIGNS_ONLY = /^[\p{P}\p{S}]*$/u;

/**
 * Estimates the height of capitals in a phrase that tesseract has recognised. Its size is measured on single
 * words, and its box around the whole phrase; both depend on which letters these have. Either measure can be
 * too large, the size where the words differ, and the box where the line is not level.
 */
export function capitalHeight({ text, style, top, bottom }: Word): number {
  const heights = text
    .split(/\s+/)
    .filter((word) => !SIGNS_ONLY.test(word))
    .map(letterHeight)
    .sort((a, b) => a - b);
  const median = heights[heights.length >> 1] ?? 1;
  return Math.min(style.size / median, (bottom - top) / letterHeight(text));
}

function letterHeight(text: string): number {
  const above = LOW.test(text) ? SMALL : 1;
  return above + (DESCENDING.test(text) ? DESCENDER : COMMAS.test(text) ? COMMA : 0);
}
