import type { SearchData } from '../../schemas/search.ts';

/** The results of a provider, before any is scraped. */
export interface FoundResults {
  data: SearchData;
  /** Sentences for the user: which index was searched, and why results may be missing. */
  warnings: string[];
}
