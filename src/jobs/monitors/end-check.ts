import { JUDGED_PAGE } from '../../credits.ts';
import type { PageJobKind } from '../../job-kinds.ts';
import type { Database } from '../../storage/db/client.ts';
import { endJob } from '../../storage/db/jobs/job-progress.ts';
import { cancelJob } from '../../storage/db/jobs/take-credits.ts';
import { type CheckJob, listCheckJobs, sumCheckCredits } from '../../storage/db/monitors/check-jobs.ts';
import { type CheckEnd, endCheck } from '../../storage/db/monitors/checks.ts';
import { countJudgments, type JudgedResults, tellUnjudged } from '../../storage/db/monitors/judgments.ts';
import { summarizePages } from '../../storage/db/monitors/pages.ts';

/**
 * Ends a check with the pages that it has. Does nothing if it has ended.
 * @param failure why it could not do its work
 * @returns the id of its monitor if there are mails of it to send
 */
export async function finishCheck(
  db: Database,
  checkId: string,
  failure?: string,
): Promise<string | undefined> {
  // Where the work of a check has failed, its changes may not all be judged.
  await tellUnjudged(db, { checkId });
  const [summary, jobs, credits, judged] = await Promise.all([
    summarizePages(db, checkId),
    listCheckJobs(db, checkId),
    sumCheckCredits(db, checkId),
    countJudgments(db, checkId),
  ]);
  return endCheck(db, checkId, {
    summary,
    credits,
    targetResults: resultsOf(jobs, judged),
    error: failure ?? null,
    status: failure === undefined ? statusOf(summary) : 'failed',
  });
}

function statusOf({ totalPages, error }: CheckEnd['summary']): CheckEnd['status'] {
  if (error === 0) return 'completed';
  return error === totalPages ? 'failed' : 'partial';
}

/** What the jobs of each target were. */
function resultsOf(jobs: CheckJob[], judged: JudgedResults[]): CheckEnd['targetResults'] {
  return [...Map.groupBy(jobs, ({ targetId }) => targetId)].map(([targetId, own]) => {
    const ids = own.map(({ jobId }) => jobId);
    const first = own.find(({ isRetry }) => !isRetry);
    const type = first?.kind;
    // A crawl that began anew takes the place of the first one, and pages that were scraped again are in a batch.
    if (type === 'crawl')
      return {
        targetId,
        type: 'crawl',
        crawlId: (own.find(({ kind, isRetry }) => isRetry && kind === 'crawl') ?? first)?.jobId,
      };
    if (type === 'search')
      return {
        targetId,
        type: 'search',
        searchCompleted: own.every(
          (job) => job.status === 'completed' || own.some((other) => isRetryOf(other, job)),
        ),
        ...describeResults(judged.find((counts) => counts.targetId === targetId)),
      };
    return { targetId, type: 'scrape', expectedJobs: ids };
  });
}

/** Whether a search does once more what another one failed to do. */
const isRetryOf = (job: CheckJob, failed: CheckJob) =>
  job.isRetry && !failed.isRetry && job.target === failed.target;

/** How the results of a search were judged, in the words of official clients. */
const describeResults = ({
  resultCount,
  resultsJudged,
  matches,
}: Omit<JudgedResults, 'targetId'> = NO_RESULTS) => ({
  resultCount,
  resultsJudged,
  matches,
  judgeCredits: resultsJudged * JUDGED_PAGE,
});
const NO_RESULTS = { resultCount: 0, resultsJudged: 0, matches: 0 };

/** Dependencies of the cancellation of checks. */
export interface CancelDeps {
  db: Database;
  /** How long the results of cancelled jobs are kept. */
  resultTtlMs: number;
  /** Cancels the workflow of a batch or crawl. */
  cancelWorkflow: (kind: PageJobKind, jobId: string) => Promise<void>;
}

/**
 * Ends a running check, and cancels the jobs that do its work: those that have not begun do not begin. A search
 * that has begun ends by itself, and costs nothing.
 * @param reason the error of the check
 */
export async function cancelCheck(deps: CancelDeps, checkId: string, reason: string): Promise<void> {
  const { db, resultTtlMs: ttlMs, cancelWorkflow } = deps;
  // A check that has ended gets no more pages and jobs.
  await finishCheck(db, checkId, reason);
  for (const { jobId, kind, status } of await listCheckJobs(db, checkId)) {
    if (status !== 'scraping') continue;
    if (kind === 'search') {
      await cancelJob(db, { jobId, credits: 0 });
      continue;
    }
    await endJob(db, { jobId, end: { status: 'cancelled' }, ttlMs });
    await cancelWorkflow(kind, jobId);
  }
}
