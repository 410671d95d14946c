import type { ErrorCode } from '../../errors.ts';
import type { MonitorTarget } from '../../schemas/monitor-targets.ts';
import type { Database, Queryable } from '../../storage/db/client.ts';
import { type CheckJob, markCollected } from '../../storage/db/monitors/check-jobs.ts';
import { lockRunningCheck } from '../../storage/db/monitors/checks.ts';
import type { StoredMonitor } from '../../storage/db/monitors/monitors.ts';
import type { StoredError } from '../../storage/db/tables.ts';
import { lockCredits, readAvailableCredits } from '../../storage/db/teams/available-credits.ts';
import { insertBatch, insertRetry, type NamedTarget, priceOfTarget } from './plan-jobs.ts';

/** Dependencies of retries within a check. */
interface RetryDeps {
  db: Database;
  resultTtlMs: number;
}

/** A job of a check that has ended. */
interface EndedJob {
  check: { checkId: string; monitor: StoredMonitor };
  job: CheckJob;
  named: NamedTarget;
}

/** Pages of a crawl that are scraped again at most. Where more fail, the site does not respond at all. */
export const MAX_RETRIED_PAGES = 1_000;

/** Failures that say what a page or request is, not how its site does: a little later they are the same. */
const FINAL_FAILURES: ReadonlySet<string> = new Set<ErrorCode>([
  'BAD_REQUEST',
  'CRAWL_DENIAL',
  'EXTERNAL_LINK',
  'INSUFFICIENT_CREDITS',
  'SCRAPE_CONTENT_TOO_LARGE',
  'SCRAPE_DOCUMENT_ENCRYPTED',
  'SCRAPE_DOCUMENT_UNREADABLE',
  'SCRAPE_PDF_OCR_REQUIRED',
  'SCRAPE_UNSUPPORTED_FILE_ERROR',
  'unsafe_domain_blocked',
]);

/**
 * Whether a page or job that failed may succeed a little later: not if the site says that the page does not exist.
 * @param error `null` for a page that was scraped, but shows an error or a challenge
 */
export const isTemporary = (error: StoredError | null, statusCode: number | null): boolean =>
  statusCode !== 404 && statusCode !== 410 && !(error && FINAL_FAILURES.has(error.code));

/** Whether the failed pages of a job are scraped again: those of a batch or crawl that is no retry itself. */
export const hasRetry = ({ kind, isRetry }: Pick<CheckJob, 'kind' | 'isRetry'>) =>
  kind !== 'search' && !isRetry;

/**
 * Has a search or crawl done once more that failed as a whole, as far as the team can pay for it.
 * @returns false if it is not done again
 */
export async function retryJob(
  { db, resultTtlMs: ttlMs }: RetryDeps,
  { check, job, named: { name, target } }: EndedJob,
): Promise<boolean> {
  if (job.isRetry || job.status !== 'failed' || target.type === 'scrape') return false;
  if (!isTemporary(job.error, null)) return false;
  return db.query.transaction().execute(async (query) => {
    if (!(await lockRunningCheck(query, check.checkId))) return true;
    if (!(await canPay(query, check.monitor.team_id, target))) return false;
    if (await markCollected(query, job.jobId))
      await insertRetry(query, { ...check, ttlMs }, { name, target, text: job.target });
    return true;
  });
}

/** Pages of a crawl reserve their credits one by one, so one page is enough, and so is one search. */
async function canPay(query: Queryable, teamId: string, target: MonitorTarget): Promise<boolean> {
  await lockCredits(query, teamId);
  const available = await readAvailableCredits({ query }, teamId);
  const one = target.type === 'search' ? { ...target, queries: target.queries.slice(0, 1) } : target;
  return available === undefined || available >= priceOfTarget(one, () => 1);
}

/**
 * Ends the collection of a batch or crawl, and has its failed pages scraped once more. A crawl that has read no page
 * at all begins anew, because it has found no links.
 * @param pages.failed the URLs of pages that may be there a little later
 * @param pages.hasRead whether the job has read a page
 */
export async function finishCollection(
  { db, resultTtlMs: ttlMs }: RetryDeps,
  { check, job, named: { name, target } }: EndedJob,
  { failed, hasRead }: { failed: string[]; hasRead: boolean },
): Promise<void> {
  await db.query.transaction().execute(async (query) => {
    if (!(await lockRunningCheck(query, check.checkId))) return;
    if (!(await markCollected(query, job.jobId)) || failed.length === 0) return;
    const owner = { ...check, ttlMs };
    if (target.type === 'crawl' && !hasRead) await insertRetry(query, owner, { name, target, text: null });
    else if (target.type !== 'search')
      await insertBatch(query, owner, { name, target, urls: failed, isRetry: true });
  });
}
