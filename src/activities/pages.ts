import { Context } from '@temporalio/activity';
import type { Blobs } from '../blobs.ts';
import type { DuringWait } from '../browser/browser-pool.ts';
import type { Guide } from '../crawl/guide.ts';
import type { Guides } from '../crawl/guides.ts';
import { type JobSurvey, releaseLanes, renewLane, surveyJob } from '../db/claims.ts';
import type { Database } from '../db/client.ts';
import { addHostTimes } from '../db/job-summary.ts';
import type { Advanced } from '../db/lanes.ts';
import { note } from '../db/progress.ts';
import type { DiskSpace } from '../disk-space.ts';
import { type Engines, opensBrowser } from '../engines/index.ts';
import { ServiceError } from '../errors.ts';
import { BrowserPlaces, type JobPlaces } from './browser-places.ts';
import { ChunkLog, type ChunkReport } from './chunk.ts';
import type { DocumentHands } from './document.ts';
import { startHeartbeat } from './heartbeat.ts';
import { LANE_WIDTH, Lane, type LaneRoom } from './lane.ts';
import { LONGEST_REST_MS, scrapeOne } from './page.ts';
import { openJob } from './page-job.ts';
import { quietly } from './quietly.ts';

/** What lanes need from outside. */
export interface PageDoors extends DocumentHands {
  db: Database;
  blobs: Blobs;
  engines: Engines;
  guides: Guides;
  storage: DiskSpace;
  /** Opens what is encrypted of a job. */
  secretKey: string;
  /** Requests that one host gets at once from all jobs together, where a job sets no `maxConcurrency`. */
  requestsPerHost: number;
  /** Pages that the browser of this worker has open at once. */
  browserPages: number;
}

/** Which lane of which job. */
export interface LaneInput {
  jobId: string;
  lane: number;
  /** Lanes of the job that are at work, with this one. */
  running?: number;
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
  /** For whoever reads the history; absent for a job with zero data retention. */
  chunk?: ChunkReport;
  /** Where the job is is known: of a crawl, its start page has ended. */
  placed: boolean;
}

/** With nothing to do, though nothing says when there will be. */
const IDLE_WAIT_MS = 1_000;
const LEAST_WAIT_MS = 200;
const PAUSED_WAIT_MS = 5_000;
/** The signal by which a workflow starts another lane, as `workflows/signals.ts` defines it. */
const HELP = 'help';

