import { splitWords } from '../answers/words.ts';
import type { WeighedTerm } from './query-terms.ts';

/** A page of the index that has words of a query. */
export interface FoundPage {
  content: string;
  /** The weights of words of the query that the page has; see {@link WeighedTerm.isInScore}. */
  score: number;
}

/** A page with its score, and the part of its text that fits the query best. */
export interface RankedPage<Page> {
  page: Page;
  score: number;
  /** Empty if the text has none of the words. */
  highlight: string;
}

/** The weight of words that are in one sentence, relative to words anywhere. */
const SENTENCE_SHARE = 1;
/** Lengths of a highlight in characters. */
const MIN_HIGHLIGHT = 160;
const MAX_HIGHLIGHT = 300;
const MAX_SENTENCE = 600;

/**
 * Sorts pages by their scores and by how many of the words they have in one sentence.
 * @param terms the words of the query
 */
export function rankPages<Page extends FoundPage>(
  pages: readonly Page[],
  terms: readonly WeighedTerm[],
): RankedPage<Page>[] {
  const termOf = new Map(terms.flatMap((term, index) => term.forms.map((form) => [form, index])));
  const weigh = (found: Iterable<number>) => [...found].reduce((sum, index) => sum + terms[index]!.weight, 0);
  return pages
    .map((page) => {
      const all = new Set<number>();
      const sentences = splitPassages(page.content).map((text) => {
        const found = termsIn(text, termOf);
        for (const index of found) all.add(index);
        return { text, score: weigh(found) };
      });
      const best = sentences.reduce((most, { score }) => Math.max(most, score), 0);
      const others = weigh([...all].filter((index) => !terms[index]!.isInScore));
      const score = page.score + others + SENTENCE_SHARE * best;
      return { page, score, highlight: best === 0 ? '' : highlightOf(sentences, best) };
    })
    .sort((one, other) => other.score - one.score);
}

function termsIn(text: string, termOf: ReadonlyMap<string, number>): Set<number> {
  const found = new Set<number>();
  for (const word of splitWords(text)) {
    const index = termOf.get(word);
    if (index !== undefined) found.add(index);
  }
  return found;
}

/** Splits a text at line breaks, and its lines at the ends of sentences. */
const splitPassages = (content: string): string[] =>
  content
    .split(/\n|(?<=[.!?…]["”’)]?)\s+(?=[^\s.,;)])|(?<=[。！？])/u)
    .filter((sentence) => sentence !== '')
    .map((sentence) => sentence.slice(0, MAX_SENTENCE));

/** The first of the best sentences, with those after it while they are short. */
function highlightOf(sentences: { text: string; score: number }[], best: number): string {
  const first = sentences.findIndex(({ score }) => score === best);
  let highlight = sentences[first]?.text ?? '';
  for (const { text } of sentences.slice(first + 1)) {
    if (highlight.length >= MIN_HIGHLIGHT) break;
    highlight += ` ${text}`;
  }
  return highlight.length > MAX_HIGHLIGHT ? `${cutAtWord(highlight)}…` : highlight;
}

function cutAtWord(text: string): string {
  const cut = text.slice(0, MAX_HIGHLIGHT).toWellFormed();
  const end = cut.lastIndexOf(' ');
  return end > MIN_HIGHLIGHT ? cut.slice(0, end) : cut;
}
