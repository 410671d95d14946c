import stopword from 'stopword';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The words of a text as they are compared: in lower case, without accents. Of any language, Chinese and Thai too. */
export function wordsOf(text: string): string[] {
  const words = [];
  for (const { segment, isWordLike } of segmenter.segment(text))
    if (isWordLike) words.push(plainWord(segment));
  return words;
}

const plainWord = (word: string) =>
  word
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();

/** ISO 639-3 codes of the lists, by the code that pages use. */
const LISTS: Record<string, string> = {
  ...{ ar: 'ara', bg: 'bul', ca: 'cat', cs: 'ces', da: 'dan', de: 'deu', el: 'ell', en: 'eng', es: 'spa' },
  ...{ et: 'est', fa: 'fas', fi: 'fin', fr: 'fra', he: 'heb', hi: 'hin', hr: 'hrv', hu: 'hun', id: 'ind' },
  ...{ it: 'ita', ja: 'jpn', ko: 'kor', lt: 'lit', lv: 'lav', nl: 'nld', no: 'nob', pl: 'pol', pt: 'por' },
  ...{ ro: 'ron', ru: 'rus', sk: 'slk', sl: 'slv', sv: 'swe', tr: 'tur', uk: 'ukr', vi: 'vie', zh: 'zho' },
};
const lists = new Map<string, Set<string>>();

/**
 * Words of a language that say nothing by themselves, as `wordsOf` writes them.
 * @param language such as `de` or `de-AT`; an unknown one has none
 */
export function functionWords(language: string): ReadonlySet<string> {
  const code = language.toLowerCase().split(/[-_]/)[0] ?? '';
  const known = lists.get(code);
  if (known) return known;
  const words = new Set((stopword[LISTS[code] ?? ''] ?? []).map(plainWord));
  lists.set(code, words);
  return words;
}
