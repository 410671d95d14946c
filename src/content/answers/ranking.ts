import MiniSearch from 'minisearch';
import type { Content } from '../html/content.ts';
import { type Passage, splitPassages } from './passages.ts';
import { classifyQuestion } from './question-kind.ts';
import { functionWords, tokenizeWords } from './words.ts';

/** Most words of a question that are searched for. */
const MAX_TERMS = 60;
/** Least share of the searched words that a passage must contain. */
const MIN_COVERAGE = 0.33;
/** Least score of a passage, relative to the best one. */
const MIN_RELATIVE_SCORE = 0.4;
/** Boost of a passage that has what the kind of question asks for, such as a price. */
const KIND_BOOST = 1.6;

/**
 * Finds the passages most relevant to a question, in page order: BM25 over their words and the heading above
 * them, with prefix and fuzzy matches.
 * @param most passages to return
 * @returns an empty list where nothing is relevant
 */
export function findPassages(content: Content, question: string, most: number): Passage[] {
  const terms = queryTerms(question, String(content.metadata.language ?? ''));
  if (terms.length === 0) return [];
  const kind = classifyQuestion(question);
  const passages = splitPassages(content);
  const found = createIndex(passages)
    .search([...terms, ...(kind?.words ?? [])].join(' '), {
      prefix: (term) => term.length >= 4,
      fuzzy: (term) => (term.length >= 5 ? 0.2 : false),
      boost: { text: 1, section: 1 },
      weights: { prefix: 0.6, fuzzy: 0.4 },
      boostDocument: (id) => (kind?.answerPattern.test(passages[Number(id)]!.text) ? KIND_BOOST : 1),
    })
    .filter(({ id, queryTerms }) => {
      const matchedTerms = queryTerms.filter((term) => terms.includes(term)).length;
      const isOfKind = queryTerms.some((term) => kind?.words.includes(term));
      const fits = kind?.answerPattern.test(passages[id]!.text) ? 1 : 0;
      return (matchedTerms > 0 || isOfKind) && (matchedTerms + fits) / terms.length >= MIN_COVERAGE;
    });
  const best = found[0]?.score ?? 0;
  return found
    .filter(({ score }) => score >= best * MIN_RELATIVE_SCORE)
    .toSorted((one, other) => other.score - one.score || one.id - other.id)
    .slice(0, most)
    .map(({ id }) => passages[id]!)
    .toSorted((one, other) => one.id - other.id);
}

/** Words of English questions that say nothing about the subject, beside English function words. */
const QUESTION_WORDS = new Set(
  'what which who whom whose when where why how does did do doing done much many long often will would can could shall should may might must has have had is are was were be been get got there it its they them you your we our i my me tell give show find list please'.split(
    ' ',
  ),
);

/**
 * The meaningful words of a question, without function words of the page's language and of English, in which
 * many users ask.
 */
function queryTerms(question: string, language: string): string[] {
  const words = [...new Set(tokenizeWords(question))];
  const telling = words.filter(
    (word) => ![QUESTION_WORDS, functionWords('en'), functionWords(language)].some((list) => list.has(word)),
  );
  return telling.slice(0, MAX_TERMS);
}

function createIndex(passages: Passage[]): MiniSearch<Passage> {
  const index = new MiniSearch<Passage>({
    fields: ['text', 'section'],
    tokenize: tokenizeWords,
    // `tokenizeWords` normalizes the words already.
    processTerm: (term) => term,
  });
  index.addAll(passages);
  return index;
}
