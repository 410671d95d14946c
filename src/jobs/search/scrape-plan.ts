import { expectedPriceOf } from '../../credits.ts';
import type { SearchData, SearchRequest } from '../../schemas/search.ts';
import type { FoundResults } from './found-results.ts';

/**
 * The part of its timeout that a search with scrapes keeps for adding their documents, and its limit in
 * milliseconds.
 */
const STORING_SHARE = 1 / 10;
const MAX_STORING_MS = 2_000;
/** The least timeout of a scrape. */
const MIN_SCRAPE_MS = 1_000;

/** The milliseconds that a search waits for its scrapes. @param leftMs milliseconds until its timeout */
export const scrapeWaitMs = (leftMs: number) =>
  Math.max(MIN_SCRAPE_MS, Math.round(leftMs - Math.min(leftMs * STORING_SHARE, MAX_STORING_MS)));

/** The results that can be scraped. */
const pagesOf = ({ web = [], news = [] }: SearchData) => [...web, ...news];

/**
 * Selects the URLs to scrape, each once: all of them, or as many as the team has credits for. The warnings
 * say so.
 */
export function planScrapes(
  { scrapeOptions }: SearchRequest,
  { found, leftCredits = Number.POSITIVE_INFINITY }: { found: FoundResults; leftCredits: number | undefined },
): { urls: string[]; warnings: string[] } {
  if (scrapeOptions.formats.length === 0) return { urls: [], warnings: [] };
  const all = [...new Set(pagesOf(found.data).map(({ url }) => url))];
  const urls = all.slice(0, Math.max(0, Math.floor(leftCredits / expectedPriceOf(scrapeOptions))));
  const left = all.length - urls.length;
  return {
    urls,
    warnings: left ? [`${left} results were not scraped, because the team has too few credits left.`] : [],
  };
}
