import { Context } from '@temporalio/activity';
import { isErrorCode, policyOf, toServiceError } from '../../errors.ts';
import { type RunningScrape, RunningScrapes } from '../../jobs/direct-start/running-scrapes.ts';
import { ACTIVITY_AFTER_MS } from '../../jobs/direct-start/timeline.ts';
import { failRun } from '../../storage/db/jobs/agent-steps.ts';
import type { LeasedJob } from '../../storage/db/jobs/jobs.ts';
import { failJob } from '../../storage/db/jobs/take-credits.ts';
import type { StoredError } from '../../storage/db/tables.ts';
import { startHeartbeat } from '../heartbeat.ts';
import type { ScrapeResult } from './scrape-report.ts';
import { removeUpload, type ScrapeDeps, scrapeStoredJob } from './scrape-stored-job.ts';

/** The scrapes of this process. */
export interface Scrapes {
  /**
   * Returns the running scrape of a job, or starts it.
   * @param isUntracked whether Temporal keeps no track of it: it starts before `scrapePage`
   * @param leased the job, if it has been read, and a slot taken for it, already
   */
  join(jobId: string, isUntracked: boolean, leased?: LeasedJob): RunningScrape<ScrapeResult>;
}

/** The activities of a scrape. */
export function scrapeActivities({
  db,
  uploads,
  scrapes,
}: Pick<ScrapeDeps, 'db' | 'uploads'> & { scrapes: Scrapes }) {
  return {
    /**
     * Begins with the page of a job, and returns its document if that takes less than a second. Otherwise the
     * work continues, and `scrapePage` joins it. Most pages thus need no activity that Temporal has to
     * schedule and store.
     * @returns `undefined` if `scrapePage` has to be called, also after an error that it may not meet again
     */
    async beginPage(jobId: string): Promise<{ result: ScrapeResult } | undefined> {
      try {
        return await scrapes.join(jobId, true).wait(Context.current().cancellationSignal, ACTIVITY_AFTER_MS);
      } catch (error) {
        if (toServiceError(error).isRetryable) return undefined;
        throw error;
      }
    },

    /**
     * Scrapes the page of a job and stores its document, or waits for the end of that work if it runs in this
     * process. The activity may be repeated: if the job has already ended, it only returns the result.
     * @returns the key of the document, in a report unless the job has zero data retention;
     *   `undefined` if the job ended without a document
     */
    async scrapePage(jobId: string): Promise<ScrapeResult> {
      const scrape = scrapes.join(jobId, false);
      const { attempt, retryPolicy } = Context.current().info;
      scrape.isLast = attempt === retryPolicy?.maximumAttempts;
      using _ = startHeartbeat(undefined, () => scrape.progress());
      return (await scrape.wait(Context.current().cancellationSignal))?.result;
    },

    /** Records why a job failed, and the credits that the failure costs. An agent or extract announces it. */
    async recordFailure(jobId: string, error: StoredError): Promise<void> {
      if (await failRun(db, jobId, error)) return;
      const credits = isErrorCode(error.code) ? (policyOf(error.code).credits ?? 0) : 0;
      await removeUpload(uploads, await failJob(db, { jobId, credits, error }));
    },
  };
}

/** Creates the scrapes of this process, which may begin before the activity that waits for them. */
export function createScrapes(deps: ScrapeDeps): Scrapes {
  const running = new RunningScrapes<ScrapeResult>();
  return {
    join: (jobId, isUntracked, leased) =>
      running.join(jobId, {
        isUntracked,
        work: (run) => scrapeStoredJob(deps, { jobId, leased, run }),
      }),
  };
}
