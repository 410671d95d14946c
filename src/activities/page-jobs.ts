import { Context } from '@temporalio/activity';
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { loadPageJob } from '../jobs/page-jobs/load-page-job.ts';
import { addMissingPages } from '../jobs/page-jobs/missing-pages.ts';
import { addSitemapPages, type SitemapDeps, type SitemapSummary } from '../jobs/page-jobs/sitemap-pages.ts';
import { type Retuning, retuning } from '../schemas/page-job.ts';
import type { Database } from '../storage/db/client.ts';
import {
  changeJobSettings,
  endDiscovery,
  endJob,
  type JobEnd,
  startDiscovery,
} from '../storage/db/jobs/job-progress.ts';
import { type JobSummary, summarizeJob } from '../storage/db/jobs/job-summary.ts';
import { readPageJobState } from '../storage/db/jobs/read-page-job-state.ts';
import { withEncryptedErrors } from './encrypt-errors.ts';
import { startHeartbeat } from './heartbeat.ts';

/** Dependencies of the activities that begin, change and end batches and crawls. */
export interface PageJobDeps extends SitemapDeps {
  db: Database;
  /** Milliseconds that the results of a job are kept after its end. */
  resultTtlMs: number;
  /** Decrypts jobs with zero data retention. */
  secretKey: string;
}

/** Minimum milliseconds until an unavailable robots.txt is requested again. */
const MIN_WAIT_MS = 200;

/**
 * The facts about a crawl that are known before its first page is scraped. Saved workflow histories contain
 * them, so the fields and values keep their names.
 */
interface Preparation {
  /** Whether sitemaps are to be read. */
  sitemaps: boolean;
  /** Set while robots.txt is unavailable: milliseconds until it should be requested again. */
  waitMs?: number;
  /** Whether robots.txt was requested; absent for a job with zero data retention. */
  robotsTxt?: 'asked' | 'ignored';
  /** The crawl delay that robots.txt states, in milliseconds. */
  crawlDelayMs?: number;
}

/** The activities that begin, change and end batches and crawls. */
export function pageJobActivities(deps: PageJobDeps) {
  const { db, linkFilters, resultTtlMs, secretKey } = deps;

  async function loadCrawl(jobId: string) {
    const { teamId, status, cipher, crawl } = await loadPageJob(db, jobId, secretKey);
    if (!crawl) throw new ServiceError('NOT_FOUND', `Job ${jobId} is not a crawl.`);
    return { ...crawl, jobId, teamId, status, cipher };
  }

  return {
    /**
     * Reads the robots.txt of a crawl's host and stores its crawl delay, before the first page is scraped.
     * @returns whether sitemaps are to be read, once the start page has shown which host the crawl is on;
     *   and if robots.txt is unavailable, `waitMs`, after which the activity has to be called again
     * @throws ServiceError `ROBOTS_UNAVAILABLE` if it stays unavailable
     */
    async prepareCrawl(jobId: string): Promise<Preparation> {
      const { cancellationSignal: signal } = Context.current();
      using _ = startHeartbeat();
      const crawl = await loadCrawl(jobId);
      const { start, base, request, readsSitemaps: sitemaps, status, cipher } = crawl;
      // A crawl that has ended while its workflow waited for robots.txt needs no preparation.
      if (status !== 'scraping') return { sitemaps: false };
      return await withEncryptedErrors(cipher, async () => {
        const { robots } = linkFilters.get(crawl);
        const outcome = request.ignoreRobotsTxt
          ? { rules: undefined }
          : await robots.readRules(base ?? start, signal);
        if ('error' in outcome) throw outcome.error;
        if ('waitMs' in outcome) return { sitemaps: false, waitMs: Math.max(outcome.waitMs, MIN_WAIT_MS) };
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
     * @returns `undefined` for a job with zero data retention
     */
    async readSitemaps(jobId: string): Promise<SitemapSummary | undefined> {
      const { cancellationSignal } = Context.current();
      using _ = startHeartbeat();
      const crawl = await loadCrawl(jobId);
      const summary = await withEncryptedErrors(crawl.cipher, () =>
        addSitemapPages(deps, crawl, cancellationSignal),
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
      else Context.current().log.warn('invalid signal ignored', { jobId, error: z.prettifyError(error) });
    },

    /** Whether a job is paused; false for one that does not exist (any more). */
    async isPaused(jobId: string): Promise<boolean> {
      return (await readPageJobState(db, jobId))?.paused ?? false;
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
      const { cancellationSignal } = Context.current();
      if (end.status === 'completed') await addMissingPages(deps, jobId, cancellationSignal);
      return endJob(db, { jobId, end, ttlMs: resultTtlMs });
    },
  };
}
