import { sql } from 'kysely';
import type { Database } from './client.ts';

/** The activity list shows jobs this long, whatever their results do. */
const LISTED_HOURS = 24;
const JOBS_AT_ONCE = 100;

/**
 * Deletes what has expired: results, pages and deliveries at once, the jobs themselves when no list shows them any
 * more. A hundred jobs at most: called again until nothing is left.
 * @returns how many jobs it was
 */
export async function deleteExpired(db: Database): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    with expired as (
      select id from jobs
      where expires_at < now() and (status <> 'scraping' or kind in ('scrape', 'map'))
        and created_at < now() - make_interval(hours => ${LISTED_HOURS})
      order by expires_at limit ${JOBS_AT_ONCE}
    ), gone as (
      delete from jobs using expired where jobs.id = expired.id returning 1
    )
    select count(*)::int as deleted from gone`.execute(db.query);
  return rows[0]?.deleted ?? 0;
}

/** Deletes the results of expired jobs that lists still show. @returns how many jobs it was */
export async function deleteResults(db: Database): Promise<number> {
  const { rows } = await sql<{ emptied: number }>`
    with expired as (
      select id from jobs
      where expires_at < now() and (status <> 'scraping' or kind in ('scrape', 'map'))
        and (exists (select from results where job_id = jobs.id)
          or exists (select from pages where job_id = jobs.id)
          or length(seal) > 0)
      order by expires_at limit ${JOBS_AT_ONCE}
    ), results as (
      delete from results using expired where job_id = expired.id
    ), pages as (
      delete from pages using expired where job_id = expired.id
    ), blocked as (
      delete from blocked_urls using expired where job_id = expired.id
    ), sealed as (
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

/** When the oldest job began that still has results: no blob of a result is older. `undefined` without any. */
export async function oldestResult(db: Database): Promise<Date | undefined> {
  const row = await db.query
    .selectFrom('jobs')
    .select(({ fn }) => fn.min('created_at').as('at'))
    .where((where) =>
      where.or([where('expires_at', '>', sql<Date>`now()`), where('status', '=', 'scraping')]),
    )
    .executeTakeFirst();
  return row?.at ?? undefined;
}
