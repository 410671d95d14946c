import type { MapLink } from './map-links.ts';

/** The weight of a word in each field. */
const WEIGHTS = { url: 2, title: 2, description: 1 };
/** The weight of a word that only contains the search word, such as `webhookserver` for `webhook`. */
const PARTIAL_MATCH_WEIGHT = 0.5;
const MIN_PARTIAL_CHARACTERS = 3;
/**
 * The usual constants k1 and b of BM25: how fast repetition saturates, and how much long texts are penalized.
 */
const BM25_K1 = 1.2;
const BM25_B = 0.75;

/** Removes accents and converts to lower case, because users often type neither. */
const foldCase = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
/** Removes the plural `s` of English words, so that singular and plural match. */
const singular = (word: string) =>
  word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;

function splitWords(text: string): string[] {
  const separated = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2');
  return (foldCase(separated).match(/[\p{L}\p{N}]+/gu) ?? []).map(singular);
}

function tryDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** The words of a URL without its scheme and `www`, which most URLs have in common. */
const urlWords = (url: string) => splitWords(tryDecode(url.replace(/^https?:\/\/(?:www\.)?/i, '')));

/** The data of a link that BM25 needs. */
interface ScoredLink {
  link: MapLink;
  /** The weighted number of occurrences of each search word. */
  counts: number[];
  length: number;
}

function countWord(words: readonly string[], searchWord: string): number {
  let count = 0;
  for (const word of words) {
    if (word === searchWord) count++;
    else if (searchWord.length >= MIN_PARTIAL_CHARACTERS && word.includes(searchWord))
      count += PARTIAL_MATCH_WEIGHT;
  }
  return count;
}

function countMatches(link: MapLink, searchWords: readonly string[]): ScoredLink {
  const fields = {
    url: urlWords(link.url),
    title: splitWords(link.title ?? ''),
    description: splitWords(link.description ?? ''),
  };
  const counts = searchWords.map(
    (word) =>
      WEIGHTS.url * countWord(fields.url, word) +
      WEIGHTS.title * countWord(fields.title, word) +
      WEIGHTS.description * countWord(fields.description, word),
  );
  const length =
    WEIGHTS.url * fields.url.length +
    WEIGHTS.title * fields.title.length +
    WEIGHTS.description * fields.description.length;
  return { link, counts, length };
}

/**
 * Sorts links by relevance to search words, using BM25 over the words of URL, title and description. No link
 * is removed. Links with equal scores, including those that do not match, keep their order.
 */
export function rankLinks(links: readonly MapLink[], search: string): MapLink[] {
  const searchWords = [...new Set(splitWords(search))];
  if (searchWords.length === 0) return [...links];
  const entries = links.map((link) => countMatches(link, searchWords));
  const average = entries.reduce((sum, { length }) => sum + length, 0) / Math.max(entries.length, 1);
  const rarities = searchWords.map((_, index) => {
    const matching = entries.filter(({ counts }) => counts[index]! > 0).length;
    return Math.log(1 + (entries.length - matching + 0.5) / (matching + 0.5));
  });
  const scored = entries.map(({ link, counts, length }) => {
    const normalization = BM25_K1 * (1 - BM25_B + (BM25_B * length) / average);
    const score = counts.reduce(
      // `counts` and `rarities` both have one item for each search word.
      (sum, count, index) => sum + (rarities[index]! * count * (BM25_K1 + 1)) / (count + normalization),
      0,
    );
    return { link, score };
  });
  return scored.sort((a, b) => b.score - a.score).map(({ link }) => link);
}
