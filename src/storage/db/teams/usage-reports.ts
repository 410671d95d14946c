import { sql } from 'kysely';
import type { JobKind } from '../../../job-kinds.ts';
import type { Database } from '../client.ts';
import { OPEN_PAGES } from '../jobs/job-progress.ts';
import { countSlots } from './slots.ts';

/** The length of the periods of a usage report. All but hours begin at midnight UTC, weeks on Monday. */
export type UsageInterval = 'hour' | 'day' | 'week' | 'month';

/** The days of which a report has every hour; a year would have thousands. */
const DAYS_OF_HOURS = 7;

/** The credits used in one period. `apiKey` is the name of the key, `null` for requests without a key. */
export interface UsagePeriod {
  startDate: Date;
  endDate: Date;
  apiKey: string | null;
  credits: number;
}

/**
 * Lists the credits that a team used, by period and, with `byApiKey`, by key. The oldest period comes
 * first, and periods without usage are left out. Hours are those of the last days only.
 */
export async function listUsage(
  db: Database,
  { teamId, byApiKey, interval }: { teamId: string; byApiKey: boolean; interval: UsageInterval },
): Promise<UsagePeriod[]> {
  const start = sql`date_trunc(${sql.lit(interval)}, entry.created_at at time zone 'UTC')`;
  const key = byApiKey ? sql<string | null>`api_keys.name` : sql<string | null>`null`;
  let query = db.query
    .selectFrom('credit_entries as entry')
    .leftJoin('api_keys', 'api_keys.id', 'entry.api_key_id')
    .select([
      sql<Date>`${start} at time zone 'UTC'`.as('startDate'),
      sql<Date>`(${start} + ${sql.lit(`1 ${interval}`)}::interval) at time zone 'UTC'`.as('endDate'),
      key.as('apiKey'),
      sql<number>`sum(entry.credits)`.as('credits'),
    ])
    .where('entry.team_id', '=', teamId)
    .groupBy(sql`1, 2, 3`)
    .orderBy(sql`1, 3`);
  if (interval === 'hour')
    query = query.where(
      'entry.created_at',
      '>=',
      sql<Date>`date_trunc('hour', now()) - make_interval(days => ${DAYS_OF_HOURS})`,
    );
  return query.execute();
}

/** The kinds of jobs that hold slots of their team, or whose pages do. */
const QUEUED_KINDS = ['scrape', 'map', 'batch_scrape', 'crawl'] satisfies JobKind[];

/**
 * Counts the open work of a team that takes slots. A batch or crawl counts as the number of its open pages,
 * and as 1 if it has none.
 * @returns the number of open scrapes, maps and pages; how many of them hold a slot; when the last one
 *   succeeded
 */
export async function readQueue(db: Database, teamId: string) {
  const [{ rows }, active] = await Promise.all([
    sql<{ open: number; mostRecentSuccess: Date | null }>`
      select
        coalesce(sum(case when progress.job_id is null then 1 else greatest(1, ${OPEN_PAGES}) end)
          filter (where jobs.status = 'scraping'), 0)::int as open,
        max(greatest(case jobs.status when 'completed' then jobs.finished_at end, page.finished_at))
          as "mostRecentSuccess"
      from jobs
      left join job_progress as progress on progress.job_id = jobs.id
      left join lateral (
        select pages.finished_at from pages
        where pages.job_id = progress.job_id and pages.position = progress.completed
          and jobs.status <> 'completed'
      ) as page on true
      where jobs.team_id = ${teamId} and jobs.kind in (${sql.join(QUEUED_KINDS)})`.execute(db.query),
    countSlots(db, teamId),
  ]);
  const { open = 0, mostRecentSuccess = null } = rows[0] ?? {};
  return { open, active, mostRecentSuccess };
}
