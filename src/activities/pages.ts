import { Context } from '@temporalio/activity';
import type { Blobs } from '../blobs.ts';
import type { Guide } from '../crawl/guide.ts';
import type { Guides } from '../crawl/guides.ts';
import { REQUESTS_PER_HOST, releaseLanes, renewLane, surveyJob } from '../db/claims.ts';
import type { Database } from '../db/client.ts';
import type { Advanced } from '../db/lanes.ts';
import { note } from '../db/progress.ts';
import type { Engines } from '../engines/index.ts';
import { ServiceError } from '../errors.ts';
import type { Storage } from '../storage.ts';
import type { DocumentHands } from './document.ts';
import { startHeartbeat } from './heartbeat.ts';
import { LANE_WIDTH, Lane } from './lane.ts';
import { LONGEST_REST_MS, scrapeOne } from './page.ts';
import { openJob } from './page-job.ts';
import { quietly } from './quietly.ts';

/** What lanes need from outside. */
export interface PageDoors extends DocumentHands {
  db: Database;
  blobs: Blobs;
  engines: Engines;
  guides: Guides;
  storage: Storage;
  /** Opens what is encrypted of a job. */
  secretKey: string;
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
export function pageActivities(doors: PageDoors) {
  const { db, blobs, engines, renderer, tracker, media, guides, storage, secretKey } = doors;
  return {
    /**
     * Works on a job's pages for a few seconds. Attempts may repeat: what an earlier one held is freed, and what it
     * recorded stays.
     */
    async scrapePages({ jobId, lane: number }: LaneInput): Promise<LaneReport> {
      const { info, cancellationSignal } = Context.current();
      const { teamId, seal, options, crawl, pageEvents } = await openJob(db, jobId, secretKey);
      const prefix = `${jobId}/${number}/`;
      const name = `${prefix}${info.attempt}`;
      if (info.attempt > 1) await releaseLanes(db, { jobId, lane: prefix, lost: true });
      using _ = startHeartbeat(() => renewLane(db, { jobId, lane: name }));
      const stop = new AbortController();
      const signal = AbortSignal.any([cancellationSignal, stop.signal]);
      let guide: Guide | undefined;
      try {
        const lane = new Lane({
          db,
          blobs,
          jobId,
          name,
          seal,
          signal,
          pageEvents,
          mayClaim: () => storage.hasRoom(),
          scrape(claim, { base }, onFetched) {
            guide = crawl && guides.of({ jobId, seal, request: crawl.request, base: base ?? crawl.start });
            const follow = crawl !== undefined && crawl.request.sitemap !== 'only';
            const start = crawl?.start;
            const isQuiet = seal.isSealed;
            const pageJob = { jobId, teamId, request: options, guide, start, follow, isQuiet };
            return scrapeOne(claim, pageJob, { engines, renderer, tracker, media, signal, onFetched });
          },
        });
        const { done, job: state } = await quietly(seal, () => lane.run());
        if (guide?.trapped.size) {
          await note(db, jobId, 'traps', seal.closeJson(Object.fromEntries(guide.trapped)));
        }
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
