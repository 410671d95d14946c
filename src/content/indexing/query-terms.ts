import { functionWords, splitWords } from '../answers/words.ts';

/** A word of a query. */
export interface QueryTerm {
  /** The word, with its singular and plural. A page that has any of them has the word. */
  forms: string[];
}

/** A word of a query with its weight: the rarer a word, the more it says. */
export interface WeighedTerm extends QueryTerm {
  weight: number;
  /**
   * Whether the scores of found pages contain it. Common words beside rare ones are compared only in the
   * pages found.
   */
  isInScore: boolean;
}

/** Most words of a query that are searched for. */
const MAX_TERMS = 32;
const PLURAL = /^[a-z]{4,}s$/;
const ENDS_LIKE_A_PLURAL = /(?:ss|us|is)$/;

/**
 * The words of a query that say something about its subject: those that are not function words of English and
 * of the language of the search. A query of function words only is searched for as it is.
 * @param language such as `de`
 */
export function queryTerms(query: string, language: string): QueryTerm[] {
  const words = [...new Set(splitWords(query))];
  const lists = [functionWords('en'), functionWords(language)];
  const telling = words.filter((word) => !lists.some((list) => list.has(word)));
  return (telling.length ? telling : words).slice(0, MAX_TERMS).map((word) => ({ forms: formsOf(word) }));
}

function formsOf(word: string): string[] {
  if (!/^[a-z]{3,}$/.test(word)) return [word];
  if (PLURAL.test(word) && !ENDS_LIKE_A_PLURAL.test(word)) return [word, word.slice(0, -1)];
  return ENDS_LIKE_A_PLURAL.test(word) ? [word] : [word, `${word}s`];
}