/** The activities that scrape the pages of batches and crawls. */
export function pageActivities(doors: PageDoors) {
  const { db, blobs, engines, renderer, tracker, media, guides, storage, secretKey } = doors;
  const { requestsPerHost } = doors;
  const browserPlaces = new BrowserPlaces(doors.browserPages);
  return {
    /**
     * Works on a job's pages for a few seconds. Attempts may repeat: what an earlier one held is freed, and what it
     * recorded stays.
     */
    async scrapePages({ jobId, lane: number, running = 1 }: LaneInput): Promise<LaneReport> {
      const { info, cancellationSignal } = Context.current();
      const { teamId, seal, options, crawl, pageEvents } = await openJob(db, jobId, secretKey);
      const prefix = `${jobId}/${number}/`;
      const name = `${prefix}${info.attempt}`;
      if (info.attempt > 1) await releaseLanes(db, { jobId, lane: prefix, lost: true });
      using _ = startHeartbeat(() => renewLane(db, { jobId, lane: name }));
      const stop = new AbortController();
      const signal = AbortSignal.any([cancellationSignal, stop.signal]);
      using places = opensBrowser(options) ? browserPlaces.join(jobId) : undefined;
      const { room, duringWait } = roomFor(places);
      const chunk = new ChunkLog();
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
          requestsPerHost,
          room,
          isPatient: number === 0,
          callHelp: (why) => callHelp(jobId, why === 'full' ? running : 0),
          // Where a crawl is decides what its pages and its sitemaps are, so its start page goes first, alone.
          most: crawl && crawl.base === undefined ? 1 : Number.POSITIVE_INFINITY,
          scrape(claim, { base }, onFetched) {
            const guideAt =
              crawl &&
              ((url: string) => {
                guide = guides.of({ ...crawl, jobId, seal, base: url });
                return guide;
              });
            const follow = crawl !== undefined && crawl.request.sitemap !== 'only';
            const start = crawl?.start;
            const isQuiet = seal.isSealed;
            const shared = { jobId, teamId, request: options, guideAt, start, follow, isQuiet };
            const pageJob = { ...shared, guide: guideAt?.(base ?? claim.url) };
            return chunk.note(claim, (noteTime) => {
              const fetched = (askedMs: number | undefined) => {
                if (askedMs !== undefined) noteTime(askedMs);
                onFetched();
              };
              return scrapeOne(claim, pageJob, {
                engines,
                renderer,
                tracker,
                media,
                signal,
                onFetched: fetched,
                duringWait,
              });
            });
          },
        });
        const { done, job: state, isBlocked } = await quietly(seal, () => lane.run());
        if (guide?.trapped.size) {
          await note(db, jobId, 'traps', seal.closeJson(Object.fromEntries(guide.trapped)));
        }
        const placed = !crawl || state.base !== null;
        const report = { ...(await reportOf(jobId, done, state)), placed };
        // Another lane of the job may have what there is room for; this one would only look again and again.
        const lanes = isBlocked && number > 0 ? Math.min(number, report.lanes) : report.lanes;
        if (seal.isSealed) return { ...report, lanes };
        await addHostTimes(db, jobId, chunk.hostTimes);
        return { ...report, lanes, chunk: chunk.report };
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

  /**
   * For how many pages a lane has room: none on a full disk, none while pages of its own wait for the browser, and
   * where all are opened in the browser, as many as it has places for.
   */
  function roomFor(places: JobPlaces | undefined): { room: LaneRoom; duringWait: DuringWait } {
    let waiting = 0;
    return {
      room: {
        async take(want) {
          if (waiting > 0 || !(await storage.hasSpace())) return 0;
          return places ? places.take(want) : want;
        },
        decline: (count) => places?.decline(count),
        release: (count) => places?.release(count),
      },
      async duringWait(wait) {
        waiting++;
        return wait().finally(() => waiting--);
      },
    };
  }

  /** Tells the workflow that another lane would find pages to scrape, if it would, and if there are only so many. */
  async function callHelp(jobId: string, running: number): Promise<void> {
    const { info, client, log } = Context.current();
    const { workflowExecution: execution } = info;
    const survey = await surveyJob(db, jobId);
    // With a delay, one lane is all there may be.
    if (survey.dueInMs !== 0 || survey.delayMs || !execution || lanesFor(survey) <= running) return;
    const { workflowId, runId } = execution;
    await client.workflow
      .getHandle(workflowId, runId)
      .signal(HELP)
      // The next report asks for as many lanes; until then the job is slower, and nothing else.
      .catch((error) => log.warn('no other lane was asked for', { error: String(error) }));
  }

  /** How many lanes can be at work for the pages that are open. */
  function lanesFor({ open, hosts, maxConcurrency, teamConcurrency, delayMs }: JobSurvey): number {
    const wide = maxConcurrency ?? Math.max(hosts, 1) * requestsPerHost;
    return delayMs ? 1 : Math.max(1, Math.ceil(Math.min(open, wide, teamConcurrency) / LANE_WIDTH));
  }

  async function reportOf(jobId: string, done: number, job: Advanced): Promise<Omit<LaneReport, 'placed'>> {
    const { status, paused, total, completed, failed, credits, open, full, outOfCredits } = job;
    const survey = await surveyJob(db, jobId);
    const lanes = lanesFor(survey);
    const idleMs = paused ? PAUSED_WAIT_MS : Math.max(survey.dueInMs ?? IDLE_WAIT_MS, LEAST_WAIT_MS);
    const waitMs = done > 0 || open === 0 ? 0 : Math.min(idleMs, LONGEST_REST_MS);
    return { done, status, total, completed, failed, credits, open, full, outOfCredits, lanes, waitMs };
  }
}
