const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' });

/** Behind these a full stop ends no sentence: initials, titles, and what the languages around us shorten most. */
const ABBREVIATION =
  /(?:^|[\s(„“"'])(?:\p{Lu}|(?:\p{L}\.)+\p{L}|Dr|Mr|Mrs|Ms|Prof|St|Sr|Jr|Sra|Mme|Mlle|Hr|Fr|Frau|Inc|Ltd|Co|Corp|vs|etc|approx|ca|bzw|usw|vgl|Nr|No|Fig|Abb|Art|Abs|Vol|pp?|ed|Hrsg|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Okt|Oct|Nov|Dez|Dec)\.\s*$/u;

/** The sentences of a text in one line, word for word and in order, by the rules of Unicode; any language. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  let open = '';
  for (const { segment } of segmenter.segment(text)) {
    open += segment;
    if (ABBREVIATION.test(open.slice(-20))) continue;
    sentences.push(open.trim());
    open = '';
  }
  if (open.trim() !== '') sentences.push(open.trim());
  return sentences.filter((sentence) => sentence !== '');
}
