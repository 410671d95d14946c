import { Context } from '@temporalio/activity';
import { z } from 'zod';
import type { LinkFilterCache } from '../crawl/link-filter-cache.ts';
import { ALLOW_ALL } from '../crawl/robots/robots-txt.ts';
import { locateSitemaps, type SitemapReport, walkSitemaps } from '../crawl/sitemaps/walk-sitemaps.ts';
import { startUrlAfterRedirect } from '../crawl/start-url.ts';
import type { Database } from '../db/client.ts';
import {
  changeJobSettings,
  endDiscovery,
  endJob,
  type JobEnd,
  startDiscovery,
} from '../db/jobs/job-progress.ts';
import { type JobSummary, summarizeJob } from '../db/jobs/job-summary.ts';
import { addPagesToJob } from '../db/jobs/page-jobs.ts';
import { ServiceError } from '../errors.ts';
import type { Egress } from '../net/egress.ts';
import { loadPageJob } from '../page-jobs/load-page-job.ts';
import { addMissingPages } from '../page-jobs/missing-pages.ts';
import { type Retuning, retuning } from '../schemas/page-job.ts';
import { withEncryptedErrors } from './encrypt-errors.ts';
import { startHeartbeat } from './heartbeat.ts';

/** Dependencies of the activities that begin, change and end batches and crawls. */
export interface PageJobDeps {
  db: Database;
  egress: Egress;
  guides: LinkFilterCache;
  userAgent: string;
  resultTtlMs: number;
  /** Decrypts jobs with zero data retention. */
  secretKey: string;
}

/**
 * Time limit in milliseconds for reading the sitemaps of a crawl. After it, only links lead to new pages.
 */
const SITEMAPS_MS = 10 * 60_000;
const SITEMAP_FILES = 1_000;
const LEAST_WAIT_MS = 200;

/** The facts about a crawl that are known before its first page is scraped. */
interface Prepared {
  /** Whether sitemaps are to be read. */
  sitemaps: boolean;
  /** Set while robots.txt is unavailable: milliseconds until it should be requested again. */
  waitMs?: number;
  /** Shown in the workflow history; absent for a job with zero data retention. */
  robotsTxt?: 'asked' | 'ignored';
  /** The crawl delay that robots.txt states, in milliseconds. */
  crawlDelayMs?: number;
}

/** The pages that sitemaps contributed, as Temporal shows it. */
interface SitemapSummary {
  /** Number of pages that the crawl did not know yet. */
  pages: number;
  /** Number of URLs that robots.txt excludes. */
  blocked: number;
  files:
    | 'not all were read'
    | { read: number; missing: number; failed: Record<string, number>; truncated: boolean };
}

/** Yields what a generator yields, and calls `onEnd` with its return value if it is read to its end. */
async function* withReturn<Item, Result>(
  source: AsyncGenerator<Item, Result>,
  onEnd: (result: Result) => void,
): AsyncGenerator<Item> {
  onEnd(yield* source);
}

function countBy<Item>(items: Item[], keyOf: (item: Item) => string): Record<string, number> {
  const groups = Object.entries(Object.groupBy(items, keyOf));
  return Object.fromEntries(groups.map(([key, group = []]) => [key, group.length]));
}

