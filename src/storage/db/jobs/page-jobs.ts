import { sql } from 'kysely';
import { type PageJobKind, TASK_KINDS, type TaskKind } from '../../../job-kinds.ts';
import { narrowTarget, type WebhookTarget } from '../../../schemas/webhook.ts';
import { NULL_CIPHER } from '../../../system/encryption/job-cipher.ts';
import type { Database, Queryable } from '../client.ts';
import { addPages, encryptPages, type NewPage } from '../pages/pages.ts';
import { encryptTarget } from '../webhooks.ts';
import { shownUrl } from './job-summary.ts';
import { jobRow, type NewJob } from './jobs.ts';

/** A batch or crawl that is not stored yet. */
export interface NewPageJob extends NewJob {
  kind: PageJobKind;
  pages: NewPage[];
  limit: number | null;
  maxConcurrency: number | null;
  delayMs: number | null;
  webhook: WebhookTarget | undefined;
  /** Base of the file URLs in the documents that webhooks deliver. */
  baseUrl: string;
  /** Notes for the job's warning that are known from the start; see `addNote`. */
  notes?: Record<string, unknown>;
}

/**
 * Stores a batch or crawl with its first pages and its first event. Its workflow must start only
 * afterwards.
 */
export async function insertPageJob(query: Queryable, job: NewPageJob): Promise<void> {
  const { teamId, cipher = NULL_CIPHER } = job;
  const webhook = job.webhook && narrowTarget(job.webhook, job.kind);
  await query
    .insertInto('jobs')
    .values({
      ...jobRow(job),
      webhook: webhook ? JSON.stringify(encryptTarget(webhook, cipher)) : null,
      base_url: job.baseUrl,
    })
    .execute();
  await query
    .insertInto('job_progress')
    .values({
      job_id: job.id,
      team_id: teamId,
      page_limit: job.limit,
      max_concurrency: job.maxConcurrency,
      delay_ms: job.delayMs,
      discovering: job.kind === 'crawl',
      ...(job.notes && { notes: JSON.stringify(job.notes) }),
    })
    .execute();
  await addPages(
    query,
    { id: job.id, teamId, pageLimit: job.limit, known: 0 },
    encryptPages(job.pages, cipher),
  );
  if (webhook?.events.includes('started')) {
    await query
      .insertInto('webhook_deliveries')
      .values({ job_id: job.id, team_id: teamId, type: `${job.kind}.started` })
      .execute();
  }
}

/** Finds a batch or crawl, with the data that its activities need. */
export async function findPageJob(db: Database, id: string) {
  return db.query
    .selectFrom('jobs')
    .innerJoin('job_progress', 'job_progress.job_id', 'jobs.id')
    .select([
      'jobs.team_id as teamId',
      'kind',
      'request',
      'status',
      'webhook',
      'base',
      'wrapped_key as wrappedKey',
    ])
    .where('jobs.id', '=', id)
    .executeTakeFirst();
}

/** Lists the running crawls of a team, newest first. */
export async function listActiveCrawls(db: Database, teamId: string) {
  return db.query
    .selectFrom('jobs')
    .select(['id', 'team_id', 'target', 'request', 'wrapped_key as wrappedKey', 'created_at'])
    .where('team_id', '=', teamId)
    .where('kind', '=', 'crawl')
    .where('status', '=', 'scraping')
    .orderBy('created_at', 'desc')
    .execute();
}

/** A batch or crawl that is running but makes no progress. */
export interface StalledJob {
  id: string;
  kind: PageJobKind;
  /** `null` with zero data retention, because nothing of the job is shown. */
  teamId: string | null;
  /** The host of all its pages; `null` if they are on several, nobody counted them, or nothing may be shown. */
  host: string | null;
  /** The start URL of a crawl, as the Temporal UI shows it; `null` if nothing of the job may be shown. */
  target: string | null;
  limit: number | null;
  /** Number of its pages that are known. */
  known: number;
}

/** The pages of a larger job are not read to find out whether they have one host. */
const MAX_READ_PAGES = 10_000;

/** The host of all pages of a row of `job_progress`; `null` if they are on several, or too many to look. */
export const hostOfPages = sql<string | null>`
  case when job_progress.known <= ${MAX_READ_PAGES} then (
    select case when min(host) = max(host) then min(host) end from pages where pages.job_id = job_progress.job_id
  ) end`;

const MAX_STALLED_JOBS = 50;

/**
 * Finds batches and crawls that are running, but have made no progress for `stalledMs` milliseconds. Each
 * of them is returned at most once in that time.
 */
export async function takeStalledJobs(db: Database, stalledMs: number): Promise<StalledJob[]> {
  const { rows } = await sql<StalledJob>`
    with stalled as (
      select job_id, jobs.kind, page_limit, known,
        case when wrapped_key is null then jobs.team_id end as team_id,
        case when wrapped_key is null then target end as target,
        case when wrapped_key is null then ${hostOfPages} end as host
      from job_progress join jobs on jobs.id = job_id
      where status = 'scraping' and not paused
        and touched_at < now() - make_interval(secs => ${stalledMs / 1000})
      order by touched_at limit ${MAX_STALLED_JOBS}
    )
    update job_progress set touched_at = now() from stalled
    where job_progress.job_id = stalled.job_id
    returning stalled.job_id as id, stalled.kind, stalled.team_id as "teamId",
      stalled.host, stalled.target, stalled.page_limit as "limit", stalled.known`.execute(db.query);
  return rows.map((row) => ({ ...row, target: row.target && shownUrl(row.target) }));
}

/** A job that has been running for longer than any of its kind can. */
export interface OverdueJob {
  id: string;
  kind: TaskKind;
}

/**
 * Lists jobs that are neither lists of pages nor sessions, began `overdueMs` milliseconds ago or earlier and
 * have not ended, at most 50.
 */
export async function listOverdueJobs(db: Database, overdueMs: number): Promise<OverdueJob[]> {
  const { rows } = await sql<OverdueJob>`
    select id, kind from jobs
    where status = 'scraping' and kind = any(${TASK_KINDS}::text[])
      and created_at < now() - make_interval(secs => ${overdueMs / 1000})
    order by created_at limit ${MAX_STALLED_JOBS}`.execute(db.query);
  return rows;
}
