import { sql } from 'kysely';
import { LISTED_KINDS } from '../../job-kinds.ts';
import type { Database } from './client.ts';

/**
 * The queries of a support question. Every query is bound to the team that asks, and none of them finds a job
 * with zero data retention, so that such jobs, those of other teams and unknown ones look alike.
 */

const jobsOf = (db: Database, teamId: string) =>
  db.query
    .selectFrom('jobs')
    .leftJoin('results', (join) => join.onRef('results.job_id', '=', 'jobs.id').on('results.ordinal', '=', 0))
    .select(['jobs.id', 'jobs.kind', 'jobs.status', 'jobs.error', 'jobs.target', 'jobs.trace'])
    .select(['jobs.request', 'jobs.created_at as createdAt', 'results.blob'])
    .where('jobs.team_id', '=', teamId)
    .where('jobs.wrapped_key', 'is', null)
    // The ids of the scrapes of a search are in its response.
    .where(({ eb, exists, or, selectFrom }) =>
      or([
        eb('jobs.parent_id', 'is', null),
        exists(
          selectFrom('jobs as parent')
            .select('parent.id')
            .whereRef('parent.id', '=', 'jobs.parent_id')
            .where('parent.kind', '=', 'search'),
        ),
      ]),
    )
    .where('jobs.kind', 'in', LISTED_KINDS)
    .where((where) =>
      where.or([where('jobs.status', '=', 'scraping'), where('jobs.expires_at', '>', sql<Date>`now()`)]),
    );

/** A job as a support question sees it. */
export type TeamJob = NonNullable<Awaited<ReturnType<typeof findTeamJob>>>;

/** Finds a job of the team. */
export function findTeamJob(db: Database, teamId: string, id: string) {
  return jobsOf(db, teamId).where('jobs.id', '=', id).executeTakeFirst();
}

