import MiniSearch from 'minisearch';
import { functionWords, tokenizeWords } from '../../content/answers/words.ts';
import type { GuideSection } from './read-guides.ts';

/** A section that may answer a question. */
export interface FoundSection extends GuideSection {
  /** Words of the question that it contains. */
  words: string[];
}

/** Words that nearly every question about the service has, so that they tell no section from another. */
const COMMON = new Set(
  'what which who whom whose when where why how does did do doing done much many long often will would can could shall should may might must has have had is are was were be been get got there it its they them you your we our i my me tell give show find list please want need use using mean means'.split(
    ' ',
  ),
);

/** Words of users, with the words that the guides use instead. */
const SYNONYMS: Record<string, string[]> = {
  crawler: ['crawl', 'crawls'],
  respect: ['obey'],
  javascript: ['scripts', 'script'],
  js: ['scripts'],
  word: ['document', 'docx'],
  phone: ['mobile'],
  cookies: ['headers', 'profile'],
  intranet: ['private', 'networks'],
  localhost: ['private', 'localhost'],
  slowly: ['delay', 'slow'],
  website: ['site'],
  expire: ['lifetime', 'ttl'],
  expires: ['lifetime', 'ttl'],
  captcha: ['challenge', 'blocks'],
  price: ['cost', 'costs', 'product'],
  cost: ['costs', 'credits'],
  login: ['logged', 'profile'],
  twice: ['once', 'repeated'],
  old: ['stale', 'outdated', 'cache'],
  down: ['retries', 'responds'],
  scanned: ['ocr', 'scan'],
};

/** Weight of a synonym beside the word of the user. */
const SYNONYM_WEIGHT = 0.5;
/** Least share of the telling words of a question that a section has to contain. */
const MIN_COVERAGE = 0.6;
/** Lowest score of a section that answers a question at all. */
const MIN_SCORE = 6;

/**
 * Words of a question that are looked for at most, and their greatest length: similar words take long to
 * find.
 */
const MAX_WORDS = 40;
const MAX_WORD_LENGTH = 40;

/** Finds sections of the guides. */
export class GuideSearch {
  readonly #sections: GuideSection[];
  readonly #index: MiniSearch<GuideSection & { id: number }>;

  constructor(sections: GuideSection[]) {
    this.#sections = sections;
    this.#index = new MiniSearch({
      fields: ['heading', 'title', 'text'],
      tokenize: tokenizeWords,
      processTerm: stem,
    });
    this.#index.addAll(sections.map((section, id) => ({ ...section, id })));
  }

  /**
   * Finds the sections that answer a question, the best one first.
   * @returns none if the guides do not cover it
   */
  search(question: string, most: number): FoundSection[] {
    const words = [...new Set(tokenizeWords(question))]
      .filter((word) => !COMMON.has(word) && !functionWords('en').has(word))
      .filter((word) => word.length <= MAX_WORD_LENGTH)
      .slice(0, MAX_WORDS);
    const known = words.filter((word) => this.#isKnown(word));
    if (known.length === 0 || known.length < words.length * MIN_COVERAGE) return [];
    const synonyms = words.flatMap((word) => SYNONYMS[word] ?? []);
    const found = this.#index.search([...words, ...synonyms].join(' '), {
      boost: { heading: 3, title: 1.5, text: 1 },
      prefix: (term) => term.length >= 4,
      fuzzy: (term) => (term.length >= 6 ? 0.15 : false),
      weights: { prefix: 0.5, fuzzy: 0.3 },
      boostTerm: (term) => (words.some((word) => stem(word) === term) ? 1 : SYNONYM_WEIGHT),
      boostDocument: (id) => (this.#sections[Number(id)]?.guide === 'api' ? API_WEIGHT : 1),
    });
    return found
      .filter(({ score }) => score >= MIN_SCORE)
      .slice(0, most)
      .map(({ id, queryTerms }) => ({ ...this.#sections[id]!, words: queryTerms }));
  }

  #isKnown(word: string): boolean {
    return (
      SYNONYMS[word] !== undefined || this.#index.search(word, { fields: ['heading', 'text'] }).length > 0
    );
  }
}

/** The reference has every word somewhere, and the guides explain. */
const API_WEIGHT = 0.4;

/** Reduces an English word to the form that its plural and its verb forms share, roughly. */
function stem(word: string): string {
  if (word.length < 5 || word.includes('_')) return word;
  return word.replace(/(?:ies)$/, 'y').replace(/(?:ing|ed|es|s|ly)$/, '');
}
