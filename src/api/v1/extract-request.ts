import { z } from 'zod';
import { validate } from '../validation/validate.ts';
import type { TranslatedBody } from './older-route.ts';
import { scrapeOptions, translateScrapeOptions } from './scrape-options.ts';

const extractBody = z.looseObject({ scrapeOptions: scrapeOptions.optional() });

/** Converts the body of `POST /v1/extract`. */
export function translateExtractRequest(sent: unknown): TranslatedBody {
  const { scrapeOptions: pages, ...same } = validate(extractBody, sent, 'body');
  return { body: { ...same, ...(pages && { scrapeOptions: translateScrapeOptions(pages).options }) } };
}
