import type { Content } from '../html/content.ts';
import { cutToTokens, estimateTokens } from '../language-model.ts';
import { type Passage, splitPassages } from './passages.ts';
import { findPassages } from './ranking.ts';

/** The text of a page for a language model, and what to keep of it if it is too long. Plain data. */
export interface PageText {
  url: string;
  markdown: string;
  /** All passages of a page that is too long for a prompt, in order; empty for any other. */
  passages: Passage[];
  /** Ids of passages, most relevant first. Those that are missing are the least relevant. */
  relevant: number[];
}

/** Tokens that the instructions of a prompt take at most. */
const INSTRUCTION_TOKENS = 500;
/** The most passages that are ranked by a question. */
const MAX_RELEVANT = 500;
/** Part of an excerpt without a question that is the beginning of the page. */
const BEGINNING = 0.4;

/**
 * Reads the text of a page for a language model.
 * @param promptTokens tokens that a prompt may have. Only a page that does not fit is split into passages,
 * because that takes
 *   longer than anything else that is prepared for the model
 * @param question decides which passages of a long page are relevant; without one, these are the beginning
 * and passages
 *   at regular distances
 */
export function readPageText(content: Content, promptTokens: number, question = ''): PageText {
  const { markdown, snapshot } = content;
  const page = { url: snapshot.url, markdown };
  const tokens = estimateTokens(markdown) + estimateTokens(question) + INSTRUCTION_TOKENS;
  if (tokens <= promptTokens) return { ...page, passages: [], relevant: [] };
  const passages = splitPassages(content);
  const relevant = question === '' ? [] : findPassages(content, question, MAX_RELEVANT).map(({ id }) => id);
  return { ...page, passages, relevant };
}

/** The passages of a page for a language model that selects some of them. Plain data. */
export type NumberedPassages = Omit<PageText, 'markdown'>;

/** Reads the passages of a page, with those ranked that are relevant to a query. */
export function readNumberedPassages(content: Content, query: string): NumberedPassages {
  const passages = splitPassages(content);
  const relevant = findPassages(content, query, MAX_RELEVANT).map(({ id }) => id);
  return { url: content.snapshot.url, passages, relevant };
}

/**
 * Selects as much of a page as fits: the whole page, or its most relevant passages in page order, with their
 * headings.
 * @param tokens how much fits
 */
export function selectExcerpt(page: PageText, tokens: number): { text: string; isCut: boolean } {
  if (estimateTokens(page.markdown) <= tokens) return { text: page.markdown.trim(), isCut: false };
  if (page.passages.length === 0) return cutToTokens(page.markdown.trim(), tokens);
  return { text: joinPassages(selectPassages(page, tokens)), isCut: true };
}

/** Selects as many passages as fit, the most relevant ones first, and writes them with their numbers. */
export function selectNumbered(
  page: NumberedPassages,
  tokens: number,
): { passages: Passage[]; text: string; isCut: boolean } {
  const passages = selectPassages(page, tokens);
  const text = passages.map((each) => numbered(each)).join('\n\n');
  return { passages, text, isCut: passages.length < page.passages.length };
}

const numbered = ({ id, section, text }: Passage) => `[${id}]${section ? ` (${section})` : ''} ${text}`;

/** Selects the most relevant passages that fit, in page order. */
function selectPassages(page: NumberedPassages, tokens: number): Passage[] {
  const chosen = new Set<number>();
  let left = tokens;
  for (const id of rankPassages(page, tokens)) {
    const cost = estimateTokens(`${numbered(page.passages[id]!)}\n\n`);
    if (chosen.has(id) || cost > left) continue;
    chosen.add(id);
    left -= cost;
  }
  return page.passages.filter(({ id }) => chosen.has(id));
}

/**
 * Orders the ids of passages by how much they are needed: the relevant ones, then the beginning, then the
 * rest evenly.
 */
function rankPassages({ passages, relevant }: NumberedPassages, tokens: number): number[] {
  let begun = 0;
  let beginning = 0;
  while (beginning < passages.length && begun < tokens * BEGINNING)
    begun += estimateTokens(passages[beginning++]!.text);
  const ids = passages.map(({ id }) => id);
  // Multiples of the golden ratio modulo 1: those below any limit are at regular distances.
  const order = (id: number) => (id * 0.618_034) % 1;
  const even = ids.slice(beginning).toSorted((one, other) => order(one) - order(other));
  return [...relevant, ...ids.slice(0, beginning), ...even];
}

/** Joins passages, with a heading where the section changes and a mark where passages are missing. */
function joinPassages(passages: Passage[]): string {
  let section = '';
  let next = 0;
  const parts: string[] = [];
  for (const passage of passages) {
    if (passage.id > next) parts.push('[…]');
    if (passage.section !== section && passage.section !== '') parts.push(`## ${passage.section}`);
    parts.push(passage.text);
    section = passage.section;
    next = passage.id + 1;
  }
  return parts.join('\n\n');
}

/**
 * Splits a text into parts of about this many tokens, at the ends of lines where possible.
 * @returns at least one part; `undefined` if there are more than `most`
 */
export function splitToTokens(text: string, tokens: number, most: number): string[] | undefined {
  const parts: string[] = [];
  for (let rest = text; ; ) {
    if (parts.length === most || tokens <= 0) return undefined;
    const { text: part, isCut } = cutToTokens(rest, tokens);
    parts.push(part);
    if (!isCut) return parts;
    rest = rest.slice(part.length);
  }
}
