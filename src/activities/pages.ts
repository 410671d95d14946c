import { Context } from '@temporalio/activity';
import type { Blobs } from '../blobs.ts';
import type { Guide } from '../crawl/guide.ts';
import type { Guides } from '../crawl/guides.ts';
import { REQUESTS_PER_HOST, releaseLanes, renewLane, surveyJob } from '../db/claims.ts';
import type { Database } from '../db/client.ts';
import type { Advanced } from '../db/lanes.ts';
import { findPageJob } from '../db/page-jobs.ts';
import { note } from '../db/progress.ts';
import type { Engines } from '../engines/index.ts';
import { ServiceError } from '../errors.ts';
import type { RenderPool } from '../formats/pool.ts';
import type { CrawlRequest } from '../schemas/crawl.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';
import type { WebhookTarget } from '../schemas/webhook.ts';
import type { Storage } from '../storage.ts';
import { startHeartbeat } from './heartbeat.ts';
import { LANE_WIDTH, Lane } from './lane.ts';
import { LONGEST_REST_MS, scrapeOne } from './page.ts';

/** What lanes need from outside. */
export interface PageDoors {
  db: Database;
  blobs: Blobs;
  engines: Engines;
  renderer: RenderPool;
  guides: Guides;
  storage: Storage;
}

/** Which lane of which job. */
export interface LaneInput {
  jobId: string;
  lane: number;
}

/** What a lane says when it stops. */
export interface LaneReport {
  /** Pages that it finished. */
  done: number;
  status: string;
  total: number;
  completed: number;
  failed: number;
  credits: number;
  /** Pages of the job that are not finished. */
  open: number;
  /** The limit is reached: what else could be found would be left out. */
  full: boolean;
  /** The team has nothing left to pay for them. */
  outOfCredits: boolean;
  /** How many lanes the job can use now. */
  lanes: number;
  /** When to come back, with nothing to do until then. */
  waitMs: number;
}

/** With nothing to do, though nothing says when there will be. */
const IDLE_WAIT_MS = 1_000;
const LEAST_WAIT_MS = 200;
const PAUSED_WAIT_MS = 5_000;

/** The activities that scrape the pages of batches and crawls. */
export function pageActivities({ db, blobs, engines, renderer, guides, storage }: PageDoors) {
  return {
    /**
     * Works on a job's pages for a few seconds. Attempts may repeat: what an earlier one held is freed, and what it
     * recorded stays.
     */
    async scrapePages({ jobId, lane }: LaneInput): Promise<LaneReport> {
      const { info, cancellationSignal } = Context.current();
      const job = await findPageJob(db, jobId);
      if (!job) throw new ServiceError('NOT_FOUND', `Job ${jobId} does not exist (any more).`);
      const prefix = `${jobId}/${lane}/`;
      const name = `${prefix}${info.attempt}`;
      if (info.attempt > 1) await releaseLanes(db, { jobId, lane: prefix, lost: true });
      using _ = startHeartbeat(() => renewLane(db, { jobId, lane: name }));
      // The API validated it before it was written down.
      const request = job.request as ScrapeRequest & CrawlRequest;
      const isCrawl = job.kind === 'crawl';
      const stop = new AbortController();
      const signal = AbortSignal.any([cancellationSignal, stop.signal]);
      let guide: Guide | undefined;
      try {
        const { done, job: state } = await new Lane({
          db,
          blobs,
          jobId,
          name,
          signal,
          // As above.
          pageEvents: (job.webhook as WebhookTarget | null)?.events.includes('page') ?? false,
          mayClaim: () => storage.hasRoom(),
          scrape(claim, { base }, onFetched) {
            guide = isCrawl
              ? guides.of({ jobId, request, base: base ?? job.target ?? claim.url })
              : undefined;
            const follow = isCrawl && request.sitemap !== 'only';
            const options = isCrawl ? request.scrapeOptions : request;
            const pageJob = { teamId: job.team_id, request: options as ScrapeRequest, guide, follow };
            return scrapeOne(claim, pageJob, { engines, renderer, signal, onFetched });
          },
        }).run();
        if (guide?.trapped.size) await note(db, jobId, 'traps', Object.fromEntries(guide.trapped));
        return await reportOf(jobId, done, state);
      } catch (error) {
        // Links that were found, but perhaps not written down, must count as new again.
        guides.forget(jobId);
        throw error;
      } finally {
        stop.abort(new ServiceError('SCRAPE_JOB_CANCELLED', 'The lane has ended.'));
        // On a lost database this fails too; the next attempt frees it then.
        await releaseLanes(db, { jobId, lane: name, lost: false }).catch((error) =>
          Context.current().log.warn('lane not freed', { error: String(error) }),
        );
      }
    },
  };

  async function reportOf(jobId: string, done: number, job: Advanced): Promise<LaneReport> {
    const { status, paused, total, completed, failed, credits, open, full, outOfCredits, delayMs } = job;
    const { dueInMs, hosts, maxConcurrency, teamConcurrency } = await surveyJob(db, jobId);
    const wide = delayMs
      ? 1
      : (maxConcurrency ?? Math.min(teamConcurrency, Math.max(hosts, 1) * REQUESTS_PER_HOST));
    const lanes = Math.max(1, Math.ceil(Math.min(open, wide) / LANE_WIDTH));
    const idleMs = paused ? PAUSED_WAIT_MS : Math.max(dueInMs ?? IDLE_WAIT_MS, LEAST_WAIT_MS);
    const waitMs = done > 0 || open === 0 ? 0 : Math.min(idleMs, LONGEST_REST_MS);
    return { done, status, total, completed, failed, credits, open, full, outOfCredits, lanes, waitMs };
  }
}
