import { segmentsOf } from './segments.ts';

/**
 * Abbreviations after which a full stop does not end a sentence: initials, titles, and common ones of
 * European languages.
 */
const ABBREVIATION =
  /(?:^|[\s(„“"'])(?:\p{Lu}|(?:\p{L}\.)+\p{L}|Dr|Mr|Mrs|Ms|Prof|St|Sr|Jr|Sra|Mme|Mlle|Hr|Fr|Frau|Inc|Ltd|Co|Corp|vs|etc|approx|ca|bzw|usw|vgl|Nr|No|Fig|Abb|Art|Abs|Vol|pp?|ed|Hrsg|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Okt|Oct|Nov|Dez|Dec)\.\s*$/u;

/** Splits a single-line text into sentences by Unicode's rules (UAX #29), for any language. */
export function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  let open = '';
  for (const { segment } of segmentsOf(text, 'sentence')) {
    open += segment;
    if (ABBREVIATION.test(open.slice(-20))) continue;
    sentences.push(open.trim());
    open = '';
  }
  if (open.trim() !== '') sentences.push(open.trim());
  return sentences.filter((sentence) => sentence !== '');
}
