import { z } from 'zod';
import { document } from './document.ts';
import {
  callerFields,
  checkScrapeOptions,
  resolveScrapeOptions,
  scrapeOptionFields,
} from './scrape-options.ts';

/** Body of `POST /v2/scrape`. */
export const scrapeBody = z
  .strictObject({
    url: z.string().describe('address of the page; http:// is put in front of one without a scheme'),
    ...scrapeOptionFields,
    zeroDataRetention: z.boolean().default(false).describe('keep nothing of this request'),
    ...callerFields,
  })
  .superRefine(checkScrapeOptions)
  .transform(resolveScrapeOptions);

/** The body of a scrape request after validation, with defaults filled in. */
export type ScrapeRequest = z.output<typeof scrapeBody>;

/** Response of `POST /v2/scrape`. */
export const scrapeAnswer = z.object({
  success: z.literal(true),
  data: document,
  scrape_id: z.uuid().optional().describe('only for callers whose origin contains "website"'),
});

/** Response of `GET /v2/scrape/{id}`. */
export const scrapeStatus = z.object({
  success: z.literal(true),
  status: z.enum(['scraping', 'completed']),
  data: document.optional().describe('present when the scrape is completed'),
});
