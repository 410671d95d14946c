import { z } from 'zod';
import { validate } from '../validation/validate.ts';
import type { TranslatedBody } from './older-route.ts';
import { nameData, scrapeOptionFields, translateScrapeOptions } from './scrape-options.ts';

const scrapeBody = z.looseObject({ url: z.string(), ...scrapeOptionFields });

/** Converts the body of `POST /v1/scrape`. */
export function translateScrapeRequest(sent: unknown): TranslatedBody {
  const { options, jsonNames } = translateScrapeOptions(validate(scrapeBody, sent, 'body'));
  return { body: options, amend: (checked) => nameData(checked, { jsonNames }) };
}
