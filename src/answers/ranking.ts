import MiniSearch from 'minisearch';
import type { Content } from '../html/content.ts';
import { type Passage, passagesOf } from './passages.ts';
import { kindOfQuestion } from './question-kind.ts';
import { functionWords, wordsOf } from './words.ts';

/** Words of a question that are looked for. */
const MOST_TERMS = 60;
/** Less than this share of the words that are looked for is a coincidence. */
const LEAST_COVER = 0.33;
/** A passage far behind the best one is about something else. */
const LEAST_SCORE = 0.4;
/** How much better a passage is that shows what the kind of question asks for. */
const FITS = 1.6;

/**
 * The passages of the content that have most to do with a question or query, in the order of the page: by BM25 over
 * their words and the heading above them, beginnings and small misspellings of words too. Empty where nothing has.
 */
export function findPassages(content: Content, question: string, most: number): Passage[] {
  const terms = termsOf(question, String(content.metadata.language ?? ''));
  if (terms.length === 0) return [];
  const kind = kindOfQuestion(question);
  const passages = passagesOf(content);
  const found = indexOf(passages)
    .search([...terms, ...(kind?.words ?? [])].join(' '), {
      prefix: (term) => term.length >= 4,
      fuzzy: (term) => (term.length >= 5 ? 0.2 : false),
      boost: { text: 1, section: 1 },
      weights: { prefix: 0.6, fuzzy: 0.4 },
      boostDocument: (id) => (kind?.shown.test(passages[Number(id)]!.text) ? FITS : 1),
    })
    .filter(({ id, queryTerms }) => {
      const asked = queryTerms.filter((term) => terms.includes(term)).length;
      const isOfKind = queryTerms.some((term) => kind?.words.includes(term));
      const fits = kind?.shown.test(passages[id]!.text) ? 1 : 0;
      return (asked > 0 || isOfKind) && (asked + fits) / terms.length >= LEAST_COVER;
    });
  const best = found[0]?.score ?? 0;
  return found
    .filter(({ score }) => score >= best * LEAST_SCORE)
    .toSorted((one, other) => other.score - one.score || one.id - other.id)
    .slice(0, most)
    .map(({ id }) => passages[id]!)
    .toSorted((one, other) => one.id - other.id);
}

/** What English questions are asked with, beside its function words. */
const ASKING = new Set(
  'what which who whom whose when where why how does did do doing done much many long often will would can could shall should may might must has have had is are was were be been get got there it its they them you your we our i my me tell give show find list please'.split(
    ' ',
  ),
);

/** The words of a question that say something: by the page's language and by English, in which many ask. */
function termsOf(question: string, language: string): string[] {
  const words = [...new Set(wordsOf(question))];
  const telling = words.filter(
    (word) => ![ASKING, functionWords('en'), functionWords(language)].some((list) => list.has(word)),
  );
  return telling.slice(0, MOST_TERMS);
}

function indexOf(passages: Passage[]): MiniSearch<Passage> {
  const index = new MiniSearch<Passage>({
    fields: ['text', 'section'],
    tokenize: wordsOf,
    // The words are ready.
    processTerm: (term) => term,
  });
  index.addAll(passages);
  return index;
}
