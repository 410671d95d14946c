import type { MapLink } from './map-links.ts';

/** How much a word counts by where it stands. */
const WEIGHTS = { url: 2, title: 2, description: 1 };
/** A word that only holds what was asked for, as `webhooks-v2` holds `webhook`, counts as part of one. */
const PART = 0.5;
const LEAST_PART_CHARACTERS = 3;
/** The usual constants of BM25: how soon repetition stops to count, and how much length counts against it. */
const SATURATION = 1.2;
const LENGTH = 0.75;

/** Letters as people type them: no accents, no capitals. */
const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
/** One form for one thing and several of it, as far as English goes. */
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

/** Host, path and query; the scheme and `www` say nothing. */
const urlWords = (url: string) => wordsOf(decoded(url.replace(/^https?:\/\/(?:www\.)?/i, '')));

/** A link as BM25 sees it. */
interface Entry {
  link: MapLink;
  /** How often each asked word occurs, weighted. */
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
 * Orders links by how well they fit some words (BM25 over the words of address, title and description). All of them
 * stay; those that fit equally well, or not at all, keep their order.
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
      // One count and one rarity for each asked word.
      (sum, count, index) => sum + (rarities[index]! * count * (SATURATION + 1)) / (count + slope),
      0,
    );
    return { link, score };
  });
  return scored.sort((a, b) => b.score - a.score).map(({ link }) => link);
}
