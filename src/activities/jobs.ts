import { Context } from '@temporalio/activity';
import { z } from 'zod';
import type { Guides } from '../crawl/guides.ts';
import { UNLIMITED } from '../crawl/robots.ts';
import { sitemapRoots, walkSitemaps } from '../crawl/sitemaps.ts';
import type { Database } from '../db/client.ts';
import { addToJob } from '../db/page-jobs.ts';
import { endDiscovery, endJob, type JobEnd, type Retuning, retune, startDiscovery } from '../db/progress.ts';
import { ServiceError } from '../errors.ts';
import { openDownload } from '../net/download.ts';
import type { Egress } from '../net/egress.ts';
import type { CrawlRequest } from '../schemas/crawl.ts';
import { retuning } from '../schemas/page-job.ts';
import { isCacheOnly } from '../schemas/scrape-options.ts';
import { startHeartbeat } from './heartbeat.ts';
import { openJob } from './page-job.ts';
import { quietly } from './quietly.ts';
import { recallPages } from './recall.ts';

/** What the steps around a job's pages need from outside. */
export interface JobDoors {
  db: Database;
  egress: Egress;
  guides: Guides;
  userAgent: string;
  resultTtlMs: number;
  /** Opens what is encrypted of a job. */
  secretKey: string;
}

const START_TIMEOUT_MS = 20_000;
/** Sitemaps are read for so long at most; pages go on being found by links. */
const SITEMAPS_MS = 10 * 60_000;
const SITEMAP_FILES = 1_000;
const LEAST_WAIT_MS = 200;

/** The activities that begin and end batches and crawls, and change them between. */
export function jobActivities({ db, egress, guides, userAgent, resultTtlMs, secretKey }: JobDoors) {
  async function findCrawl(jobId: string) {
    const { status, seal, crawl } = await openJob(db, jobId, secretKey);
    if (!crawl) throw new ServiceError('NOT_FOUND', `Job ${jobId} is no crawl.`);
    return { ...crawl, status, seal };
  }

  /** Where a crawl's start leads; where it begins, if it leads nowhere: its page will say why. */
  async function baseOf(start: string, request: CrawlRequest, signal: AbortSignal): Promise<string> {
    try {
      const { url, body } = await openDownload(egress, {
        url: start,
        headers: { 'user-agent': userAgent },
        ownHeaders: request.scrapeOptions.headers ?? {},
        skipTlsVerification: request.scrapeOptions.skipTlsVerification,
        signal: AbortSignal.any([signal, AbortSignal.timeout(START_TIMEOUT_MS)]),
        maxBodyBytes: Number.POSITIVE_INFINITY,
      });
      body.destroy();
      return url;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ServiceError || (error as Error)?.name === 'TimeoutError') return start;
      throw error;
    }
  }

  async function adoptSitemaps(
    jobId: string,
    { start, base, request, seal }: Awaited<ReturnType<typeof findCrawl>>,
    cancellationSignal: AbortSignal,
  ): Promise<void> {
    const guide = guides.of({ jobId, seal, request, base: base ?? start });
    const signal = AbortSignal.any([cancellationSignal, AbortSignal.timeout(SITEMAPS_MS)]);
    const site = new URL(base ?? start);
    const robots = (await guide.robots.peek(site.href, cancellationSignal)) ?? UNLIMITED;
    const walk = walkSitemaps({
      egress,
      roots: sitemapRoots(site, robots),
      userAgent,
      signal,
      maxFiles: SITEMAP_FILES,
    });
    try {
      // However it ends, the file that is being read is closed.
      for await (const named of walk) {
        const { found, blocked } = await guide.adopt(named, cancellationSignal);
        const { isFull } = await addToJob(db, { jobId, pages: found, blocked, seal });
        // What more the sitemaps name, the limit leaves out.
        if (isFull) break;
      }
    } catch (error) {
      // Pages that were named, but perhaps not written down, must count as new again.
      guides.forget(jobId);
      cancellationSignal.throwIfAborted();
      if (!signal.aborted) throw error;
    }
  }

  return {
    /**
     * Finds out where a crawl is and how fast it may go.
     * @returns whether there are sitemaps to read; where the robots.txt of its host is unavailable, in how many
     *   milliseconds to call again
     * @throws ServiceError `ROBOTS_UNAVAILABLE` where it stays so
     */
    async prepareCrawl(jobId: string): Promise<{ sitemaps: boolean; waitMs?: number }> {
      const { cancellationSignal: signal } = Context.current();
      using _ = startHeartbeat();
      const { start, request, status, seal } = await findCrawl(jobId);
      // Who asks again for a crawl that has ended wakes it for nothing.
      if (status !== 'scraping') return { sitemaps: false };
      return await quietly(seal, async () => {
        const base = isCacheOnly(request.scrapeOptions) ? start : await baseOf(start, request, signal);
        const { robots } = guides.of({ jobId, seal, request, base });
        const outcome = request.ignoreRobotsTxt ? { rules: undefined } : await robots.of(base, signal);
        if ('error' in outcome) throw outcome.error;
        if ('waitMs' in outcome) return { sitemaps: false, waitMs: Math.max(outcome.waitMs, LEAST_WAIT_MS) };
        const delayMs = outcome.rules?.crawlDelayMs;
        const sitemaps = request.sitemap !== 'skip';
        await startDiscovery(db, jobId, { base: seal.close(base), delayMs, sitemaps });
        return { sitemaps };
      });
    },

    /** Makes pages of what sitemaps name; what one sitemap lacks is no fault of the crawl. */
    async readSitemaps(jobId: string): Promise<void> {
      const { cancellationSignal } = Context.current();
      using _ = startHeartbeat();
      const crawl = await findCrawl(jobId);
      await quietly(crawl.seal, () => adoptSitemaps(jobId, crawl, cancellationSignal));
      await endDiscovery(db, jobId);
    },

    /** Changes a job while it runs. What a person signals may be anything: nonsense is logged, and changes nothing. */
    async retuneJob(jobId: string, change: Retuning): Promise<void> {
      const { data, error } = retuning.safeParse(change);
      if (data) await retune(db, jobId, data);
      else Context.current().log.warn('signal ignored', { jobId, error: z.prettifyError(error) });
    },

    /** Ends a job; a completed one only when no page of it is open. @returns whether it has ended */
    async endJob(jobId: string, end: JobEnd): Promise<boolean> {
      if (end.status === 'completed') await recallPages({ db, guides, secretKey }, jobId);
      return endJob(db, { jobId, end, ttlMs: resultTtlMs });
    },
  };
}
