import { searchBody } from '../../schemas/search.ts';
import { validate } from '../validation/validate.ts';
import { knownMembers } from './known-members.ts';
import type { TranslatedBody } from './older-route.ts';
import { nameDataOfPages, scrapeOptions, translateScrapeOptions } from './scrape-options.ts';

/** How many results version 1 returned by default. */
const LIMIT = 5;

const olderBody = knownMembers({ scrapeOptions: scrapeOptions.optional() }, searchBody);

/** Converts the body of `POST /v1/search`. */
export function translateSearchRequest(sent: unknown): TranslatedBody {
  const { scrapeOptions: pages = {}, ...same } = validate(olderBody, sent, 'body');
  const { options, jsonNames } = translateScrapeOptions(pages);
  return {
    body: { limit: LIMIT, ...same, sources: ['web'], scrapeOptions: options },
    amend: (checked) => nameDataOfPages(checked, { jsonNames }),
  };
}
