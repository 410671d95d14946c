import { sql } from 'kysely';
import type { Retuning } from '../schemas/page-job.ts';
import type { Seal } from '../seal.ts';
import type { Database, StoredError } from './client.ts';
import type { Query } from './pages.ts';

/**
 * How many pages may be admitted: the limit counts pages, so one that turned out to be another one makes room. What
 * was admitted before a limit was lowered stays.
 */
export const CAPACITY = sql<number>`
  case when page_limit is null then known else greatest(page_limit + dropped, admitted) end`;

/**
 * Pages attempted or to be attempted: at any time those with an answer (`completed`), those without one (`failed`), and
 * those to come. It grows while a crawl discovers.
 */
const TOTAL = sql<number>`(least(known, ${CAPACITY}) - dropped)`;

/** The limit is reached: what else could be found would be left out. */
export const FULL = sql<boolean>`(page_limit is not null and ${TOTAL} >= page_limit)`;

/** Pages that are not finished yet. */
export const OPEN = sql<number>`(${TOTAL} - completed - failed)`;

/**
 * Locks a job before anything else is read of it: the next statement sees all that was done before, and what it reads
 * holds until the transaction ends. All that change a job lock it here first, so none waits for another that waits for
 * it.
 * @param withTeam its team too
 */
export async function lockProgress(query: Query, jobId: string, withTeam = false): Promise<void> {
  await sql`
    select from job_progress join teams on teams.id = job_progress.team_id
    where job_id = ${jobId} for no key update of job_progress${withTeam ? sql`, teams` : sql``}`.execute(
    query,
  );
}

/** Changes a job that has not ended; @returns whether there was one. */
export async function retune(db: Database, jobId: string, change: Retuning): Promise<boolean> {
  const { limit, maxConcurrency, delay, paused } = change;
  return db.query.transaction().execute(async (query) => {
    await lockProgress(query, jobId);
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

/** How fast a crawl may go, found out before its first page; what the user set stays. */
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
    .where(isOpen)
    .execute();
}

/** What the start page of a crawl tells of it. */
export interface CrawlStart {
  /** The URL that it answered from; its own where it has no answer. */
  base: string;
  /** Least milliseconds between two pages from now on. */
  paceMs?: number | undefined;
  /** Where it leads out of the path that was asked for. */
  strayed?: { url: string; folder: string };
}

/** Writes down what the start page of a crawl told, in the transaction in which it ended. */
export async function placeCrawl(query: Query, jobId: string, start: CrawlStart, seal: Seal): Promise<void> {
  const { base, paceMs, strayed } = start;
  const pace = paceMs === undefined ? null : Math.round(paceMs);
  const notes = strayed ? `{"strayed": ${seal.closeJson(strayed)}}` : '{}';
  await sql`
    update job_progress set base = ${seal.close(base)}, notes = notes - 'strayed' || ${notes}::jsonb,
      delay_ms = greatest(delay_ms, ${pace}::int),
      next_claim_at = case when ${pace}::int is null then next_claim_at
        else greatest(next_claim_at, now() + make_interval(secs => ${pace}::int / 1000.0)) end
    where job_id = ${jobId}`.execute(query);
}

/** An ended job stays as it is. */
const isOpen = sql<boolean>`exists (select from jobs where id = job_progress.job_id and status = 'scraping')`;

/** From now on pages come from pages alone. */
export async function endDiscovery(db: Database, jobId: string): Promise<void> {
  await db.query
    .updateTable('job_progress')
    .set({ discovering: false })
    .where('job_id', '=', jobId)
    .execute();
}

/**
 * Notes something that a warning may tell; the kind's earlier note is replaced.
 * @param json what it is
 */
export async function note(db: Database, jobId: string, kind: string, json: string): Promise<void> {
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
 * Ends a job: counters become final, claims end, the webhook's last event is written, and its results expire from now
 * on. An ended job stays as it is. `completed` ends only a job without open pages.
 * @param ttlMs how long the results are kept from now on
 * @returns whether the job has ended, now or before
 */
export async function endJob(
  db: Database,
  { jobId, end, ttlMs }: { jobId: string; end: JobEnd; ttlMs: number },
): Promise<boolean> {
  return db.query.transaction().execute(async (query) => {
    await lockProgress(query, jobId);
    const { rows } = await sql<{ ended: boolean }>`
    with progress as (
      select job_id, ${OPEN} as open, ${FULL} as is_full, discovering
      from job_progress where job_id = ${jobId}
    ), ended as (
      update jobs set status = ${end.status}, error = ${end.status === 'failed' ? JSON.stringify(end.error) : null}::jsonb,
        finished_at = now(), expires_at = now() + make_interval(secs => ${ttlMs / 1000})
      from progress
      where jobs.id = progress.job_id and jobs.status = 'scraping'
        and (${end.status} <> 'completed' or (open = 0 and (is_full or not discovering)))
      returning jobs.id, jobs.team_id, jobs.kind, jobs.webhook
    ), released as (
      update pages set status = 'pending', lane = null, claimed_until = null
      from ended where pages.job_id = ended.id and pages.team_id = ended.team_id and pages.status = 'claimed'
    ), final as (
      -- What was never attempted is no page of an ended job.
      update job_progress set page_limit = completed + failed, admitted = completed + failed + dropped
      from ended where job_progress.job_id = ended.id and ${end.status} <> 'completed'
    ), event as (
      insert into webhook_deliveries (job_id, team_id, type, error)
      select id, team_id, kind || '.' || ${end.status}, ${end.status === 'failed' ? end.error.message : null}::text
      from ended
      where webhook is not null and webhook -> 'events' ? ${end.status}
    )
    select exists (select from ended)
      or not exists (select from jobs where id = ${jobId} and status = 'scraping') as ended`.execute(query);
    return rows[0]?.ended ?? true;
  });
}
