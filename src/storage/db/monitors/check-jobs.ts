import { sql } from 'kysely';
import type { Database, Queryable } from '../client.ts';
import type { JobStatus, StoredError } from '../tables.ts';

/** A job that does a part of a check. */
export interface CheckJob {
  jobId: string;
  targetId: string;
  kind: 'batch_scrape' | 'crawl' | 'search';
  /** Whether it scrapes pages again that could not be read. */
  isRetry: boolean;
  isCollected: boolean;
  status: JobStatus | null;
  error: StoredError | null;
  /** The URL or query of the job. */
  target: string | null;
  /** Number of its pages so far. */
  pages: number;
}

/** Stores which jobs do the work of a check. */
export async function addCheckJobs(
  query: Queryable,
  checkId: string,
  jobs: readonly Pick<CheckJob, 'jobId' | 'targetId' | 'kind' | 'isRetry'>[],
): Promise<void> {
  if (jobs.length === 0) return;
  await query
    .insertInto('monitor_jobs')
    .values(
      jobs.map(({ jobId, targetId, kind, isRetry }) => ({
        job_id: jobId,
        check_id: checkId,
        target_id: targetId,
        kind,
        is_retry: isRetry,
      })),
    )
    .execute();
}

/** Lists the jobs of a check with their states. One that has expired has no `status`. */
export async function listCheckJobs(
  { query }: Pick<Database, 'query'>,
  checkId: string,
): Promise<CheckJob[]> {
  const { rows } = await sql<CheckJob>`
    select job_id as "jobId", target_id as "targetId", own.kind, is_retry as "isRetry",
      is_collected as "isCollected", jobs.status, jobs.error, jobs.target,
      coalesce((select known from job_progress where job_progress.job_id = own.job_id), 0) as pages
    from monitor_jobs as own left join jobs on jobs.id = own.job_id
    where check_id = ${checkId} order by own.job_id`.execute(query);
  return rows;
}

/** Records that all pages of a job belong to its check now. @returns false if they did before */
export async function markCollected(query: Queryable, jobId: string): Promise<boolean> {
  const row = await query
    .updateTable('monitor_jobs')
    .set({ is_collected: true })
    .where('job_id', '=', jobId)
    .where('is_collected', '=', false)
    .returning('job_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Sums the credits of the jobs of a check, of the scrapes that belong to them, and of its judgments. */
export async function sumCheckCredits(db: Database, checkId: string): Promise<number> {
  const { rows } = await sql<{ credits: number }>`
    with own as (
      select job_id as id from monitor_jobs where check_id = ${checkId}
    ), all_jobs as (
      select id from own union all select jobs.id from jobs join own on jobs.parent_id = own.id
    )
    select (coalesce(sum(coalesce(progress.credits, jobs.credits)), 0)
      + coalesce((select sum(credits) from credit_entries where job_id = ${checkId}), 0))::int as credits
    from all_jobs join jobs on jobs.id = all_jobs.id
    left join job_progress as progress on progress.job_id = jobs.id`.execute(db.query);
  return rows[0]?.credits ?? 0;
}
