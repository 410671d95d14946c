import stopword from 'stopword';
import { segmentsOf } from './segments.ts';

/**
 * Splits a text into words for comparison: lower case, without accents. Works for languages without spaces
 * too.
 */
export function tokenizeWords(text: string): string[] {
  const words = [];
  for (const { segment, isWordLike } of segmentsOf(text, 'word'))
    if (isWordLike) words.push(normalizeWord(segment));
  return words;
}

const normalizeWord = (text: string) =>
  text.normalize('NFKD').replace(MAY_HAVE_ACCENTS, withoutMarks).toLowerCase();

const withoutMarks = (text: string) => text.replace(/\p{M}+/gu, '');

/** All accents are in these code units. To look for them by code units takes a fraction of the time. */
const MAY_HAVE_ACCENTS = /[\u0300-\uffff]+/g;

/**
 * Letters of scripts whose words are not separated by spaces: Thai, Lao, Tibetan, Burmese, Khmer, Chinese and
 * Japanese.
 */
const UNSPACED = '\\u0e00-\\u109f\\u1780-\\u17ff\\u3040-\\u30ff\\u3400-\\u9fff\\u{20000}-\\u{323af}';
const UNSPACED_RUNS = new RegExp(`[${UNSPACED}][\\p{L}\\p{M}\\p{N}]*`, 'gu');
/**
 * A character that may belong to such a script, and one that may stand for a letter or digit beyond ASCII.
 * They are looked for by code units, which takes a fraction of the time: above U+FFFF, half a character other
 * than an emoji is enough to look more closely.
 */
const MAY_BE_UNSPACED = /[\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\ud840-\ud888]/;
const MAY_BE_LETTER =
  /[\u00aa\u00b2\u00b3\u00b5\u00b9\u00ba\u00bc-\u00be\u00c0-\u1fff\u2070-\u209c\u2100-\u218f\u2460-\u24ff\u2c00-\u2fff\u3040-\ud83c\ud83f-\ufdff\ufe10-\uffff]/;

/**
 * Splits a text into words as `tokenizeWords` does, but at every character that is neither a letter nor a
 * digit, which takes a third of the time. Only scripts without spaces are segmented by a dictionary.
 */
export function splitWords(text: string): string[] {
  if (!hasLettersBeyondAscii(text)) return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  // A text may contain half of a surrogate pair of such a script, but no run of its letters.
  const runs = MAY_BE_UNSPACED.test(text) ? text.match(UNSPACED_RUNS) : null;
  if (!runs) return splitSpaced(text);
  return [...splitSpaced(text.replace(UNSPACED_RUNS, ' ')), ...tokenizeWords(runs.join(' '))];
}

/** The words of a text whose words are separated. */
const splitSpaced = (text: string): string[] =>
  separateLetters(text)
    .toLowerCase()
    .match(/[a-z0-9\x80-\uffff]+/g) ?? [];

/**
 * Tells whether a text may have letters or digits beyond ASCII. If not, all characters beyond ASCII separate
 * words.
 */
export const hasLettersBeyondAscii = (text: string): boolean => MAY_BE_LETTER.test(text);

/**
 * Gives a text the same words, as `splitWords` returns them, with nothing else beyond ASCII, so that words
 * end only at ASCII characters. ASCII letters stay as they are, also those in upper case.
 */
export const separateWords = (text: string): string =>
  MAY_BE_UNSPACED.test(text) ? splitWords(text).join(' ') : separateLetters(text);

const BEYOND_ASCII = /[^\0-\x7f]+/g;
const NEITHER_LETTER_NOR_ASCII = /[^\p{L}\p{N}\0-\x7f]+/gu;

/**
 * Normalizes what is beyond ASCII, and replaces what is not a letter or digit by spaces. Most texts have
 * little of it.
 */
const separateLetters = (text: string) => text.replace(BEYOND_ASCII, separateBeyondAscii);

/**
 * The replacements of short runs. Accented letters and punctuation recur, and to look them up is faster than
 * to normalize them.
 */
const separatedRuns = new Map<string, string>();
const MAX_SEPARATED_RUNS = 2_000;
const MAX_SEPARATED_CHARACTERS = 2;

function separateBeyondAscii(run: string): string {
  const known = separatedRuns.get(run);
  if (known !== undefined) return known;
  const separated = MAY_BE_LETTER.test(run) ? normalizeWord(run).replace(NEITHER_LETTER_NOR_ASCII, ' ') : ' ';
  if (run.length <= MAX_SEPARATED_CHARACTERS && separatedRuns.size < MAX_SEPARATED_RUNS)
    separatedRuns.set(run, separated);
  return separated;
}

/** ISO 639-3 codes of the word lists, by ISO 639-1 code. */
const LIST_CODES: Record<string, string> = {
  ar: 'ara',
  bg: 'bul',
  ca: 'cat',
  cs: 'ces',
  da: 'dan',
  de: 'deu',
  el: 'ell',
  en: 'eng',
  es: 'spa',
  et: 'est',
  fa: 'fas',
  fi: 'fin',
  fr: 'fra',
  he: 'heb',
  hi: 'hin',
  hr: 'hrv',
  hu: 'hun',
  id: 'ind',
  it: 'ita',
  ja: 'jpn',
  ko: 'kor',
  lt: 'lit',
  lv: 'lav',
  nl: 'nld',
  no: 'nob',
  pl: 'pol',
  pt: 'por',
  ro: 'ron',
  ru: 'rus',
  sk: 'slk',
  sl: 'slv',
  sv: 'swe',
  tr: 'tur',
  uk: 'ukr',
  vi: 'vie',
  zh: 'zho',
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
