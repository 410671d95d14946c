import { z } from 'zod';
import { bounded } from '../json/bounded.ts';
import { withKeywords } from '../json/schema-keywords.ts';
import { unlessEmpty } from '../json/unless-empty.ts';
import { MAX_PATTERNS, validatePatterns } from '../patterns/pattern-list.ts';
import { optionConflicts } from './formats.ts';
import { archive, startResponse } from './page-job.ts';
import {
  callerFields,
  checkScrapeOptions,
  resolveScrapeOptions,
  scrapeOptionFields,
} from './scrape-options.ts';
import { webhook } from './webhook.ts';

/** Upper bound of `maxConcurrency`, far above the concurrency limit of any team. */
const MAX_CONCURRENCY = 10_000;

const DELAY =
  'seconds between two pages, which are then scraped one at a time; default: the delay in robots.txt';

const patterns = bounded(z.array(withKeywords(z.string(), { examples: ['^/blog/', 'price'] })), {
  entries: MAX_PATTERNS,
})
  .default([])
  .superRefine((texts, context) => {
    const message = validatePatterns(texts);
    if (message) context.addIssue({ code: 'custom', message, input: texts });
  });

/** The options that decide which pages belong to a crawl, and how the crawl finds and visits them. */
export const crawlOptionFields = {
  includePaths: patterns.describe(
    'regular expressions (RE2 syntax); only pages whose path matches one of them are scraped',
  ),
  excludePaths: patterns.describe(
    'regular expressions (RE2 syntax); pages whose path matches one of them are left out',
  ),
  regexOnFullURL: z
    .boolean()
    .default(false)
    .describe('match includePaths and excludePaths against the whole URL'),
  maxDiscoveryDepth: z
    .int()
    .min(0)
    .optional()
    .describe('maximum number of links between the start and a page'),
  limit: z.int().min(1).max(10_000_000).default(10_000).describe('maximum number of pages'),
  crawlEntireDomain: z.boolean().default(false).describe('include pages outside the path of the start URL'),
  allowExternalLinks: z.boolean().default(false).describe('include single pages of other sites'),
  allowSubdomains: z.boolean().default(false).describe('include other hosts of the same domain'),
  ignoreRobotsTxt: z.boolean().default(false).describe('scrape pages that robots.txt disallows'),
  robotsUserAgent: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('user agent whose rules in robots.txt apply'),
  sitemap: z
    .enum(['skip', 'include', 'only'])
    .default('include')
    .describe('how sitemaps are used; only: nothing but the pages in sitemaps is scraped'),
  deduplicateSimilarURLs: z
    .boolean()
    .default(true)
    .describe('treat URLs as one page if they differ only in www, https, a final slash or index.html'),
  ignoreQueryParameters: z
    .boolean()
    .default(false)
    .describe('treat URLs as one page if they differ only in their query'),
  delay: z.number().positive().max(60).optional().describe(DELAY),
  maxConcurrency: z
    .int()
    .min(1)
    .max(MAX_CONCURRENCY)
    .optional()
    .describe(
      'maximum number of concurrent pages, in all and per host; default: the limit of the team, and 8 per host unless the operator set another number',
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
  url: z.string().describe('URL where the crawl starts'),
  prompt: unlessEmpty(z.string().max(10_000)).describe(
    'description of what to crawl; it sets options that the request leaves out',
  ),
  ...crawlOptionFields,
  delay: unlessEmpty(crawlOptionFields.delay, 0).describe(DELAY),
  allowBackwardLinks: z
    .boolean()
    .optional()
    .meta({ deprecated: true })
    .describe('the older name of crawlEntireDomain'),
  webhook: webhook.optional(),
  archive,
  scrapeOptions: scrapeOptions.prefault({}).describe('options for scraping each page'),
  zeroDataRetention: z
    .boolean()
    .default(false)
    .describe('zero data retention: the data of the request are encrypted, and deleted with the result'),
  ...callerFields,
});

/** The body of a crawl request after validation, with defaults filled in. */
export type CrawlRequest = z.output<typeof crawlBody>;

/** Response of `POST /v2/crawl`. */
export const startCrawlResponse = startResponse.extend({
  promptGeneratedOptions: z
    .looseObject({})
    .optional()
    .describe('options derived from the prompt; only with a prompt'),
  finalCrawlerOptions: z
    .looseObject({})
    .optional()
    .describe('options that the crawl uses; only with a prompt'),
  warning: startResponse.shape.warning.describe(
    'how much of the prompt was understood; patterns that match nothing or everything; a webhook that gets nothing',
  ),
});

/** Response of `GET /v2/crawl/active`. */
export const activeCrawlsResponse = z.object({
  success: z.literal(true),
  crawls: z.array(
    z.object({
      id: z.uuid(),
      teamId: z.string(),
      url: z.string(),
      created_at: z.iso.datetime(),
      options: z
        .record(z.string(), z.unknown())
        .describe('options with which the crawl was started, including scrapeOptions'),
    }),
  ),
});

/** Body of `POST /v2/crawl/params-preview`. */
const PROMPT_NEEDED = 'prompt must describe what to crawl';

export const previewBody = z.strictObject({
  url: z.string('url must be the URL of the site'),
  prompt: z.string(PROMPT_NEEDED).min(1, PROMPT_NEEDED).max(10_000),
  ...callerFields,
});

/** Response of `POST /v2/crawl/params-preview`: the options that were derived from the prompt. */
export const previewResponse = z.object({
  success: z.literal(true),
  data: z.looseObject({ url: z.string() }),
  warning: z.string().optional(),
});
