import { z } from 'zod';
import { validate } from '../validation/validate.ts';
import type { TranslatedBody } from './older-route.ts';
import { nameData, scrapeOptionFields, translateScrapeOptions } from './scrape-options.ts';

const batchBody = z.looseObject(scrapeOptionFields);

/** Converts the body of `POST /v1/batch/scrape`, which refused invalid URLs unless told otherwise. */
export function translateBatchRequest(sent: unknown): TranslatedBody {
  const { options, jsonNames } = translateScrapeOptions(validate(batchBody, sent, 'body'));
  return {
    body: { ignoreInvalidURLs: false, ...options },
    amend: (checked) => nameData(checked, { jsonNames }),
  };
}
