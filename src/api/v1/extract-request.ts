import { extractBody } from '../../schemas/extract.ts';
import { validate } from '../validation/validate.ts';
import { knownMembers } from './known-members.ts';
import type { TranslatedBody } from './older-route.ts';
import { scrapeOptions, translateScrapeOptions } from './scrape-options.ts';

const olderBody = knownMembers({ scrapeOptions: scrapeOptions.optional() }, extractBody);

/** Converts the body of `POST /v1/extract`. */
export function translateExtractRequest(sent: unknown): TranslatedBody {
  const { scrapeOptions: pages, ...same } = validate(olderBody, sent, 'body');
  return { body: { ...same, ...(pages && { scrapeOptions: translateScrapeOptions(pages).options }) } };
}
