import { z } from 'zod';
import {
  callerFields,
  checkScrapeOptions,
  resolveScrapeOptions,
  scrapeOptionFields,
} from './scrape-options.ts';
import { webhook } from './webhook.ts';

/** Body of `POST /v2/batch/scrape`. */
export const batchBody = z
  .strictObject({
    urls: z.array(z.string()).min(1, 'urls must name at least one page').describe('addresses of the pages'),
    webhook: webhook.optional(),
    appendToId: z
      .uuid()
      .optional()
      .describe(
        'a batch of the team that the pages are added to. They are scraped with its options: leave those out or repeat them, others are refused',
      ),
    ignoreInvalidURLs: z
      .boolean()
      .default(true)
      .describe(
        'leave addresses out that are none, and list them in invalidURLs, instead of refusing the request',
      ),
    maxConcurrency: z
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe(
        'most pages at once, also of one host; default: what the team may, and 8 per host unless the operator set another number',
      ),
    ...scrapeOptionFields,
    zeroDataRetention: z.boolean().default(false).describe('keep nothing of this request'),
    ...callerFields,
  })
  .superRefine(checkScrapeOptions)
  .transform(resolveScrapeOptions);

/** The body of a batch request after validation, with defaults filled in. */
export type BatchRequest = z.output<typeof batchBody>;
