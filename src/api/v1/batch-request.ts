import { batchBody } from '../../schemas/batch.ts';
import { validate } from '../validation/validate.ts';
import { knownMembers } from './known-members.ts';
import type { TranslatedBody } from './older-route.ts';
import { nameData, scrapeOptionFields, translateScrapeOptions } from './scrape-options.ts';

const olderBody = knownMembers(scrapeOptionFields, batchBody);

/** Converts the body of `POST /v1/batch/scrape`, which refused invalid URLs unless told otherwise. */
export function translateBatchRequest(sent: unknown): TranslatedBody {
  const { options, jsonNames } = translateScrapeOptions(validate(olderBody, sent, 'body'));
  return {
    body: { ignoreInvalidURLs: false, ...options },
    amend: (checked) => nameData(checked, { jsonNames }),
  };
}
