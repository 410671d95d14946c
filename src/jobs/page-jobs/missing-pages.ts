import { findTracking } from '../../content/formats/change-tracking.ts';
import type { Database } from '../../storage/db/client.ts';
import { addPagesToJob } from '../../storage/db/jobs/extend-page-job.ts';
import { readPageJobState } from '../../storage/db/jobs/read-page-job-state.ts';
import { listEarlierCrawlPages } from '../../storage/db/pages/page-versions.ts';
import { historyKey } from '../change-history/change-tracker.ts';
import type { LinkFilterCache } from '../crawl/link-filter-cache.ts';
import { loadPageJob } from './load-page-job.ts';

/**
 * How many known pages are read at once. There are few enough that they are stored within the short time
 * limit of the activity that ends a job.
 */
const PAGES_PER_READ = 500;

/**
 * Adds hidden pages to a crawl that tracks changes, once it has found all that it can find: pages that an
 * earlier crawl with the same start URL had, but that this crawl reached neither by links nor by sitemaps.
 * Each call adds some of them. It is called again when these have ended, until there are no more. It does
 * nothing for other jobs, or if the limit is reached.
 */
export async function addMissingPages(
  { db, linkFilters, secretKey }: { db: Database; linkFilters: LinkFilterCache; secretKey: string },
  jobId: string,
  signal: AbortSignal,
): Promise<void> {
  const job = await readPageJobState(db, jobId);
  if (job?.kind !== 'crawl' || job.status !== 'scraping') return;
  if (job.pageLimit !== null && job.total >= job.pageLimit) return;
  const { teamId, cipher, options, crawl } = await loadPageJob(db, jobId, secretKey);
  const format = findTracking(options.formats);
  if (cipher.encrypts || !crawl || !format) return;
  const linkFilter = linkFilters.get({ ...crawl, jobId, teamId, cipher });
  const query = { teamId, jobId, crawlKey: historyKey(crawl.start, format.tag), limit: PAGES_PER_READ };
  try {
    for (let after: Buffer = Buffer.alloc(0); ; ) {
      const known = await listEarlierCrawlPages(db, { ...query, after });
      const last = known.at(-1);
      if (!last) return;
      const urls = known.map(({ url }) => url);
      const { found, ...skipped } = await linkFilter.filterSitemapUrls(urls, signal);
      const pages = found.map((page) => ({ ...page, hidden: true }));
      const { added, isFull } = await addPagesToJob(db, { jobId, pages, ...skipped, cipher });
      if (added || isFull) return;
      after = last.key;
    }
  } catch (error) {
    // The link filter remembers these URLs as known, but they may not have been stored. It has to treat them
    // as new again.
    linkFilters.discard(jobId);
    throw error;
  }
}
