import { sql } from 'kysely';
import type { Retuning } from '../../../schemas/page-job.ts';
import type { JobCipher } from '../../../system/encryption/job-cipher.ts';
import type { Database, Queryable } from '../client.ts';
import { PREPARED } from '../prepared-statements.ts';
import type { StoredError } from '../tables.ts';
import { countEndedJob } from './ended-jobs.ts';

/**
 * How many pages a job may claim in total. A page that was dropped as a duplicate does not count against
 * the page limit, so another page may take its place. Pages that were claimed before the limit was lowered
 * are kept.
 */
export const MAX_CLAIMED_PAGES = sql<number>`
  case when page_limit is null then known else greatest(page_limit + dropped, admitted) end`;

/**
 * Number of pages that are completed, failed or still to be scraped. It grows while a crawl discovers
 * pages.
 */
const TOTAL_PAGES = sql<number>`(least(known, ${MAX_CLAIMED_PAGES}) - dropped)`;

/** Whether the page limit is reached, so that further pages would not be scraped. */
export const IS_FULL = sql<boolean>`(page_limit is not null and ${TOTAL_PAGES} >= page_limit)`;

/** Number of pages that have not ended. */
export const OPEN_PAGES = sql<number>`(${TOTAL_PAGES} - completed - failed)`;

/**
 * Locks a job until the transaction ends. A transaction takes this lock before it reads the job, so that it
 * sees all earlier changes and no other transaction can change the job meanwhile. Every transaction that
 * changes a job takes this lock first, which prevents deadlocks.
 * @param withTeam whether to lock the team of the job too
 */
export async function lockJobProgress(query: Queryable, jobId: string, withTeam = false): Promise<void> {
  await sql`${PREPARED}
    select from job_progress join teams on teams.id = job_progress.team_id
    where job_id = ${jobId} for no key update of job_progress${withTeam ? sql`, teams` : sql``}`.execute(
    query,
  );
}

/**
 * Changes the settings of a running job. Only a crawl has a `limit`; that of a batch is ignored.
 * @returns `false` if the job does not exist or has ended
 */
export async function changeJobSettings(db: Database, jobId: string, change: Retuning): Promise<boolean> {
  const { limit, maxConcurrency, delay, paused } = change;
  return db.query.transaction().execute(async (query) => {
    await lockJobProgress(query, jobId);
    const row = await query
      .updateTable('job_progress')
      .from('jobs')
      .set({
        touched_at: sql<Date>`now()`,
        ...(limit !== undefined && {
          page_limit: sql<number | null>`case when jobs.kind = 'crawl' then ${limit}::int end`,
        }),
        ...(maxConcurrency !== undefined && { max_concurrency: maxConcurrency }),
        ...(delay !== undefined && { delay_ms: delay === 0 ? null : Math.round(delay * 1000) }),
        ...(paused !== undefined && { paused }),
      })
      .where('job_id', '=', jobId)
      .whereRef('jobs.id', '=', 'job_progress.job_id')
      .where('jobs.status', '=', 'scraping')
      .returning('job_id')
      .executeTakeFirst();
    return row !== undefined;
  });
}

/**
 * Records what was found out about a site before the first page of a crawl: the delay that robots.txt
 * demands, and whether sitemaps are to be read. A delay that the user set is kept.
 */
export async function startDiscovery(
  db: Database,
  jobId: string,
  found: { delayMs: number | undefined; sitemaps: boolean },
): Promise<void> {
  await db.query
    .updateTable('job_progress')
    .set({
      discovering: found.sitemaps,
      delay_ms: sql<
        number | null
      >`coalesce(delay_ms, ${found.delayMs === undefined ? null : Math.round(found.delayMs)}::int)`,
    })
    .where('job_id', '=', jobId)
    .where(jobIsRunning)
    .execute();
}

/** The facts about a crawl that its start page revealed. */
export interface CrawlStart {
  /** The URL of the start page after redirects; its requested URL if there was no response. */
  base: string;
  /** Minimum milliseconds between two pages from now on. */
  crawlDelayMs?: number | undefined;
  /** Set if the start page redirected to a `url` outside the requested path, `folder`. */
  strayed?: { url: string; folder: string };
}

/**
 * Records what the start page of a crawl revealed, in the transaction that records the end of that page.
 */
