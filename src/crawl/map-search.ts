import type { MapLink } from './map-links.ts';

/** The weight of a word in each field. */
const WEIGHTS = { url: 2, title: 2, description: 1 };
/** The weight of a word that only contains the search word, such as `webhookserver` for `webhook`. */
const PART = 0.5;
const LEAST_PART_CHARACTERS = 3;
/**
 * The usual constants k1 and b of BM25: how fast repetition saturates, and how much long texts are penalized.
 */
const SATURATION = 1.2;
const LENGTH = 0.75;

/** Removes accents and converts to lower case, because users often type neither. */
const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
/** Removes the plural `s` of English words, so that singular and plural match. */
const singular = (word: string) =>
  word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;

function wordsOf(text: string): string[] {
  const apart = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2');
  return (plain(apart).match(/[\p{L}\p{N}]+/gu) ?? []).map(singular);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** The words of a URL without its scheme and `www`, which most URLs have in common. */
const urlWords = (url: string) => wordsOf(decoded(url.replace(/^https?:\/\/(?:www\.)?/i, '')));

/** The data of a link that BM25 needs. */
interface Entry {
  link: MapLink;
  /** The weighted number of occurrences of each search word. */
  counts: number[];
  length: number;
}

function countIn(words: readonly string[], asked: string): number {
  let count = 0;
  for (const word of words) {
    if (word === asked) count++;
    else if (asked.length >= LEAST_PART_CHARACTERS && word.includes(asked)) count += PART;
  }
  return count;
}

function read(link: MapLink, asked: readonly string[]): Entry {
  const fields = {
    url: urlWords(link.url),
    title: wordsOf(link.title ?? ''),
    description: wordsOf(link.description ?? ''),
  };
  const counts = asked.map(
    (word) =>
      WEIGHTS.url * countIn(fields.url, word) +
      WEIGHTS.title * countIn(fields.title, word) +
      WEIGHTS.description * countIn(fields.description, word),
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
export function orderBySearch(links: readonly MapLink[], search: string): MapLink[] {
  const asked = [...new Set(wordsOf(search))];
  if (asked.length === 0) return [...links];
  const entries = links.map((link) => read(link, asked));
  const average = entries.reduce((sum, { length }) => sum + length, 0) / Math.max(entries.length, 1);
  const rarities = asked.map((_, index) => {
    const having = entries.filter(({ counts }) => counts[index]! > 0).length;
    return Math.log(1 + (entries.length - having + 0.5) / (having + 0.5));
  });
  const scored = entries.map(({ link, counts, length }) => {
    const slope = SATURATION * (1 - LENGTH + (LENGTH * length) / average);
    const score = counts.reduce(
      // `counts` and `rarities` both have one item for each search word.
      (sum, count, index) => sum + (rarities[index]! * count * (SATURATION + 1)) / (count + slope),
      0,
    );
    return { link, score };
  });
  return scored.sort((a, b) => b.score - a.score).map(({ link }) => link);
}
