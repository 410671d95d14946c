import { sql } from 'kysely';
import { TASK_KINDS } from '../../job-kinds.ts';
import type { Database } from '../client.ts';

/** Hours for which the activity list shows a job, even if its results have expired. */
const LISTED_HOURS = 24;
const MAX_JOBS_PER_STEP = 100;

/**
 * Deletes expired jobs that the activity list does not show any more, at most 100. Call it again until it
 * deletes none.
 * @returns the number of deleted jobs
 */
export async function deleteExpiredJobs(db: Database): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    with expired as (
      select id from jobs
      where expires_at < now() and (status <> 'scraping' or kind = any(${TASK_KINDS}::text[]))
        and created_at < now() - make_interval(hours => ${LISTED_HOURS})
      order by expires_at limit ${MAX_JOBS_PER_STEP}
    ), deleted_job as (
      delete from jobs using expired where jobs.id = expired.id returning 1
    )
    select count(*)::int as deleted from deleted_job`.execute(db.query);
  return rows[0]?.deleted ?? 0;
}

/**
 * Deletes the results, pages, skipped URLs and webhook deliveries of expired jobs, at most 100, and from
 * jobs with zero data retention also the key and all that it encrypts. The jobs themselves are kept,
 * because lists still show them.
 * @returns the number of jobs whose results were deleted
 */
export async function deleteExpiredResults(db: Database): Promise<number> {
  const { rows } = await sql<{ emptied: number }>`
    with expired as (
      select id from jobs
      where expires_at < now() and (status <> 'scraping' or kind = any(${TASK_KINDS}::text[]))
        and (exists (select from results where job_id = jobs.id)
          or exists (select from pages where job_id = jobs.id)
          or length(seal) > 0)
      order by expires_at limit ${MAX_JOBS_PER_STEP}
    ), results as (
      delete from results using expired where job_id = expired.id
    ), pages as (
      delete from pages using expired where job_id = expired.id
    ), blocked as (
      delete from blocked_urls using expired where job_id = expired.id
    ), emptied_job as (
      update jobs set seal = '', request = 'null', error = null, webhook = null
      from expired where jobs.id = expired.id and seal is not null
    ), progress as (
      update job_progress set base = null, notes = '{}'
      from expired join jobs on jobs.id = expired.id
      where job_progress.job_id = expired.id and jobs.seal is not null
    ), deliveries as (
      delete from webhook_deliveries using expired where job_id = expired.id
    )
    select count(*)::int as emptied from expired`.execute(db.query);
  return rows[0]?.emptied ?? 0;
}

/**
 * Returns when the oldest job that may have results was created; `undefined` if there is none. Older blobs
 * belong to no result and can be deleted.
 */
export async function findOldestResultDate(db: Database): Promise<Date | undefined> {
  const row = await db.query
    .selectFrom('jobs')
    .select(({ fn }) => fn.min('created_at').as('at'))
    .where((where) =>
      where.or([where('expires_at', '>', sql<Date>`now()`), where('status', '=', 'scraping')]),
    )
    .executeTakeFirst();
  return row?.at ?? undefined;
}