/** Finds the newest job of the team that was requested for a URL. */
export function findTeamJobByTarget(db: Database, teamId: string, url: string) {
  return jobsOf(db, teamId)
    .where('jobs.target', '=', url)
    .orderBy('jobs.created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Finds the newest failed job of the team in the last 24 hours. */
export function findLatestFailure(db: Database, teamId: string) {
  return jobsOf(db, teamId)
    .where('jobs.status', '=', 'failed')
    .where('jobs.created_at', '>', sql<Date>`now() - interval '24 hours'`)
    .orderBy('jobs.created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

const pagesOf = (db: Database, teamId: string) =>
  db.query
    .selectFrom('pages')
    .innerJoin('jobs', 'jobs.id', 'pages.job_id')
    .select(['pages.id', 'pages.url', 'pages.status', 'pages.error', 'pages.blob', 'pages.trace'])
    .select('pages.job_id as jobId')
    .where('jobs.team_id', '=', teamId)
    .where('jobs.wrapped_key', 'is', null)
    .where('pages.status', 'not in', ['alias', 'dropped']);

/** A page of a batch or crawl as a support question sees it. */
export type TeamPage = NonNullable<Awaited<ReturnType<typeof findTeamPage>>>;

/** Finds a page of a batch or crawl of the team by its scrape id. */
export function findTeamPage(db: Database, teamId: string, id: string) {
  return pagesOf(db, teamId).where('pages.id', '=', id).executeTakeFirst();
}

/**
 * Finds the page of a batch or crawl that is worth looking at: the first failed one with a code, or the first
 * one.
 */
export function findTypicalPage(
  db: Database,
  { teamId, jobId, code }: { teamId: string; jobId: string; code: string | undefined },
) {
  return pagesOf(db, teamId)
    .where('jobs.id', '=', jobId)
    .$if(code !== undefined, (query) => query.where(sql<boolean>`pages.error ->> 'code' = ${code}`))
    .orderBy('pages.ordinal')
    .limit(1)
    .executeTakeFirst();
}

/** Finds the page of a batch or crawl of the team by its URL. */
export function findTeamPageByUrl(
  db: Database,
  { teamId, jobId, url }: { teamId: string; jobId: string; url: string },
) {
  return pagesOf(db, teamId)
    .where('jobs.id', '=', jobId)
    .where('pages.url', '=', url)
    .limit(1)
    .executeTakeFirst();
}

/** Whether a crawl has left a URL out because of robots.txt. The caller has found the crawl by its team. */
export async function isBlockedByRobots(
  db: Database,
  { jobId, url }: { jobId: string; url: string },
): Promise<boolean> {
  const blocked = await db.query
    .selectFrom('blocked_urls')
    .select('id')
    .where('job_id', '=', jobId)
    .where('code', 'is', null)
    .where('url', '=', url)
    .limit(1)
    .executeTakeFirst();
  return blocked !== undefined;
}

/** How the pages of a batch or crawl of the team ended. */
export interface PageCounts {
  completed: number;
  failed: number;
  open: number;
  /** Number of URLs that robots.txt disallows. */
  blocked: number;
  limit: number | null;
  /** The most links between the start page and a page of the job. */
  depth: number;
  base: string | null;
  /** The error codes of its failed pages, the most frequent one first. */
  failures: { code: string; count: number }[];
}

/** Counts the pages of a batch or crawl of the team. */
export async function countPages(
  db: Database,
  { teamId, jobId }: { teamId: string; jobId: string },
): Promise<PageCounts | undefined> {
  const { rows } = await sql<PageCounts>`
    select completed, failed, known - completed - failed - dropped as open, blocked, page_limit as "limit", base,
      coalesce((select max(depth) from pages where pages.job_id = progress.job_id), 0) as depth,
      coalesce((select json_agg(json_build_object('code', code, 'count', count) order by count desc) from (
        select error ->> 'code' as code, count(*)::int as count from pages
        where pages.job_id = progress.job_id and status = 'failed' group by 1) as failures), '[]') as failures
    from job_progress as progress join jobs on jobs.id = progress.job_id
    where progress.job_id = ${jobId} and jobs.team_id = ${teamId} and wrapped_key is null`.execute(db.query);
  return rows[0];
}

/** The credits that the team has left and has used this month (UTC), and its limits. */
export async function readTeamUsage(db: Database, teamId: string) {
  return db.query
    .selectFrom('teams')
    .select(['credits_remaining as creditsRemaining', 'rate_limit_per_minute as rateLimitPerMinute'])
    .select(['concurrency', 'sessions'])
    .select(({ selectFrom, fn }) => [
      selectFrom('slots')
        .select(fn.countAll<number>().as('slots'))
        .where('slots.team_id', '=', teamId)
        .as('usedSlots'),
      selectFrom('credit_entries')
        .select(sql<number>`coalesce(sum(credits), 0)::int`.as('credits'))
        .where('credit_entries.team_id', '=', teamId)
        .where(
          'created_at',
          '>=',
          sql<Date>`date_trunc('month', now() at time zone 'UTC') at time zone 'UTC'`,
        )
        .as('creditsUsed'),
    ])
    .where('teams.id', '=', teamId)
    .executeTakeFirst();
}

/** Counts the jobs of the team of the last 24 hours by kind and status. */
export async function countActivity(db: Database, teamId: string) {
  return db.query
    .selectFrom('jobs')
    .select(['kind', 'status', ({ fn }) => fn.countAll<number>().as('count')])
    .where('team_id', '=', teamId)
    .where('kind', 'in', LISTED_KINDS)
    .where('parent_id', 'is', null)
    .where('created_at', '>', sql<Date>`now() - interval '24 hours'`)
    .groupBy(['kind', 'status'])
    .execute();
}

/** Stores what was found out about a support question. A repeated activity replaces it. */
export async function storeNote(
  db: Database,
  { jobId, topic, note }: { jobId: string; topic: string; note: unknown },
): Promise<void> {
  await db.query
    .insertInto('support_notes')
    .values({ job_id: jobId, topic, note: JSON.stringify(note) })
    .onConflict((conflict) =>
      conflict.columns(['job_id', 'topic']).doUpdateSet({ note: JSON.stringify(note) }),
    )
    .execute();
}

/** Reads all that was found out about a support question, by topic. */
export async function readNotes(db: Database, jobId: string): Promise<Record<string, unknown>> {
  const rows = await db.query
    .selectFrom('support_notes')
    .select(['topic', 'note'])
    .where('job_id', '=', jobId)
    .execute();
  return Object.fromEntries(rows.map(({ topic, note }) => [topic, note]));
}
