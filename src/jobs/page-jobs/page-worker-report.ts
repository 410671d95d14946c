import type { Database } from '../../storage/db/client.ts';
import { type JobWorkload, readJobWorkload } from '../../storage/db/pages/job-workload.ts';
import type { RecordAndClaimResult } from '../../storage/db/pages/record-and-claim.ts';
import type { ChunkReport } from './chunk-log.ts';
import { PAGES_PER_WORKER } from './claimed-pages.ts';
import { MAX_RETRY_DELAY_MS } from './page-outcome.ts';

/**
 * The result of the activity `scrapePages`: the state of the job, and what its workflow has to do next.
 * Saved workflow histories contain it, so its fields keep their names; they call a page worker a lane.
 */
export interface PageWorkerReport
  extends Pick<
    RecordAndClaimResult,
    'status' | 'total' | 'completed' | 'failed' | 'credits' | 'open' | 'full' | 'outOfCredits'
  > {
  /** Number of pages that this page worker finished. */
  done: number;
  /** How many page workers the job can use now. */
  lanes: number;
  /** Milliseconds that the page worker has to wait until it continues. */
  waitMs: number;
  /** Shown in the workflow history; absent for a job with zero data retention. */
  chunk?: ChunkReport;
  /**
   * Whether the base of a crawl is known, which is the case once its start page has ended; true for a batch.
   */
  placed: boolean;
}

/**
 * Milliseconds that a page worker waits if it had nothing to do and it is not known when the next page is
 * due.
 */
const IDLE_WAIT_MS = 1_000;
const MIN_WAIT_MS = 200;
const PAUSED_WAIT_MS = 5_000;

/** Calculates how many page workers the open pages can keep busy. A job with a delay can use only one. */
export function usefulPageWorkers(workload: JobWorkload, requestsPerHost: number): number {
  const { open, hosts, maxConcurrency, teamConcurrency, delayMs } = workload;
  if (delayMs) return 1;
  const concurrency = maxConcurrency ?? Math.max(hosts, 1) * requestsPerHost;
  return Math.max(1, Math.ceil(Math.min(open, concurrency, teamConcurrency) / PAGES_PER_WORKER));
}

/**
 * Creates the report of a page worker.
 * @param result.ended number of pages that it finished
 * @param result.job the state of the job after its last step
 */
export async function createReport(
  db: Database,
  { jobId, requestsPerHost }: { jobId: string; requestsPerHost: number },
  { ended, job }: { ended: number; job: RecordAndClaimResult },
): Promise<Omit<PageWorkerReport, 'placed' | 'chunk'>> {
  const { status, paused, total, completed, failed, credits, open, full, outOfCredits } = job;
  const workload = await readJobWorkload(db, jobId);
  const idleMs = paused ? PAUSED_WAIT_MS : Math.max(workload.dueInMs ?? IDLE_WAIT_MS, MIN_WAIT_MS);
  return {
    done: ended,
    status,
    total,
    completed,
    failed,
    credits,
    open,
    full,
    outOfCredits,
    lanes: usefulPageWorkers(workload, requestsPerHost),
    waitMs: ended > 0 || open === 0 ? 0 : Math.min(idleMs, MAX_RETRY_DELAY_MS),
  };
}