export async function recordCrawlStart(
  query: Queryable,
  jobId: string,
  start: CrawlStart,
  cipher: JobCipher,
): Promise<void> {
  const { base, crawlDelayMs, strayed } = start;
  const delayMs = crawlDelayMs === undefined ? null : Math.round(crawlDelayMs);
  const notes = strayed ? `{"strayed": ${cipher.encryptJson(strayed)}}` : '{}';
  await sql`
    update job_progress set base = ${cipher.encrypt(base)}, notes = notes - 'strayed' || ${notes}::jsonb,
      delay_ms = greatest(delay_ms, ${delayMs}::int),
      next_claim_at = case when ${delayMs}::int is null then next_claim_at
        else greatest(next_claim_at, now() + make_interval(secs => ${delayMs}::int / 1000.0)) end
    where job_id = ${jobId}`.execute(query);
}

/** The condition that a job has not ended. Jobs that have ended must not change. */
const jobIsRunning = sql<boolean>`exists (select from jobs where id = job_progress.job_id and status = 'scraping')`;

/**
 * Records that no more sitemaps are read, so that from now on only links of scraped pages lead to new
 * pages.
 */
export async function endDiscovery(db: Database, jobId: string): Promise<void> {
  await db.query
    .updateTable('job_progress')
    .set({ discovering: false })
    .where('job_id', '=', jobId)
    .execute();
}

/**
 * Records a note for the job's warning, in place of an earlier note of the same kind.
 * @param json the value of the note
 */
export async function addNote(db: Database, jobId: string, kind: string, json: string): Promise<void> {
  await sql`
    update job_progress set notes = notes || jsonb_build_object(${kind}::text, ${json}::jsonb)
    where job_id = ${jobId}`.execute(db.query);
}

/** How a job ends. */
export type JobEnd =
  | { status: 'completed' }
  | { status: 'cancelled' }
  | { status: 'failed'; error: StoredError };

/**
 * Ends a job: makes its counters final, releases its claims, writes its last webhook event, and sets when
 * its results expire. A job that has already ended stays unchanged. The status `completed` is set only if
 * the job has no open pages and no more pages to discover.
 * @param ttlMs how long the results are kept from now on, in milliseconds
 * @returns whether the job has ended, now or before
 */
export async function endJob(
  db: Database,
  { jobId, end, ttlMs }: { jobId: string; end: JobEnd; ttlMs: number },
): Promise<boolean> {
  const { kind, ended } = await db.query.transaction().execute(async (query) => {
    await lockJobProgress(query, jobId);
    const { rows } = await sql<{ kind: string | null; ended: boolean }>`
    with progress as (
      select job_id, ${OPEN_PAGES} as open, ${IS_FULL} as is_full, discovering
      from job_progress where job_id = ${jobId}
    ), ended as (
      update jobs set status = ${end.status}, error = ${end.status === 'failed' ? JSON.stringify(end.error) : null}::jsonb,
        finished_at = now(), expires_at = now() + make_interval(secs => ${ttlMs / 1000})
      from progress
      where jobs.id = progress.job_id and jobs.status = 'scraping'
        and (${end.status} <> 'completed' or (open = 0 and (is_full or not discovering)))
      returning jobs.id, jobs.team_id, jobs.kind, jobs.webhook
    ), released as (
      update pages set status = 'pending', page_worker = null, claimed_until = null
      from ended where pages.job_id = ended.id and pages.team_id = ended.team_id and pages.status = 'claimed'
    ), final as (
      -- Pages that were never attempted do not count as pages of an ended job.
      update job_progress set page_limit = completed + failed, admitted = completed + failed + dropped
      from ended where job_progress.job_id = ended.id and ${end.status} <> 'completed'
    ), event as (
      insert into webhook_deliveries (job_id, team_id, type, error)
      select id, team_id, kind || '.' || ${end.status}, ${end.status === 'failed' ? end.error.message : null}::text
      from ended
      where webhook is not null and webhook -> 'events' ? ${end.status}
    )
    select (select kind from ended) as kind, exists (select from ended)
      or not exists (select from jobs where id = ${jobId} and status = 'scraping') as ended`.execute(query);
    return rows[0] ?? { kind: null, ended: true };
  });
  if (kind !== null) countEndedJob({ kind }, end.status);
  return ended;
}
