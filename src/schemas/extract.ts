import { z } from 'zod';
import { jsonSchema, promptText } from '../content/extraction/data-request.ts';
import { bounded } from '../json/bounded.ts';
import { withKeywords } from '../json/schema-keywords.ts';
import { unlessEmpty } from '../json/unless-empty.ts';
import { runFields } from './agent-run.ts';
import {
  callerFields,
  checkScrapeOptions,
  resolveScrapeOptions,
  scrapeOptionFields,
} from './scrape-options.ts';
import { refuseUnavailable, requestsThreatProtection } from './unavailable-options.ts';
import { webhookOf } from './webhook.ts';

const MAX_URLS = 10;
const MAX_PAGES_PER_SITE = 50;

const scrapeOptions = z
  .strictObject({
    ...scrapeOptionFields,
    lockdown: withKeywords(scrapeOptionFields.lockdown, { const: false }).describe(
      'not possible in an extract',
    ),
    ...callerFields,
  })
  .partial({ origin: true })
  .superRefine(checkScrapeOptions)
  .refine(({ lockdown }) => !lockdown, {
    path: ['lockdown'],
    error: 'lockdown is not possible in an extract, whose pages are stored until it expires',
  })
  .transform(resolveScrapeOptions);

/** Body of `POST /v2/extract`. */
export const extractBody = withKeywords(
  z
    .strictObject({
      urls: bounded(z.array(z.string()), { entries: MAX_URLS })
        .default([])
        .describe('pages to read. One that ends in /* stands for a site, of which the best pages are read'),
      prompt: unlessEmpty(promptText).describe(
        'which data to extract; needs a language model. Without it and a schema, it is the main data of the pages',
      ),
      schema: jsonSchema
        .optional()
        .describe('JSON Schema of the data, draft 7 or 2020-12. Without a language model, rules fill it in'),
      systemPrompt: z.string().max(10_000).optional().describe('rules for the model, beside the prompt'),
      limit: z
        .int()
        .min(1)
        .max(MAX_PAGES_PER_SITE)
        .default(10)
        .describe('maximum number of pages that are read of each site'),
      ignoreSitemap: z.boolean().default(false).describe('find the pages of sites without their sitemaps'),
      includeSubdomains: z.boolean().default(true).describe('include other hosts of the domains of sites'),
      allowExternalLinks: z
        .boolean()
        .default(false)
        .describe('let the model open other pages of the hosts in urls and prompt'),
      enableWebSearch: z.boolean().default(false).describe('let the model search for other pages'),
      showSources: z
        .boolean()
        .default(false)
        .describe('return the URLs that each member of the data is from'),
      scrapeOptions: scrapeOptions.prefault({}).describe('options for scraping each page'),
      ignoreInvalidURLs: z
        .boolean()
        .default(true)
        .describe('leave out invalid URLs, and return them in invalidURLs'),
      timeout: z.int().min(1000).max(300_000).optional().describe('accepted, but has no effect'),
      agent: z
        .strictObject({ model: z.enum(['FIRE-1', 'v3-beta']).optional() })
        .optional()
        .describe('accepted, but has no effect'),
      webhook: webhookOf('extract').optional(),
      threatProtection: scrapeOptionFields.threatProtection,
      ...callerFields,
    })
    .refine(({ urls, prompt }) => urls.length > 0 || prompt !== undefined, {
      path: ['urls'],
      error:
        'urls is empty or missing: an extract needs at least one URL, such as ["https://example.com"], or a prompt',
    })
    .superRefine(({ threatProtection }, context) =>
      refuseUnavailable({ threatProtection: requestsThreatProtection(threatProtection) }, context),
    ),
  { anyOf: [{ required: ['urls'], properties: { urls: { minItems: 1 } } }, { required: ['prompt'] }] },
);

/** The body of an extract request after validation, with defaults filled in. */
export type ExtractRequest = z.output<typeof extractBody>;

/** Response of `POST /v2/extract`. */
export const startExtractResponse = z.object({
  success: z.literal(true),
  id: z.uuid(),
  invalidURLs: z
    .array(z.string())
    .optional()
    .describe('URLs that were left out; only with ignoreInvalidURLs'),
  warnings: z.array(z.string()).optional(),
  replacement: z.string().describe('the path that takes the place of extracts'),
});

/** Response of `GET /v2/extract/{id}`, which also serves agents. */
export const extractStatusResponse = z.object({
  ...runFields,
  sources: z
    .record(z.string(), z.array(z.string()))
    .optional()
    .describe('URLs by the member of the data that they are the source of; with showSources, and for agents'),
});
