import { ServiceError } from '../../errors.ts';
import type { CrawlRequest } from '../../schemas/crawl.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import { isCacheOnly } from '../../schemas/scrape-options.ts';
import type { WebhookTarget } from '../../schemas/webhook.ts';
import type { Database } from '../../storage/db/client.ts';
import { findPageJob } from '../../storage/db/jobs/page-jobs.ts';
import { type JobCipher, restoreJobCipher } from '../../system/encryption/job-cipher.ts';
import { parseTarget } from '../../url/url.ts';

/** A batch or crawl, decrypted if necessary. */
export interface LoadedPageJob {
  teamId: string;
  status: string;
  cipher: JobCipher;
  /** The scrape options of all pages; the URL of each page is added to them. */
  options: ScrapeRequest;
  /** Only set for a crawl: its request, its start URL, and its base if that is known already. */
  crawl:
    | { request: CrawlRequest; start: string; base: string | undefined; readsSitemaps: boolean }
    | undefined;
  /** Whether the responses of the sites are kept. */
  archive: boolean;
  /** Whether the webhook gets an event for each page that ends. */
  pageEvents: boolean;
}

/**
 * Reads a batch or crawl.
 * @throws ServiceError `NOT_FOUND` if it does not exist (any more)
 */
export async function loadPageJob(db: Database, id: string, secretKey: string): Promise<LoadedPageJob> {
  const job = await findPageJob(db, id);
  if (!job) throw new ServiceError('NOT_FOUND', `Job ${id} does not exist (any more).`);
  const cipher = restoreJobCipher({ id, wrappedKey: job.wrappedKey }, secretKey);
  // The API validated the request and the webhook before it stored them.
  const request = cipher.decryptJson(job.request);
  const webhook = job.webhook as Pick<WebhookTarget, 'events'> | null;
  const { archive = false } = request as { archive?: boolean };
  const common = {
    teamId: job.teamId,
    status: job.status,
    cipher,
    archive,
    pageEvents: webhook?.events.includes('page') ?? false,
  };
  if (job.kind !== 'crawl') return { ...common, options: request as ScrapeRequest, crawl: undefined };
  const crawlRequest = request as CrawlRequest;
  const { zeroDataRetention, scrapeOptions } = crawlRequest;
  const options = {
    ...(scrapeOptions as ScrapeRequest),
    zeroDataRetention,
    storeInCache: scrapeOptions.storeInCache && !zeroDataRetention,
  };
  return {
    ...common,
    options,
    crawl: {
      // A crawl that reads only from the cache never contacts its target, so it reads neither robots.txt nor
      // sitemaps.
      request: isCacheOnly(options) ? { ...crawlRequest, ignoreRobotsTxt: true } : crawlRequest,
      readsSitemaps: crawlRequest.sitemap !== 'skip' && !isCacheOnly(options),
      // The API has already decided whether local host names are allowed, so they are accepted here.
      start: parseTarget(crawlRequest.url, true).href,
      base: job.base === null ? undefined : cipher.decrypt(job.base),
    },
  };
}