/** The activities that begin, change and end batches and crawls. */
export function pageJobActivities({ db, egress, guides, userAgent, resultTtlMs, secretKey }: PageJobDeps) {
  async function findCrawl(jobId: string) {
    const { status, cipher, crawl } = await loadPageJob(db, jobId, secretKey);
    if (!crawl) throw new ServiceError('NOT_FOUND', `Job ${jobId} is no crawl.`);
    return { ...crawl, status, cipher };
  }

  async function adoptSitemaps(
    jobId: string,
    crawl: Awaited<ReturnType<typeof findCrawl>>,
    cancellationSignal: AbortSignal,
  ): Promise<SitemapSummary> {
    const { start, base, cipher } = crawl;
    const guide = guides.get({ ...crawl, jobId });
    const signal = AbortSignal.any([cancellationSignal, AbortSignal.timeout(SITEMAPS_MS)]);
    const site = new URL(startUrlAfterRedirect(start, base ?? start));
    const robots = (await guide.robots.readRulesIfAvailable(site.href, cancellationSignal)) ?? ALLOW_ALL;
    const walk = walkSitemaps({
      egress,
      ...locateSitemaps(site, robots),
      userAgent,
      signal,
      maxFiles: SITEMAP_FILES,
    });
    const summary: SitemapSummary = { pages: 0, blocked: 0, files: 'not all were read' };
    const onEnd = ({ files, missing, failed, truncated }: SitemapReport) => {
      summary.files = {
        read: files,
        missing: missing.length,
        failed: countBy(failed, ({ code }) => code),
        truncated,
      };
    };
    try {
      // However the loop ends, it closes the generator, and with it the file that is being read.
      for await (const named of withReturn(walk, onEnd)) {
        const { found, ...skipped } = await guide.filterSitemapUrls(named, cancellationSignal);
        const { added, isFull } = await addPagesToJob(db, { jobId, pages: found, ...skipped, cipher });
        summary.pages += added;
        summary.blocked += skipped.blocked.length;
        // The crawl has reached its limit, so it cannot take further URLs from the sitemaps.
        if (isFull) break;
      }
    } catch (error) {
      // The link filter remembers these URLs as known, but they may not have been stored. It has to treat
      // them as new again.
      guides.discard(jobId);
      cancellationSignal.throwIfAborted();
      if (!signal.aborted) throw error;
    }
    return summary;
  }

  return {
    /**
     * Reads the robots.txt of a crawl's host and stores its crawl delay, before the first page is scraped.
     * @returns whether sitemaps are to be read, once the start page has shown which host the crawl is on;
     *   and if robots.txt is unavailable, `waitMs`, after which the activity has to be called again
     * @throws ServiceError `ROBOTS_UNAVAILABLE` if it stays unavailable
     */
    async prepareCrawl(jobId: string): Promise<Prepared> {
      const { cancellationSignal: signal } = Context.current();
      using _ = startHeartbeat();
      const crawl = await findCrawl(jobId);
      const { start, base, request, readsSitemaps: sitemaps, status, cipher } = crawl;
      // A crawl that has ended while its workflow waited for robots.txt needs no preparation.
      if (status !== 'scraping') return { sitemaps: false };
      return await withEncryptedErrors(cipher, async () => {
        const { robots } = guides.get({ ...crawl, jobId });
        const outcome = request.ignoreRobotsTxt
          ? { rules: undefined }
          : await robots.readRules(base ?? start, signal);
        if ('error' in outcome) throw outcome.error;
        if ('waitMs' in outcome) return { sitemaps: false, waitMs: Math.max(outcome.waitMs, LEAST_WAIT_MS) };
        const { rules } = outcome;
        await startDiscovery(db, jobId, { delayMs: rules?.crawlDelayMs, sitemaps });
        if (cipher.encrypts) return { sitemaps };
        const robotsTxt = rules ? 'asked' : 'ignored';
        return { sitemaps, robotsTxt, ...(rules?.crawlDelayMs && { crawlDelayMs: rules.crawlDelayMs }) };
      });
    },

    /**
     * Adds the URLs in the sitemaps to the pages of the crawl. A sitemap that cannot be read does not fail
     * the crawl.
     */
    async readSitemaps(jobId: string): Promise<SitemapSummary | undefined> {
      const { cancellationSignal } = Context.current();
      using _ = startHeartbeat();
      const crawl = await findCrawl(jobId);
      const summary = await withEncryptedErrors(crawl.cipher, () =>
        adoptSitemaps(jobId, crawl, cancellationSignal),
      );
      await endDiscovery(db, jobId);
      return crawl.cipher.encrypts ? undefined : summary;
    },

    /**
     * Changes a running job. The change comes from a signal, which anyone with access to Temporal can send.
     * An invalid change is therefore logged and ignored.
     */
    async retuneJob(jobId: string, change: Retuning): Promise<void> {
      const { data, error } = retuning.safeParse(change);
      if (data) await changeJobSettings(db, jobId, data);
      else Context.current().log.warn('signal ignored', { jobId, error: z.prettifyError(error) });
    },

    /**
     * Summarizes a job in numbers for the workflow history.
     * @returns `undefined` for a job with zero data retention
     */
    async summarizeJob(jobId: string): Promise<JobSummary | undefined> {
      return summarizeJob(db, jobId);
    },

    /**
     * Ends a job. A job is completed only if none of its pages is open. Before that, a crawl that tracks
     * changes may receive further pages, see {@link addMissingPages}.
     * @returns whether the job has ended
     */
    async endJob(jobId: string, end: JobEnd): Promise<boolean> {
      if (end.status === 'completed') {
        await addMissingPages({ db, guides, secretKey }, jobId, Context.current().cancellationSignal);
      }
      return endJob(db, { jobId, end, ttlMs: resultTtlMs });
    },
  };
}
