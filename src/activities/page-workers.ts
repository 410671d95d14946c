import { Context } from '@temporalio/activity';
import { ServiceError } from '../errors.ts';
import type { Engines } from '../fetch/engines/fetch-page.ts';
import { opensBrowser } from '../fetch/engines/opens-browser.ts';
import { KnownBodies } from '../jobs/archive/known-bodies.ts';
import type { LinkFilterCache } from '../jobs/crawl/link-filter-cache.ts';
import { BrowserCapacity } from '../jobs/page-jobs/browser-capacity.ts';
import { loadPageJob } from '../jobs/page-jobs/load-page-job.ts';
import { createPageCapacity } from '../jobs/page-jobs/page-capacity.ts';
import { PageScraper } from '../jobs/page-jobs/page-scraper.ts';
import { PageWorker } from '../jobs/page-jobs/page-worker.ts';
import {
  createReport,
  type PageWorkerReport,
  usefulPageWorkers,
} from '../jobs/page-jobs/page-worker-report.ts';
import type { DocumentDeps } from '../jobs/scraping/build-document.ts';
import type { DiskSpace } from '../storage/blobs/disk-space.ts';
import type { Blobs } from '../storage/blobs/index.ts';
import type { Database } from '../storage/db/client.ts';
import { addNote } from '../storage/db/jobs/job-progress.ts';
import { addHostTimes } from '../storage/db/jobs/job-summary.ts';
import { releaseClaims, renewClaims } from '../storage/db/pages/claims.ts';
import { readJobWorkload } from '../storage/db/pages/job-workload.ts';
import { extraCreditsOfPage } from '../storage/db/teams/extra-credits.ts';
import { withEncryptedErrors } from './encrypt-errors.ts';
import { startHeartbeat } from './heartbeat.ts';

/** Dependencies of page workers. */
export interface PageWorkerDeps extends DocumentDeps {
  db: Database;
  results: Blobs;
  engines: Engines;
  linkFilters: LinkFilterCache;
  storage: DiskSpace;
  /** Decrypts jobs with zero data retention. */
  secretKey: string;
  /**
   * Maximum number of requests that one host gets at once from all jobs together. For a job with
   * `maxConcurrency`, that number applies instead.
   */
  requestsPerHost: number;
  /** Maximum number of pages that the browser of this process has open at once. */
  browserPages: number;
  /** Bytes on the disk after which a job keeps no more responses. */
  maxArchiveBytes: number;
}

/**
 * The input of the activity `scrapePages`. Saved workflow histories contain it, so its fields keep their
 * names.
 */
export interface PageWorkerInput {
  jobId: string;
  /** Number of the page worker within its job, from 0. */
  lane: number;
  /** How many page workers of the job are running, including this one. */
  running?: number;
}

/** Name of the signal that makes a workflow start another page worker, see `workflows/signals.ts`. */
const HELP_SIGNAL = 'help';

/** Counts a page worker until it is disposed of. */
function countOpen(gauge: DocumentDeps['metrics']['pageWorkers']): Disposable {
  gauge.inc();
  return { [Symbol.dispose]: () => gauge.dec() };
}

