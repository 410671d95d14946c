import { CRAWL_MEANINGS } from './crawl-meanings.ts';
import { JOB_MEANINGS } from './job-meanings.ts';
import type { Meanings } from './meaning.ts';
import { SCRAPE_MEANINGS } from './scrape-meanings.ts';
import { SEARCH_MEANINGS } from './search-meanings.ts';

/** What options of other tools mean, by the words in their names; what fits a place best comes first. */
export const MEANINGS: readonly Meanings[] = [
  ...CRAWL_MEANINGS,
  ...SEARCH_MEANINGS,
  ...JOB_MEANINGS,
  ...SCRAPE_MEANINGS,
];
