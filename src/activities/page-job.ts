import type { Database } from '../db/client.ts';
import { findPageJob } from '../db/page-jobs.ts';
import { ServiceError } from '../errors.ts';
import type { CrawlRequest } from '../schemas/crawl.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';
import { isCacheOnly } from '../schemas/scrape-options.ts';
import type { WebhookTarget } from '../schemas/webhook.ts';
import { type Seal, sealOf } from '../seal.ts';
import { parseTarget } from '../url.ts';

/** A batch or crawl as its activities know it. */
export interface OpenedJob {
  teamId: string;
  status: string;
  seal: Seal;
  /** What is asked of each page; the address is the page's. */
  options: ScrapeRequest;
  /** Of a crawl: what was asked, and where it is as far as that is known. */
  crawl:
    | { request: CrawlRequest; start: string; base: string | undefined; readsSitemaps: boolean }
    | undefined;
  /** Each page that ends is to be announced. */
  pageEvents: boolean;
}

/**
 * Reads a batch or crawl.
 * @throws ServiceError `NOT_FOUND` where it is gone
 */
export async function openJob(db: Database, id: string, secretKey: string): Promise<OpenedJob> {
  const job = await findPageJob(db, id);
  if (!job) throw new ServiceError('NOT_FOUND', `Job ${id} does not exist (any more).`);
  const seal = sealOf({ id, wrapped: job.seal }, secretKey);
  // The API validated both before they were written down.
  const request = seal.openJson(job.request);
  const webhook = job.webhook as Pick<WebhookTarget, 'events'> | null;
  const { teamId, status } = job;
  const opened = { teamId, status, seal, pageEvents: webhook?.events.includes('page') ?? false };
  if (job.kind !== 'crawl') return { ...opened, options: request as ScrapeRequest, crawl: undefined };
  const asked = request as CrawlRequest;
  const { zeroDataRetention, scrapeOptions } = asked;
  const options = {
    ...(scrapeOptions as ScrapeRequest),
    zeroDataRetention,
    storeInCache: scrapeOptions.storeInCache && !zeroDataRetention,
  };
  return {
    ...opened,
    options,
    crawl: {
      // A crawl that never contacts its target asks it for no rules either, and reads no sitemap.
      request: isCacheOnly(options) ? { ...asked, ignoreRobotsTxt: true } : asked,
      readsSitemaps: asked.sitemap !== 'skip' && !isCacheOnly(options),
      // The API accepted the address by its own rule for local names; here it is only read again.
      start: parseTarget(asked.url, true).href,
      base: job.base === null ? undefined : seal.open(job.base),
    },
  };
}
