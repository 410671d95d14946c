import type { Content } from '../html/content.ts';
import { sentencesOf } from './sentences.ts';
import { functionWords, wordsOf } from './words.ts';

/** A summary, and whose words it is in. */
export interface Summary {
  text: string;
  by: 'sentences' | 'description';
}

const MOST_SENTENCES = 5;
const MOST_CHARACTERS = 1_200;
/** Sentences that are looked at: the first ones of a long page say what it is about. */
const MOST_CANDIDATES = 1_000;
const LEAST_WORDS = 6;
const MOST_WORDS = 60;
/** Two sentences with more of their words in common say the same. */
const ALIKE = 0.5;

interface Candidate {
  text: string;
  order: number;
  words: Set<string>;
  score: number;
}

/**
 * The sentences of the content that say most of what it says, word for word and in its order: those nearest to the
 * centre of all (the centroid of Radev et al., 2004), the early ones and those with words of the title before others,
 * none that repeats another. Without sentences it is the page's own description; `undefined` where there is none either.
 */
export function summaryOf({ blocks, metadata }: Content): Summary | undefined {
  const language = String(metadata.language ?? 'en');
  const candidates = blocks
    .filter(({ kind }) => kind === 'text' || kind === 'item')
    .flatMap(({ text }) => sentencesOf(text))
    .slice(0, MOST_CANDIDATES)
    .map((text, order) => ({ text, order, ...contentWords(text, language), score: 0 }))
    .filter(({ length, text }) => length >= LEAST_WORDS && length <= MOST_WORDS && isProse(text));
  if (candidates.length === 0) return ownDescription(metadata.description);
  const title = [metadata.title, metadata.ogTitle, metadata.description].join(' ');
  score(candidates, contentWords(title, language).words);
  const chosen = choose(
    candidates.toSorted((one, other) => other.score - one.score || one.order - other.order),
  );
  return {
    text: chosen
      .toSorted((one, other) => one.order - other.order)
      .map(({ text }) => text)
      .join(' '),
    by: 'sentences',
  };
}

function ownDescription(description: string | string[] | undefined): Summary | undefined {
  const text = [description ?? []].flat().join(' ').trim();
  return text === '' ? undefined : { text: text.slice(0, MOST_CHARACTERS), by: 'description' };
}

/** A line of labels, numbers or code is no sentence. */
const isProse = (text: string) =>
  /[.!?…。!?։؟।]["'”’»)\]]*$/u.test(text) && (text.match(/[\d|<>{}=/\\]/g)?.length ?? 0) < text.length / 8;

function contentWords(text: string, language: string): { words: Set<string>; length: number } {
  const all = wordsOf(text);
  const empty = functionWords(language);
  return { words: new Set(all.filter((word) => !empty.has(word) && word.length > 0)), length: all.length };
}

/** How near each is to the centre of all; words are weighed by how many sentences have them, and how few. */
function score(candidates: Candidate[], titleWords: Set<string>): void {
  const count = new Map<string, number>();
  for (const { words } of candidates) for (const word of words) count.set(word, (count.get(word) ?? 0) + 1);
  const rarity = (word: string) => Math.log(1 + candidates.length / (count.get(word) ?? 1));
  const centre = new Map([...count].map(([word, many]) => [word, many * rarity(word)]));
  for (const candidate of candidates) {
    let product = 0;
    let norm = 0;
    for (const word of candidate.words) {
      product += (centre.get(word) ?? 0) * rarity(word);
      norm += rarity(word) ** 2;
    }
    const ofTitle = [...titleWords].filter((word) => candidate.words.has(word)).length;
    const early = 1 / (1 + candidate.order / 4);
    candidate.score =
      (product / Math.sqrt(norm || 1)) * (1 + 2 * early) * (1 + ofTitle / (2 * (titleWords.size || 1)));
  }
}

/** The best, without what repeats a better one, within the bounds of a summary. */
function choose(ranked: Candidate[]): Candidate[] {
  const wanted = Math.min(MOST_SENTENCES, Math.max(3, Math.ceil(Math.sqrt(ranked.length))));
  const chosen: Candidate[] = [];
  let room = MOST_CHARACTERS;
  for (const candidate of ranked) {
    if (chosen.length === wanted) break;
    if (
      candidate.text.length > room ||
      chosen.some((other) => likeness(candidate.words, other.words) > ALIKE)
    ) {
      continue;
    }
    chosen.push(candidate);
    room -= candidate.text.length + 1;
  }
  return chosen;
}

function likeness(one: Set<string>, other: Set<string>): number {
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared / (Math.min(one.size, other.size) || 1);
}
