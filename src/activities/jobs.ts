import { Context } from '@temporalio/activity';
import { z } from 'zod';
import type { Guides } from '../crawl/guides.ts';
import { UNLIMITED } from '../crawl/robots.ts';
import { siteOf } from '../crawl/site.ts';
import { type SitemapReport, sitemapPlaces, walkSitemaps } from '../crawl/sitemaps.ts';
import type { Database } from '../db/client.ts';
import { type JobSummary, summarizeJob } from '../db/job-summary.ts';
import { addToJob } from '../db/page-jobs.ts';
import { endDiscovery, endJob, type JobEnd, retune, startDiscovery } from '../db/progress.ts';
import { ServiceError } from '../errors.ts';
import type { Egress } from '../net/egress.ts';
import { type Retuning, retuning } from '../schemas/page-job.ts';
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

/** Sitemaps are read for so long at most; pages go on being found by links. */
const SITEMAPS_MS = 10 * 60_000;
const SITEMAP_FILES = 1_000;
const LEAST_WAIT_MS = 200;

/** What is known of a crawl before its first page. */
interface Prepared {
  /** There are sitemaps to read. */
  sitemaps: boolean;
  /** Where robots.txt is unavailable: in how many milliseconds to ask again. */
  waitMs?: number;
  /** For whoever reads the history; absent for a job with zero data retention. */
  robotsTxt?: 'asked' | 'ignored';
  /** As robots.txt asks for it. */
  crawlDelayMs?: number;
}

/** What sitemaps brought, as it is shown in Temporal. */
interface SitemapSummary {
  /** Pages that the crawl did not know. */
  pages: number;
  /** URLs that robots.txt keeps the crawl from. */
  blocked: number;
  files:
    | 'not all were read'
    | { read: number; missing: number; failed: Record<string, number>; truncated: boolean };
}

/** Gives what a generator gives, and tells what it returns if it is read to its end. */
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

/** The activities that begin and end batches and crawls, and change them between. */
export function jobActivities({ db, egress, guides, userAgent, resultTtlMs, secretKey }: JobDoors) {
  async function findCrawl(jobId: string) {
    const { status, seal, crawl } = await openJob(db, jobId, secretKey);
    if (!crawl) throw new ServiceError('NOT_FOUND', `Job ${jobId} is no crawl.`);
    return { ...crawl, status, seal };
  }

  async function adoptSitemaps(
    jobId: string,
    crawl: Awaited<ReturnType<typeof findCrawl>>,
    cancellationSignal: AbortSignal,
  ): Promise<SitemapSummary> {
    const { start, base, seal } = crawl;
    const guide = guides.of({ ...crawl, jobId });
    const signal = AbortSignal.any([cancellationSignal, AbortSignal.timeout(SITEMAPS_MS)]);
    const site = new URL(siteOf(start, base ?? start));
    const robots = (await guide.robots.peek(site.href, cancellationSignal)) ?? UNLIMITED;
    const walk = walkSitemaps({
      egress,
      ...sitemapPlaces(site, robots),
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
      // However it ends, the file that is being read is closed.
      for await (const named of withReturn(walk, onEnd)) {
        const { found, ...skipped } = await guide.adopt(named, cancellationSignal);
        const { added, isFull } = await addToJob(db, { jobId, pages: found, ...skipped, seal });
        summary.pages += added;
        summary.blocked += skipped.blocked.length;
        // What more the sitemaps name, the limit leaves out.
        if (isFull) break;
      }
    } catch (error) {
      // Pages that were named, but perhaps not written down, must count as new again.
      guides.forget(jobId);
      cancellationSignal.throwIfAborted();
      if (!signal.aborted) throw error;
    }
    return summary;
  }

  return {
    /**
     * Reads what robots.txt of a crawl's host allows and how fast it may be asked, before the first page.
     * @returns whether there are sitemaps to read, once the start page has told where the crawl is; where robots.txt is
     *   unavailable, in how many milliseconds to call again
     * @throws ServiceError `ROBOTS_UNAVAILABLE` where it stays so
     */
    async prepareCrawl(jobId: string): Promise<Prepared> {
      const { cancellationSignal: signal } = Context.current();
      using _ = startHeartbeat();
      const crawl = await findCrawl(jobId);
      const { start, base, request, readsSitemaps: sitemaps, status, seal } = crawl;
      // Who asks again for a crawl that has ended wakes it for nothing.
      if (status !== 'scraping') return { sitemaps: false };
      return await quietly(seal, async () => {
        const { robots } = guides.of({ ...crawl, jobId });
        const outcome = request.ignoreRobotsTxt
          ? { rules: undefined }
          : await robots.of(base ?? start, signal);
        if ('error' in outcome) throw outcome.error;
        if ('waitMs' in outcome) return { sitemaps: false, waitMs: Math.max(outcome.waitMs, LEAST_WAIT_MS) };
        const { rules } = outcome;
        await startDiscovery(db, jobId, { delayMs: rules?.crawlDelayMs, sitemaps });
        if (seal.isSealed) return { sitemaps };
        const robotsTxt = rules ? 'asked' : 'ignored';
        return { sitemaps, robotsTxt, ...(rules?.crawlDelayMs && { crawlDelayMs: rules.crawlDelayMs }) };
      });
    },

    /** Makes pages of what sitemaps name; what one sitemap lacks is no fault of the crawl. */
    async readSitemaps(jobId: string): Promise<SitemapSummary | undefined> {
      const { cancellationSignal } = Context.current();
      using _ = startHeartbeat();
      const crawl = await findCrawl(jobId);
      const summary = await quietly(crawl.seal, () => adoptSitemaps(jobId, crawl, cancellationSignal));
      await endDiscovery(db, jobId);
      return crawl.seal.isSealed ? undefined : summary;
    },

    /** Changes a job while it runs. What a person signals may be anything: nonsense is logged, and changes nothing. */
    async retuneJob(jobId: string, change: Retuning): Promise<void> {
      const { data, error } = retuning.safeParse(change);
      if (data) await retune(db, jobId, data);
      else Context.current().log.warn('signal ignored', { jobId, error: z.prettifyError(error) });
    },

    /** What became of a job, in numbers, for whoever reads the history; nothing of one with zero data retention. */
    async summarizeJob(jobId: string): Promise<JobSummary | undefined> {
      return summarizeJob(db, jobId);
    },

    /** Ends a job; a completed one only when no page of it is open. @returns whether it has ended */
    async endJob(jobId: string, end: JobEnd): Promise<boolean> {
      if (end.status === 'completed') await recallPages({ db, guides, secretKey }, jobId);
      return endJob(db, { jobId, end, ttlMs: resultTtlMs });
    },
  };
}
