import { z } from 'zod';
import { scrapeBody } from '../../schemas/scrape.ts';
import { validate } from '../validation/validate.ts';
import { knownMembers } from './known-members.ts';
import type { TranslatedBody } from './older-route.ts';
import { nameData, scrapeOptionFields, translateScrapeOptions } from './scrape-options.ts';

const olderBody = knownMembers({ url: z.string(), ...scrapeOptionFields }, scrapeBody);

/** Converts the body of `POST /v1/scrape`. */
export function translateScrapeRequest(sent: unknown): TranslatedBody {
  const { options, jsonNames } = translateScrapeOptions(validate(olderBody, sent, 'body'));
  return { body: options, amend: (checked) => nameData(checked, { jsonNames }) };
}
