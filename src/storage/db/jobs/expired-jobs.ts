import { sql } from 'kysely';
import { TASK_KINDS } from '../../../job-kinds.ts';
import type { Database } from '../client.ts';

/** Hours for which the activity list shows a job, even if its results have expired. */
const LISTED_HOURS = 24;
const MAX_JOBS_PER_STEP = 100;
/**
 * Rows that one statement deletes. While a statement runs, Postgres cannot reuse the space of rows that
 * others update, so a million rows at once would slow down the jobs of everybody.
 */
const MAX_ROWS_PER_STATEMENT = 20_000;

/**
 * Deletes jobs that had expired at a time and that the activity list does not show any more, at most 100.
 * Call it again until it deletes none.
 * @returns the number of deleted jobs
 */
export async function deleteExpiredJobs(db: Database, before: Date): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    with expired as (
      select id from jobs
      where expires_at < least(now(), ${before}) and (status <> 'scraping' or kind = any(${TASK_KINDS}::text[]))
        and created_at < now() - make_interval(hours => ${LISTED_HOURS})
      order by expires_at limit ${MAX_JOBS_PER_STEP}
    ), deleted_job as (
      delete from jobs using expired where jobs.id = expired.id returning 1
    )
    select count(*)::int as deleted from deleted_job`.execute(db.query);
  return rows[0]?.deleted ?? 0;
}

/** The jobs whose results had expired at a time and are not deleted yet, the oldest first, at most 100. */
const expiredJobs = (before: Date) => sql<{ id: string }>`
  select id from jobs
  where expires_at < least(now(), ${before}) and (status <> 'scraping' or kind = any(${TASK_KINDS}::text[]))
    and (exists (select from results where job_id = jobs.id)
      or exists (select from pages where job_id = jobs.id)
      or length(wrapped_key) > 0)
  order by expires_at limit ${MAX_JOBS_PER_STEP}`;

/**
 * Deletes the results, pages, skipped URLs and webhook deliveries of jobs that had expired at a time, at most
 * 100, and from jobs with zero data retention also the key and all that it encrypts. The jobs themselves are
 * kept, because lists still show them. Call it again until it deletes none.
 * @returns the number of jobs whose results were deleted
 */
export async function deleteExpiredResults(db: Database, before: Date): Promise<number> {
  const { rows: jobs } = await expiredJobs(before).execute(db.query);
  if (jobs.length === 0) return 0;
  const ids = jobs.map(({ id }) => id);
  // Pages come last, because a job with pages is found again if the process ends meanwhile.
  for (const table of ['webhook_deliveries', 'blocked_urls'] as const) {
    while ((await deleteRows(db, table, ids)) === MAX_ROWS_PER_STATEMENT);
  }
  for (const id of ids) await deletePages(db, id);
  const { rows } = await sql<{ emptied: number }>`
    with expired as (
      select unnest(${ids}::uuid[]) as id
    ), results as (
      delete from results using expired where job_id = expired.id
    ), emptied_job as (
      update jobs set wrapped_key = '', request = 'null', error = null, webhook = null
      from expired where jobs.id = expired.id and wrapped_key is not null
    ), progress as (
      update job_progress set base = null, notes = '{}'
      from expired join jobs on jobs.id = expired.id
      where job_progress.job_id = expired.id and jobs.wrapped_key is not null
    )
    select count(*)::int as emptied from expired`.execute(db.query);
  return rows[0]?.emptied ?? 0;
}

/** Deletes rows of some jobs, at most `MAX_ROWS_PER_STATEMENT`. @returns the number of deleted rows */
async function deleteRows(
  db: Database,
  table: 'blocked_urls' | 'webhook_deliveries',
  jobIds: string[],
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where job_id = any(${jobIds}::uuid[]) limit ${MAX_ROWS_PER_STATEMENT}))`.execute(
    db.query,
  );
  return Number(numAffectedRows);
}

/**
 * Deletes the pages of a job by ranges of their ordinals. A statement that looked for any pages that are left
 * would read those that are already deleted each time.
 */
async function deletePages(db: Database, jobId: string): Promise<void> {
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    select min(ordinal) as first, max(ordinal) as last from pages where job_id = ${jobId}`.execute(db.query);
  const { first, last } = rows[0] ?? {};
  if (first == null || last == null) return;
  for (let from = first; from <= last; from += MAX_ROWS_PER_STATEMENT) {
    await db.query
      .deleteFrom('pages')
      .where('job_id', '=', jobId)
      .where('ordinal', '>=', from)
      .where('ordinal', '<', from + MAX_ROWS_PER_STATEMENT)
      .execute();
  }
}

/**
 * Returns when the oldest job that may have results was created; `undefined` if there is none. Older blobs
 * belong to no result and can be deleted. What checks of monitors have found is stored elsewhere, for longer.
 */
export async function findOldestResultDate(db: Database): Promise<Date | undefined> {
  const row = await db.query
    .selectFrom('jobs')
    .select(({ fn }) => fn.min('created_at').as('at'))
    .where('kind', '<>', 'monitor')
    .where((where) =>
      where.or([where('expires_at', '>', sql<Date>`now()`), where('status', '=', 'scraping')]),
    )
    .executeTakeFirst();
  return row?.at ?? undefined;
}
