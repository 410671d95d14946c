import type { Content } from '../html/content.ts';
import { splitSentences } from './sentences.ts';
import { functionWords, tokenizeWords } from './words.ts';

/** A summary, and whether it was made from sentences or is the page's own description. */
export interface Summary {
  text: string;
  by: 'sentences' | 'description';
}

const MAX_SENTENCES = 5;
const MAX_CHARACTERS = 1_200;
/** Most sentences considered: the first ones of a long page say what it is about. */
const MAX_CANDIDATES = 1_000;
const MIN_WORDS = 6;
const MAX_WORDS = 60;
/** Two sentences that share a larger part of their words count as repetition. */
const MAX_OVERLAP = 0.5;

interface Candidate {
  text: string;
  order: number;
  words: Set<string>;
  score: number;
}

/**
 * Summarizes the content by its most central sentences, verbatim and in order (centroid method of Radev et
 * al., 2004). Early sentences and those with words of the title rank higher; repetitions are left out. A page
 * without sentences is summarized by its own description.
 * @returns `undefined` without sentences and description
 */
export function summarize({ blocks, metadata }: Content): Summary | undefined {
  const language = String(metadata.language ?? 'en');
  const candidates = blocks
    .filter(({ kind }) => kind === 'text' || kind === 'item')
    .flatMap(({ text }) => splitSentences(text))
    .slice(0, MAX_CANDIDATES)
    .map((text, order) => ({ text, order, ...contentWords(text, language), score: 0 }))
    .filter(({ length, text }) => length >= MIN_WORDS && length <= MAX_WORDS && isProse(text));
  if (candidates.length === 0) return pageDescription(metadata.description);
  const title = [metadata.title, metadata.ogTitle, metadata.description].join(' ');
  scoreCandidates(candidates, contentWords(title, language).words);
  const chosen = selectSentences(
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

function pageDescription(description: string | string[] | undefined): Summary | undefined {
  const text = [description ?? []].flat().join(' ').trim();
  return text === '' ? undefined : { text: text.slice(0, MAX_CHARACTERS), by: 'description' };
}

/** Whether a text is a sentence rather than labels, numbers or code. */
const isProse = (text: string) =>
  /[.!?…。!?։؟।]["'”’»)\]]*$/u.test(text) && (text.match(/[\d|<>{}=/\\]/g)?.length ?? 0) < text.length / 8;

function contentWords(text: string, language: string): { words: Set<string>; length: number } {
  const all = tokenizeWords(text);
  const empty = functionWords(language);
  return { words: new Set(all.filter((word) => !empty.has(word) && word.length > 0)), length: all.length };
}

/** Scores candidates by their similarity to the centroid, with words weighted by frequency and rarity. */
function scoreCandidates(candidates: Candidate[], titleWords: Set<string>): void {
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

/** Selects the best sentences without repetitions, within the length of a summary. */
function selectSentences(ranked: Candidate[]): Candidate[] {
  const wanted = Math.min(MAX_SENTENCES, Math.max(3, Math.ceil(Math.sqrt(ranked.length))));
  const chosen: Candidate[] = [];
  let room = MAX_CHARACTERS;
  for (const candidate of ranked) {
    if (chosen.length === wanted) break;
    if (
      candidate.text.length > room ||
      chosen.some((other) => wordOverlap(candidate.words, other.words) > MAX_OVERLAP)
    ) {
      continue;
    }
    chosen.push(candidate);
    room -= candidate.text.length + 1;
  }
  return chosen;
}

function wordOverlap(one: Set<string>, other: Set<string>): number {
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared / (Math.min(one.size, other.size) || 1);
}
