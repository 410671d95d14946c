import { Context } from '@temporalio/activity';
import type { DiskSpace } from '../blobs/disk-space.ts';
import type { Blobs } from '../blobs/index.ts';
import type { DuringWait } from '../browser/chromium/browser-pool.ts';
import type { LinkFilter } from '../crawl/link-filter.ts';
import type { LinkFilterCache } from '../crawl/link-filter-cache.ts';
import type { Database } from '../db/client.ts';
import { addNote } from '../db/jobs/job-progress.ts';
import { addHostTimes } from '../db/jobs/job-summary.ts';
import { type JobWorkload, readJobWorkload, releaseClaims, renewClaims } from '../db/pages/claims.ts';
import type { RecordAndClaimResult } from '../db/pages/record-and-claim.ts';
import { type Engines, opensBrowser } from '../engines/index.ts';
import { ServiceError } from '../errors.ts';
import { BrowserCapacity, type JobBrowserCapacity } from '../page-jobs/browser-capacity.ts';
import { ChunkLog, type ChunkReport } from '../page-jobs/chunk-log.ts';
import { loadPageJob } from '../page-jobs/load-page-job.ts';
import { PAGES_PER_WORKER, type PageCapacity, PageWorker } from '../page-jobs/page-worker.ts';
import { MAX_POSTPONEMENT_MS, scrapeClaimedPage } from '../page-jobs/scrape-claimed-page.ts';
import type { DocumentDeps } from '../scraping/build-document.ts';
import { withEncryptedErrors } from './encrypt-errors.ts';
import { startHeartbeat } from './heartbeat.ts';

/** Dependencies of lanes. */
export interface PageWorkerDeps extends DocumentDeps {
  db: Database;
  blobs: Blobs;
  engines: Engines;
  guides: LinkFilterCache;
  storage: DiskSpace;
  /** Decrypts jobs with zero data retention. */
  secretKey: string;
  /**
   * Maximum number of requests that one host gets at once from all jobs together. For a job with
   * `maxConcurrency`, that number applies instead.
   */
  requestsPerHost: number;
  /** Maximum number of pages that the browser of this worker has open at once. */
  browserPages: number;
}

/** Identifies a lane of a job. */
export interface PageWorkerInput {
  jobId: string;
  lane: number;
  /** Number of lanes of the job that are running, including this one. */
  running?: number;
}

/** The result of a lane. */
export interface PageWorkerReport {
  /** Number of pages that this lane finished. */
  done: number;
  status: string;
  total: number;
  completed: number;
  failed: number;
  credits: number;
  /** Number of pages of the job that have not ended. */
  open: number;
  /** Whether the job has reached its limit. Further pages that it finds are left out. */
  full: boolean;
  /** Whether the team has no credits left for the open pages. */
  outOfCredits: boolean;
  /** How many lanes the job can use now. */
  lanes: number;
  /** Milliseconds that the lane has to wait until it continues. */
  waitMs: number;
  /** Shown in the workflow history; absent for a job with zero data retention. */
  chunk?: ChunkReport;
  /** Whether it is known where the job is. For a crawl that is the case once its start page has ended. */
  placed: boolean;
}

/** Milliseconds that a lane waits if it had nothing to do and it is not known when the next page is due. */
const IDLE_WAIT_MS = 1_000;
const LEAST_WAIT_MS = 200;
const PAUSED_WAIT_MS = 5_000;
/** Name of the signal that makes a workflow start another lane, as defined in `workflows/signals.ts`. */
const HELP = 'help';

