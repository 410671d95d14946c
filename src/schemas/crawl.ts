import { z } from 'zod';
import { validatePatterns } from '../url/url-pattern.ts';
import { optionConflicts } from './formats.ts';
import { started } from './page-job.ts';
import {
  callerFields,
  checkScrapeOptions,
  resolveScrapeOptions,
  scrapeOptionFields,
} from './scrape-options.ts';
import { webhook } from './webhook.ts';

/** Upper bound of `maxConcurrency`, far above the concurrency limit of any team. */
const MOST_AT_ONCE = 10_000;

const patterns = z
  .array(z.string())
  .default([])
  .superRefine((texts, context) => {
    const fault = validatePatterns(texts);
    if (fault) context.addIssue({ code: 'custom', message: fault, input: texts });
  });

/** The options that decide which pages belong to a crawl, and how the crawl finds and visits them. */
export const crawlOptionFields = {
  includePaths: patterns.describe(
    'regular expressions (RE2) on the path; only pages that one of them matches',
  ),
  excludePaths: patterns.describe('regular expressions (RE2) on the path of pages that are left out'),
  regexOnFullURL: z.boolean().default(false).describe('the patterns are matched with the whole address'),
  maxDiscoveryDepth: z.int().min(0).optional().describe('most links between the start and a page'),
  limit: z.int().min(1).max(10_000_000).default(10_000).describe('most pages'),
  crawlEntireDomain: z
    .boolean()
    .default(false)
    .describe('also pages that are not below the path of the start'),
  allowExternalLinks: z.boolean().default(false).describe('also single pages of other sites'),
  allowSubdomains: z.boolean().default(false).describe('also other hosts of the same domain'),
  ignoreRobotsTxt: z.boolean().default(false).describe('go where robots.txt asks not to'),
  robotsUserAgent: z.string().min(1).max(100).optional().describe('name whose rules in robots.txt hold'),
  sitemap: z.enum(['skip', 'include', 'only']).default('include'),
  deduplicateSimilarURLs: z
    .boolean()
    .default(true)
    .describe('with and without www, https, a slash at the end, index.html: the same page'),
  ignoreQueryParameters: z
    .boolean()
    .default(false)
    .describe('addresses that differ in their query are the same page'),
  delay: z
    .number()
    .positive()
    .max(60)
    .optional()
    .describe('seconds between two pages, which then come one by one; default: what robots.txt asks for'),
  maxConcurrency: z
    .int()
    .min(1)
    .max(MOST_AT_ONCE)
    .optional()
    .describe(
      'most pages at once, also of one host; default: what the team may, and 8 per host unless the operator set another number',
    ),
};

const scrapeOptions = z
  .strictObject({ ...scrapeOptionFields, ...callerFields })
  .partial({ origin: true })
  .superRefine(checkScrapeOptions)
  .superRefine((options, context) => {
    for (const message of optionConflicts(options.formats, 'crawl')) {
      context.addIssue({ code: 'custom', path: ['formats'], message, input: options });
    }
  })
  .transform(resolveScrapeOptions);

/** Body of `POST /v2/crawl`. */
export const crawlBody = z.strictObject({
  url: z.string().describe('where the crawl starts'),
  prompt: z
    .string()
    .max(10_000)
    .optional()
    .describe('what to crawl, in words; fills options that are not given'),
  ...crawlOptionFields,
  webhook: webhook.optional(),
  scrapeOptions: scrapeOptions.prefault({}).describe('how each page is scraped'),
  zeroDataRetention: z.boolean().default(false).describe('keep nothing of this request'),
  ...callerFields,
});

/** The body of a crawl request after validation, with defaults filled in. */
export type CrawlRequest = z.output<typeof crawlBody>;

/** Response of `POST /v2/crawl`. */
export const startedCrawl = started.extend({
  promptGeneratedOptions: z.looseObject({}).optional().describe('what the prompt gave; only with a prompt'),
  finalCrawlerOptions: z.looseObject({}).optional().describe('what the crawl goes by; only with a prompt'),
  warning: z.string().optional().describe('how far the prompt was understood; only with a prompt'),
});

/** Response of `GET /v2/crawl/active`. */
export const activeCrawls = z.object({
  success: z.literal(true),
  crawls: z.array(
    z.object({
      id: z.uuid(),
      teamId: z.string(),
      url: z.string(),
      created_at: z.iso.datetime(),
      options: z
        .record(z.string(), z.unknown())
        .describe('as the crawl was started, scrapeOptions among them'),
    }),
  ),
});

/** Body of `POST /v2/crawl/params-preview`. */
export const previewBody = z.strictObject({
  url: z.string(),
  prompt: z.string().min(1, 'prompt must say what to crawl').max(10_000),
  ...callerFields,
});

/** Response of `POST /v2/crawl/params-preview`: the options that were derived from the prompt. */
export const previewAnswer = z.object({
  success: z.literal(true),
  data: z.looseObject({ url: z.string() }),
  warning: z.string().optional(),
});
