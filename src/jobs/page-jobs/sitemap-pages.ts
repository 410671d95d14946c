import type { Egress } from '../../fetch/net/checked-egress.ts';
import type { Database } from '../../storage/db/client.ts';
import { addPagesToJob } from '../../storage/db/jobs/extend-page-job.ts';
import type { JobCipher } from '../../system/encryption/job-cipher.ts';
import type { LinkFilterCache } from '../crawl/link-filter-cache.ts';
import { ALLOW_ALL } from '../crawl/robots/fetch-robots-txt.ts';
import { locateSitemaps, walkSitemaps } from '../crawl/sitemaps/fetch-sitemaps.ts';
import { startUrlAfterRedirect } from '../crawl/start-url.ts';
import type { LoadedPageJob } from './load-page-job.ts';

/**
 * Time limit in milliseconds for reading the sitemaps of a crawl. After it, only links lead to new pages.
 */
const SITEMAPS_TIMEOUT_MS = 10 * 60_000;
const MAX_SITEMAP_FILES = 1_000;

/** The pages that sitemaps contributed, as Temporal shows it. */
export interface SitemapSummary {
  /** Number of pages that the crawl did not know yet. */
  pages: number;
  /** Number of URLs that robots.txt excludes. */
  blocked: number;
  files:
    | 'not all were read'
    | { read: number; missing: number; failed: Record<string, number>; truncated: boolean };
}

/** A crawl as the discovery of its pages needs it. */
export type CrawlJob = NonNullable<LoadedPageJob['crawl']> & {
  jobId: string;
  teamId: string;
  cipher: JobCipher;
};

/** Dependencies for adding the pages of sitemaps. */
export interface SitemapDeps {
  db: Database;
  egress: Egress;
  linkFilters: LinkFilterCache;
  userAgent: string;
}

/**
 * Adds the URLs in the sitemaps of a crawl to its pages, until all are read, the crawl is full or ten
 * minutes are over.
 * @param outer ends the work; its reason is thrown
 */
export async function addSitemapPages(
  { db, egress, linkFilters, userAgent }: SitemapDeps,
  crawl: CrawlJob,
  outer: AbortSignal,
): Promise<SitemapSummary> {
  const { jobId, start, base, cipher } = crawl;
  const linkFilter = linkFilters.get(crawl);
  const signal = AbortSignal.any([outer, AbortSignal.timeout(SITEMAPS_TIMEOUT_MS)]);
  const site = new URL(startUrlAfterRedirect(start, base ?? start));
  const robots = (await linkFilter.robots.readRulesIfAvailable(site.href, outer)) ?? ALLOW_ALL;
  const walk = walkSitemaps({
    egress,
    ...locateSitemaps(site, robots),
    userAgent,
    signal,
    maxFiles: MAX_SITEMAP_FILES,
  });
  const summary: SitemapSummary = { pages: 0, blocked: 0, files: 'not all were read' };
  try {
    for (let step = await walk.next(); ; step = await walk.next()) {
      if (step.done) {
        const { files: read, missing, failed, truncated } = step.value;
        summary.files = { read, missing: missing.length, failed: countByCode(failed), truncated };
        break;
      }
      const { found, ...skipped } = await linkFilter.filterSitemapUrls(step.value, outer);
      const { added, isFull } = await addPagesToJob(db, { jobId, pages: found, ...skipped, cipher });
      summary.pages += added;
      summary.blocked += skipped.blocked.length;
      // The crawl has reached its limit, so it cannot take further URLs from the sitemaps.
      if (isFull) break;
    }
  } catch (error) {
    // The link filter remembers these URLs as known, but they may not have been stored. It has to treat
    // them as new again.
    linkFilters.discard(jobId);
    outer.throwIfAborted();
    if (!signal.aborted) throw error;
  } finally {
    // This closes the file that was being read.
    await walk.return({ files: 0, missing: [], failed: [], truncated: true });
  }
  return summary;
}

function countByCode(errors: { code: string }[]): Record<string, number> {
  const groups = Object.entries(Object.groupBy(errors, ({ code }) => code));
  return Object.fromEntries(groups.map(([code, group = []]) => [code, group.length]));
}
