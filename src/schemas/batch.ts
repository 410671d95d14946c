import { z } from 'zod';
import { archive } from './page-job.ts';
import {
  callerFields,
  checkScrapeOptions,
  resolveScrapeOptions,
  scrapeOptionFields,
} from './scrape-options.ts';
import { webhook } from './webhook.ts';

/**
 * A list of URLs, as long as a body can be. One fault stands for all: describing each of 200,000 would take
 * seconds.
 */
const urls = z.preprocess(
  (value, context) => {
    const index = Array.isArray(value) ? value.findIndex((url) => typeof url !== 'string') : -1;
    if (index >= 0)
      context.addIssue({
        code: 'custom',
        path: [index],
        message: 'must be a URL as a string, such as "https://example.com"',
        input: value,
      });
    return value;
  },
  z.array(z.string()).min(1, 'urls must contain at least one URL'),
);

/** Body of `POST /v2/batch/scrape`. */
export const batchBody = z
  .strictObject({
    urls: urls.describe('URLs of the pages'),
    webhook: webhook.optional(),
    appendToId: z
      .uuid()
      .optional()
      .describe(
        'id of a batch of the team to which the pages are added. They are scraped with the options of that batch: leave options out or repeat them, because different ones are refused',
      ),
    ignoreInvalidURLs: z
      .boolean()
      .default(true)
      .describe('leave out invalid URLs and list them in invalidURLs, instead of refusing the request'),
    maxConcurrency: z
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe(
        'maximum number of concurrent pages, in all and per host; default: the limit of the team, and 8 per host unless the operator set another number',
      ),
    archive,
    ...scrapeOptionFields,
    zeroDataRetention: z
      .boolean()
      .default(false)
      .describe('zero data retention: the data of the request are encrypted, and deleted with the result'),
    ...callerFields,
  })
  .superRefine(checkScrapeOptions)
  .transform(resolveScrapeOptions);

/** The body of a batch request after validation, with defaults filled in. */
export type BatchRequest = z.output<typeof batchBody>;
