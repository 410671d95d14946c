import { z } from 'zod';
import { ServiceError } from '../../../errors.ts';
import { bounded } from '../../../json/bounded.ts';
import { fieldsOf } from '../../../json/json-object.ts';
import { crawlBody } from '../../../schemas/crawl.ts';
import { pageJobStatus } from '../../../schemas/page-job.ts';
import { crawlJob } from '../jobs.ts';
import { defineTool } from '../tool.ts';
import { idParameter, loosely } from './parameters.ts';
import { nestedScrapeParameters, toScrapeOptions } from './scrape-parameters.ts';

const status = pageJobStatus.extend({ id: z.string() });

/** Scrapes a site. */
export const crawl = defineTool({
  name: 'firecrawl_crawl',
  title: 'Crawl a site',
  description:
    'Scrapes many pages of a site: from the URL it follows links and sitemaps, within the limits given, and returns the documents. Set limit, and includePaths or maxDiscoveryDepth, to what is needed. A crawl that takes long returns its id while it goes on; firecrawl_check_crawl_status then has its state and documents.',
  input: loosely(crawlBody, [
    ...(['url', 'prompt', 'excludePaths', 'includePaths', 'maxDiscoveryDepth', 'sitemap', 'limit'] as const),
    ...(['allowExternalLinks', 'allowSubdomains', 'crawlEntireDomain', 'delay', 'maxConcurrency'] as const),
    ...(['deduplicateSimilarURLs', 'ignoreQueryParameters'] as const),
  ]).extend({
    webhook: z
      .union([z.string(), z.looseObject({ url: z.string() })])
      .optional()
      .describe('URL that events are sent to'),
    webhookHeaders: bounded(z.record(z.string(), z.string()), { entries: 1_000 })
      .optional()
      .describe('headers of these events'),
    scrapeOptions: z.looseObject(nestedScrapeParameters).optional().describe('how each page is scraped'),
  }),
  output: status,
  hints: { openWorld: true },
  starts: crawlJob,
  readAgain: crawlJob.readAgain,
  run({ webhook, webhookHeaders, scrapeOptions, ...args }, { call }) {
    if (webhookHeaders && webhook === undefined)
      throw new ServiceError(
        'BAD_REQUEST',
        'webhookHeaders have no effect without webhook, the URL that events are sent to.',
      );
    const body = {
      ...args,
      ...(webhook !== undefined && { webhook: webhookOf(webhook, webhookHeaders) }),
      ...(scrapeOptions && { scrapeOptions: toScrapeOptions(fieldsOf(scrapeOptions)) }),
    };
    return call({ method: 'post', path: '/v2/crawl', body });
  },
});

const webhookOf = (webhook: string | { url: string }, headers: unknown) =>
  headers ? { ...(typeof webhook === 'string' ? { url: webhook } : webhook), headers } : webhook;

/** Reads the state of a crawl. */
export const checkCrawlStatus = defineTool({
  name: 'firecrawl_check_crawl_status',
  title: 'Check a crawl',
  description:
    'Returns the state of a crawl and the documents that it has so far, by the id from firecrawl_crawl.',
  input: idParameter('the crawl'),
  output: status,
  hints: { readOnly: true },
  readAgain: crawlJob.readAgain,
  run: ({ id }, { call }) => crawlJob.result(id, call),
});
