import { z } from 'zod';
import { documentFields } from '../formats/index.ts';

/** The metadata of a page. Besides these fields, it has every meta tag of the page under its own name. */
const metadata = z
  .object({
    scrapeId: z.uuid(),
    sourceURL: z.string().describe('the address as it was asked for'),
    url: z.string().describe('the address that answered'),
    statusCode: z.int().describe('HTTP status of the target'),
    error: z.string().optional().describe('reason text when the status is an error'),
    contentType: z.string().optional(),
    proxyUsed: z.enum(['basic', 'stealth']),
    cacheState: z.enum(['hit', 'miss']).optional().describe('absent when the cache was not considered'),
    cachedAt: z.iso.datetime().optional(),
    creditsUsed: z.int(),
    timezone: z.string().optional(),
    challenge: z
      .string()
      .optional()
      .describe(
        'the page tests or refuses its visitor in place of the page asked for: whose challenge it is, such as `cloudflare`, or `captcha`; `warning` says more',
      ),
    concurrencyLimited: z
      .boolean()
      .describe('whether it waited for its turn: a slot of the team, or the pace of its job'),
    concurrencyQueueDurationMs: z.int().optional(),
    title: z.string().optional(),
    description: z.string().optional(),
    language: z.string().optional(),
    keywords: z.union([z.string(), z.array(z.string())]).optional(),
    favicon: z.string().optional(),
    ogLocaleAlternate: z.array(z.string()).optional(),
  })
  .catchall(z.union([z.string(), z.array(z.string()), z.number(), z.boolean()]))
  .meta({ id: 'Metadata' });

/** The results of the actions, each list in the order of its actions. */
const actionResults = z
  .object({
    screenshots: z
      .array(z.string())
      .describe('addresses of pictures, readable without a key for at least 24 hours'),
    scrapes: z.array(z.object({ url: z.string(), html: z.string() })),
    javascriptReturns: z.array(z.object({ type: z.string(), value: z.unknown() })),
    pdfs: z.array(z.string()).describe('addresses of documents, as those of pictures'),
  })
  .meta({ id: 'ActionResults' });

/** A scraped page: the fields of the requested formats, and metadata. */
export const document = z
  .object({
    ...documentFields,
    actions: actionResults.optional().describe('present where the request had actions'),
    warning: z.string().optional().describe('what could not be done as it was asked for'),
    metadata,
  })
  .meta({ id: 'Document' });

/** A scraped page, as the API returns it. */
export type Document = z.output<typeof document>;