/** The activities that scrape the pages of batches and crawls. */
export function pageWorkerActivities(deps: PageWorkerDeps) {
  const { db, results, linkFilters, storage, secretKey, requestsPerHost } = deps;
  const browserCapacity = new BrowserCapacity(deps.browserPages);
  const knownBodies = new KnownBodies();
  return {
    /**
     * Scrapes pages of a job for a few seconds. The activity may be repeated: the claims of an earlier
     * attempt are released, and the pages that it recorded stay recorded.
     */
    async scrapePages({ jobId, lane: number, running = 1 }: PageWorkerInput): Promise<PageWorkerReport> {
      const { info, cancellationSignal, log } = Context.current();
      const job = await loadPageJob(db, jobId, secretKey);
      const { cipher, options, crawl, pageEvents } = job;
      const prefix = `${jobId}/${number}/`;
      const name = `${prefix}${info.attempt}`;
      if (info.attempt > 1) await releaseClaims(db, { jobId, workerPrefix: prefix, isWorkerLost: true });
      const stop = new AbortController();
      const signal = AbortSignal.any([cancellationSignal, stop.signal]);
      using browser = opensBrowser(options) ? browserCapacity.addPageWorker(jobId) : undefined;
      const { capacity, duringWait } = createPageCapacity(storage, browser);
      const onFault = (message: string, attributes: Record<string, unknown>) =>
        log.error(message, attributes);
      const extraCredits = (pageId: string) =>
        extraCreditsOfPage(db, { pageId, teamId: job.teamId, pageWorker: name });
      const scraper = new PageScraper(jobId, job, { ...deps, signal, duringWait, onFault, extraCredits });
      using _open = countOpen(deps.metrics.pageWorkers);
      using _ = startHeartbeat(
        () => renewClaims(db, { jobId, pageWorker: name }),
        () => (cipher.encrypts ? undefined : scraper.chunk.report),
      );
      try {
        const pageWorker = new PageWorker({
          db,
          blobs: results,
          jobId,
          name,
          cipher,
          knownBodies,
          signal,
          pageEvents,
          requestsPerHost,
          // A page that is opened in the browser takes room there from its claim on.
          claimsAhead: browser === undefined,
          capacity,
          waitsForCapacity: number === 0,
          requestHelp: (reason) => requestPageWorker(jobId, reason === 'full' ? running : 0),
          // The start page is scraped first and alone, because its URL after redirects decides which pages
          // and sitemaps belong to the crawl.
          maxClaims: crawl && crawl.base === undefined ? 1 : Number.POSITIVE_INFINITY,
          scrape: (claim, state, onFetched) => scraper.scrape(claim, state, onFetched),
          onRecorded: (page) => scraper.observe(page),
        });
        const result = await withEncryptedErrors(cipher, () => pageWorker.run());
        if (scraper.trapped.size) {
          await addNote(db, jobId, 'traps', cipher.encryptJson(Object.fromEntries(scraper.trapped)));
        }
        if (scraper.unmatched > 0)
          await addNote(db, jobId, 'unmatched', cipher.encryptJson(scraper.unmatched));
        const report = await createReport(db, { jobId, requestsPerHost }, result);
        const placed = !crawl || result.job.base !== null;
        // A page worker without capacity would only wait. By reporting its own number it ends, while those
        // with lower numbers continue.
        const lanes = result.lacksCapacity && number > 0 ? Math.min(number, report.lanes) : report.lanes;
        if (cipher.encrypts) return { ...report, placed, lanes };
        await addHostTimes(db, jobId, scraper.chunk.hostTimes);
        return { ...report, placed, lanes, chunk: scraper.chunk.report };
      } catch (error) {
        // The link filter remembers these URLs as known, but they may not have been stored. It has to treat
        // them as new again.
        linkFilters.discard(jobId);
        throw error;
      } finally {
        stop.abort(new ServiceError('SCRAPE_JOB_CANCELLED', 'The page worker has ended.'));
        // Without the database this fails too. The next attempt then releases the claims.
        await releaseClaims(db, { jobId, workerPrefix: name, isWorkerLost: false }).catch((error) =>
          log.warn('claims of a page worker not released', { error: String(error) }),
        );
      }
    },
  };

  /**
   * Requests another page worker from the workflow, if there are pages due for one and the job can use more
   * than `running` page workers.
   */
  async function requestPageWorker(jobId: string, running: number): Promise<void> {
    const { info, client, log } = Context.current();
    const { workflowExecution: execution } = info;
    const workload = await readJobWorkload(db, jobId);
    // A job with a delay can use only one page worker.
    if (workload.dueInMs !== 0 || workload.delayMs || !execution) return;
    if (usefulPageWorkers(workload, requestsPerHost) <= running) return;
    const { workflowId, runId } = execution;
    await client.workflow
      .getHandle(workflowId, runId)
      .signal(HELP_SIGNAL)
      // Without the signal, the job is only slower until the next report of a page worker, which says how
      // many it can use.
      .catch((error) => log.warn('another page worker could not be requested', { error: String(error) }));
  }
}
