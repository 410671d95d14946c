import stopword from 'stopword';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Splits a text into words for comparison: lower case, without accents. Works for languages without spaces too. */
export function tokenizeWords(text: string): string[] {
  const words = [];
  for (const { segment, isWordLike } of segmenter.segment(text))
    if (isWordLike) words.push(normalizeWord(segment));
  return words;
}

const normalizeWord = (word: string) =>
  word
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();

/** ISO 639-3 codes of the word lists, by ISO 639-1 code. */
const LIST_CODES: Record<string, string> = {
  ...{ ar: 'ara', bg: 'bul', ca: 'cat', cs: 'ces', da: 'dan', de: 'deu', el: 'ell', en: 'eng', es: 'spa' },
  ...{ et: 'est', fa: 'fas', fi: 'fin', fr: 'fra', he: 'heb', hi: 'hin', hr: 'hrv', hu: 'hun', id: 'ind' },
  ...{ it: 'ita', ja: 'jpn', ko: 'kor', lt: 'lit', lv: 'lav', nl: 'nld', no: 'nob', pl: 'pol', pt: 'por' },
  ...{ ro: 'ron', ru: 'rus', sk: 'slk', sl: 'slv', sv: 'swe', tr: 'tur', uk: 'ukr', vi: 'vie', zh: 'zho' },
};
const cachedLists = new Map<string, Set<string>>();

/**
 * The function words of a language, such as articles and prepositions, as `tokenizeWords` returns them.
 * @param language such as `de` or `de-AT`; an unknown one gives an empty set
 */
export function functionWords(language: string): ReadonlySet<string> {
  const code = language.toLowerCase().split(/[-_]/)[0] ?? '';
  const known = cachedLists.get(code);
  if (known) return known;
  const words = new Set((stopword[LIST_CODES[code] ?? ''] ?? []).map(normalizeWord));
  cachedLists.set(code, words);
  return words;
}