/** The activities that scrape the pages of batches and crawls. */
export function pageActivities(deps: PageWorkerDeps) {
  const { db, blobs, engines, renderer, tracker, media, guides, storage, secretKey } = deps;
  const { requestsPerHost } = deps;
  const browserPlaces = new BrowserCapacity(deps.browserPages);
  return {
    /**
     * Scrapes pages of a job for a few seconds. The activity may be repeated: the claims of an earlier
     * attempt are released, and the pages that it recorded stay recorded.
     */
    async scrapePages({ jobId, lane: number, running = 1 }: PageWorkerInput): Promise<PageWorkerReport> {
      const { info, cancellationSignal, log } = Context.current();
      const onFault = (message: string, attributes: Record<string, unknown>) =>
        log.error(message, attributes);
      const { teamId, cipher, options, crawl, pageEvents } = await loadPageJob(db, jobId, secretKey);
      const prefix = `${jobId}/${number}/`;
      const name = `${prefix}${info.attempt}`;
      if (info.attempt > 1) await releaseClaims(db, { jobId, workerPrefix: prefix, isWorkerLost: true });
      using _ = startHeartbeat(() => renewClaims(db, { jobId, pageWorker: name }));
      const stop = new AbortController();
      const signal = AbortSignal.any([cancellationSignal, stop.signal]);
      using places = opensBrowser(options) ? browserPlaces.join(jobId) : undefined;
      const { room, duringWait } = roomFor(places);
      const chunk = new ChunkLog();
      let guide: LinkFilter | undefined;
      try {
        const lane = new PageWorker({
          db,
          blobs,
          jobId,
          name,
          cipher,
          signal,
          pageEvents,
          requestsPerHost,
          room,
          isPatient: number === 0,
          callHelp: (why) => callHelp(jobId, why === 'full' ? running : 0),
          // The start page is scraped first and alone, because its URL after redirects decides which pages
          // and sitemaps belong to the crawl.
          most: crawl && crawl.base === undefined ? 1 : Number.POSITIVE_INFINITY,
          scrape(claim, { base }, onFetched) {
            const guideAt =
              crawl &&
              ((url: string) => {
                guide = guides.get({ ...crawl, jobId, cipher, base: url });
                return guide;
              });
            const follow = crawl !== undefined && crawl.request.sitemap !== 'only';
            const start = crawl?.start;
            const isQuiet = cipher.encrypts;
            const shared = { jobId, teamId, request: options, guideAt, start, follow, isQuiet };
            const pageJob = { ...shared, guide: guideAt?.(base ?? claim.url) };
            return chunk.note(claim, (noteTime) => {
              const fetched = (askedMs: number | undefined) => {
                if (askedMs !== undefined) noteTime(askedMs);
                onFetched();
              };
              return scrapeClaimedPage(claim, pageJob, {
                engines,
                renderer,
                tracker,
                media,
                signal,
                onFetched: fetched,
                duringWait,
                onFault,
              });
            });
          },
        });
        const { done, job: state, isBlocked } = await withEncryptedErrors(cipher, () => lane.run());
        if (guide?.trapped.size) {
          await addNote(db, jobId, 'traps', cipher.encryptJson(Object.fromEntries(guide.trapped)));
        }
        const placed = !crawl || state.base !== null;
        const report = { ...(await reportOf(jobId, done, state)), placed };
        // A lane without room would only wait. By reporting its own number it ends, while the lanes before
        // it continue.
        const lanes = isBlocked && number > 0 ? Math.min(number, report.lanes) : report.lanes;
        if (cipher.encrypts) return { ...report, lanes };
        await addHostTimes(db, jobId, chunk.hostTimes);
        return { ...report, lanes, chunk: chunk.report };
      } catch (error) {
        // The link filter remembers these URLs as known, but they may not have been stored. It has to treat
        // them as new again.
        guides.discard(jobId);
        throw error;
      } finally {
        stop.abort(new ServiceError('SCRAPE_JOB_CANCELLED', 'The lane has ended.'));
        // Without the database this fails too. The next attempt then releases the claims.
        await releaseClaims(db, { jobId, workerPrefix: name, isWorkerLost: false }).catch((error) =>
          Context.current().log.warn('lane not freed', { error: String(error) }),
        );
      }
    },
  };

  /**
   * Limits how many pages a lane may start: none while the disk is full or one of its pages waits for the
   * browser, and if all pages are opened in the browser, only as many as there are places for.
   */
  function roomFor(places: JobBrowserCapacity | undefined): { room: PageCapacity; duringWait: DuringWait } {
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

  /**
   * Asks the workflow for another lane, if there are pages due for one and the job can use more than
   * `running` lanes.
   */
  async function callHelp(jobId: string, running: number): Promise<void> {
    const { info, client, log } = Context.current();
    const { workflowExecution: execution } = info;
    const survey = await readJobWorkload(db, jobId);
    // A job with a delay can use only one lane.
    if (survey.dueInMs !== 0 || survey.delayMs || !execution || lanesFor(survey) <= running) return;
    const { workflowId, runId } = execution;
    await client.workflow
      .getHandle(workflowId, runId)
      .signal(HELP)
      // Without the signal, the job is only slower until the next report of a lane, which says how many it
      // can use.
      .catch((error) => log.warn('no other lane was asked for', { error: String(error) }));
  }

  /** Calculates how many lanes the open pages can keep busy. */
  function lanesFor({ open, hosts, maxConcurrency, teamConcurrency, delayMs }: JobWorkload): number {
    const wide = maxConcurrency ?? Math.max(hosts, 1) * requestsPerHost;
    return delayMs ? 1 : Math.max(1, Math.ceil(Math.min(open, wide, teamConcurrency) / PAGES_PER_WORKER));
  }

  async function reportOf(
    jobId: string,
    done: number,
    job: RecordAndClaimResult,
  ): Promise<Omit<PageWorkerReport, 'placed'>> {
    const { status, paused, total, completed, failed, credits, open, full, outOfCredits } = job;
    const survey = await readJobWorkload(db, jobId);
    const lanes = lanesFor(survey);
    const idleMs = paused ? PAUSED_WAIT_MS : Math.max(survey.dueInMs ?? IDLE_WAIT_MS, LEAST_WAIT_MS);
    const waitMs = done > 0 || open === 0 ? 0 : Math.min(idleMs, MAX_POSTPONEMENT_MS);
    return { done, status, total, completed, failed, credits, open, full, outOfCredits, lanes, waitMs };
  }
}
