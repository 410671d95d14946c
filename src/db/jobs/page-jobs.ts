import { sql } from 'kysely';
import { type JobCipher, NULL_CIPHER } from '../../encryption/job-cipher.ts';
import { ServiceError } from '../../errors.ts';
import type { PageJobKind } from '../../job-kinds.ts';
import { narrowTarget, type WebhookTarget } from '../../schemas/webhook.ts';
import type { Database, JobStatus, Queryable, StoredError } from '../client.ts';
import { addPages, encryptPages, type NewPage } from '../pages/pages.ts';
import { addSkipped, type SkippedUrls } from '../pages/skipped-urls.ts';
import { encryptTarget } from '../webhooks.ts';
import { lockJobProgress, OPEN_PAGES } from './job-progress.ts';
import { type NewJob, requestColumns } from './jobs.ts';

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

/** Maximum number of pages that one statement adds. */
const MAX_ROWS_PER_STATEMENT = 5_000;

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
      id: job.id,
      team_id: teamId,
      api_key_id: job.apiKeyId,
      kind: job.kind,
      ...requestColumns(job),
      expires_at: new Date(Date.now() + job.ttlMs),
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
  await addAllPages(
    query,
    { id: job.id, teamId, limit: job.limit, known: 0 },
    encryptPages(job.pages, cipher),
  );
  if (webhook?.events.includes('started')) {
    await query
      .insertInto('webhook_deliveries')
      .values({ job_id: job.id, team_id: teamId, type: `${job.kind}.started` })
      .execute();
  }
}

async function addAllPages(
  query: Queryable,
  job: { id: string; teamId: string; limit: number | null; known: number },
  pages: NewPage[],
): Promise<number> {
  let { known } = job;
  for (let at = 0; at < pages.length; at += MAX_ROWS_PER_STATEMENT) {
    const rows = pages.slice(at, at + MAX_ROWS_PER_STATEMENT);
    known += await addPages(query, { id: job.id, team_id: job.teamId, known, page_limit: job.limit }, rows);
  }
  return known;
}

/**
 * Adds pages to a running job, in the given order. Pages that the job knows already are left out. A job
 * that has ended stays unchanged.
 * @param job.blocked and `homepages`: URLs that the crawl found and skips
 * @returns the number of added pages, and whether the job needs no more pages, because it has ended or has
 *   enough of them for its limit
 */
export async function addPagesToJob(
  db: Database,
  job: { jobId: string; pages: NewPage[]; cipher: JobCipher } & Partial<SkippedUrls>,
): Promise<{ added: number; isFull: boolean }> {
  const { jobId, cipher } = job;
  return db.query.transaction().execute(async (query) => {
    const { teamId, known, limit, status } = await lockJob(query, jobId);
    if (status !== 'scraping') return { added: 0, isFull: true };
    await addSkipped(query, jobId, job, cipher);
    const all = await addAllPages(
      query,
      { id: jobId, teamId, limit, known },
      encryptPages(job.pages, cipher),
    );
    const added = all - known;
    return { added, isFull: limit !== null && all >= limit + Math.max(limit, SPARE_PAGES) };
  });
}

/**
 * Minimum number of pages collected beyond the limit, because some pages turn out to be the same as others.
 */
const SPARE_PAGES = 1_000;

/** Locks a job and reads it. @throws ServiceError `NOT_FOUND` */
async function lockJob(query: Queryable, jobId: string) {
  await lockJobProgress(query, jobId);
  const job = await query
    .selectFrom('jobs')
    .innerJoin('job_progress', 'job_progress.job_id', 'jobs.id')
    .select(['jobs.team_id as teamId', 'kind', 'status', 'known', 'page_limit as limit'])
    .select(sql<boolean>`status <> 'scraping' and expires_at < now()`.as('expired'))
    .where('jobs.id', '=', jobId)
    .executeTakeFirst();
  if (job) return job;
  throw new ServiceError('NOT_FOUND', `Job not found. There is no job ${jobId} (any more).`);
}

/** The request of a batch, as stored in its row. */
export interface StoredBatch {
  /** The encrypted key of the batch; `null` if its data is not encrypted. */
  wrappedKey: Buffer | null;
  request: unknown;
  webhook: unknown;
  maxConcurrency: number | null;
}

/**
 * Adds pages to a batch of a team. A completed batch is reopened.
 * @param batch.admit returns the cipher that encrypts the pages, or throws if the pages may not be added
 * @throws ServiceError `NOT_FOUND` if the team has no such batch; `JOB_ENDED` if the batch was cancelled or
 *   has failed
 */
export async function appendToBatch(
  query: Queryable,
  batch: {
    id: string;
    teamId: string;
    pages: NewPage[];
    ttlMs: number;
    admit: (kept: StoredBatch) => JobCipher;
  },
): Promise<void> {
  const job = await lockJob(query, batch.id);
  if (job.teamId !== batch.teamId || job.kind !== 'batch_scrape' || job.expired) {
    throw new ServiceError(
      'NOT_FOUND',
      `Job not found. The team has no batch ${batch.id} to append to, or its results have expired.`,
    );
  }
  const kept = await query
    .selectFrom('jobs')
    .innerJoin('job_progress', 'job_progress.job_id', 'jobs.id')
    .select(['seal as wrappedKey', 'request', 'webhook', 'max_concurrency as maxConcurrency'])
    .where('jobs.id', '=', batch.id)
    .executeTakeFirstOrThrow();
  const pages = encryptPages(batch.pages, batch.admit(kept));
  await reopen(query, { ...batch, status: job.status });
  const { id, teamId } = batch;
  await addAllPages(query, { id, teamId, limit: null, known: job.known }, pages);
}

/** @throws ServiceError `JOB_ENDED` if the job was cancelled or has failed */
function requireReopenable({ id, status }: { id: string; status: JobStatus }): void {
  if (status === 'scraping' || status === 'completed') return;
  throw new ServiceError('JOB_ENDED', `The job ${id} is ${status}: nothing can be added. Start another one.`);
}

async function reopen(
  query: Queryable,
  job: { id: string; status: JobStatus; ttlMs: number },
): Promise<void> {
  requireReopenable(job);
  if (job.status === 'scraping') return;
  // Discovery may have been stopped at the limit, and nothing resumes it, so the job must not wait for it.
  await query.updateTable('job_progress').set({ discovering: false }).where('job_id', '=', job.id).execute();
  await query
    .updateTable('jobs')
    .set({ status: 'scraping', finished_at: null, expires_at: new Date(Date.now() + job.ttlMs) })
    .where('id', '=', job.id)
    .execute();
}

/**
 * Makes the failed pages of a job pending again. A completed job is reopened.
 * @returns the number of these pages
 * @throws ServiceError `JOB_ENDED` if the job was cancelled or has failed
 */
export async function retryFailedPages(db: Database, job: { id: string; ttlMs: number }): Promise<number> {
  return db.query.transaction().execute(async (query) => {
    const { status } = await lockJob(query, job.id);
    requireReopenable({ ...job, status });
    const { rows } = await sql<{ retried: number }>`
      with again as (
        update pages set status = 'pending', attempts = 0, losses = 0, due_at = now(), error = null, finished_at = null
        where job_id = ${job.id} and status = 'failed' returning 1
      )
      update job_progress set failed = failed - (select count(*) from again), touched_at = now()
      where job_id = ${job.id} returning (select count(*) from again)::int as retried`.execute(query);
    // The robots.txt of hosts that were given up because it was unavailable is requested again.
    await query
      .deleteFrom('robots_waits')
      .where('job_id', '=', job.id)
      .where('given_up', '=', true)
      .execute();
    const retried = rows[0]?.retried ?? 0;
    if (retried) await reopen(query, { ...job, status });
    return retried;
  });
}

/** Finds a batch or crawl, with the data that its activities need. */
export async function findPageJob(db: Database, id: string) {
  return db.query
    .selectFrom('jobs')
    .innerJoin('job_progress', 'job_progress.job_id', 'jobs.id')
    .select(['jobs.team_id as teamId', 'kind', 'request', 'status', 'webhook', 'base', 'seal'])
    .where('jobs.id', '=', id)
    .executeTakeFirst();
}

/** The state of a batch or crawl, as its status endpoint reports it. */
export interface PageJobState {
  teamId: string;
  kind: string;
  status: JobStatus;
  /** The encrypted key of the job, as stored; `null` if its data is not encrypted. */
  wrappedKey: Buffer | null;
  error: StoredError | null;
  total: number;
  completed: number;
  failed: number;
  credits: number;
  bytes: number;
  paused: boolean;
  pageLimit: number | null;
  maxConcurrency: number | null;
  delayMs: number | null;
  notes: Record<string, unknown>;
  /** Number of URLs that robots.txt excludes. */
  blocked: number;
  /** Number of hosts whose robots.txt is unavailable and will be requested again. */
  hostsWithoutRobots: number;
  target: string | null;
  createdAt: Date;
  finishedAt: Date | null;
  /** When the results of an ended job expire. A running job does not expire. */
  expiresAt: Date;
}

/** Reads the state of a batch or crawl whose results have not expired. */
export async function readPageJobState(db: Database, id: string): Promise<PageJobState | undefined> {
  return db.query
    .selectFrom('jobs')
    .innerJoin('job_progress as progress', 'progress.job_id', 'jobs.id')
    .select(['jobs.team_id as teamId', 'kind', 'target', 'status', 'error', 'completed', 'failed'])
    .select('seal as wrappedKey')
    .select(['progress.credits', 'bytes', 'paused', 'page_limit as pageLimit', 'notes', 'blocked'])
    .select(['max_concurrency as maxConcurrency', 'delay_ms as delayMs'])
    .select(['created_at as createdAt', 'finished_at as finishedAt', 'expires_at as expiresAt'])
    .select([
      sql<number>`(${OPEN_PAGES} + completed + failed)::int`.as('total'),
      sql<number>`(
        select count(distinct host) from robots_waits where job_id = jobs.id and not given_up)::int`.as(
        'hostsWithoutRobots',
      ),
    ])
    .where('jobs.id', '=', id)
    .where((where) =>
      where.or([where('status', '=', 'scraping'), where('expires_at', '>', sql<Date>`now()`)]),
    )
    .executeTakeFirst();
}

/** Lists the running crawls of a team, newest first. */
export async function listActiveCrawls(db: Database, teamId: string) {
  return db.query
    .selectFrom('jobs')
    .select(['id', 'team_id', 'target', 'request', 'seal', 'created_at'])
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
}

const MAX_STALLED_JOBS = 50;

/**
 * Finds batches and crawls that are running, but have made no progress for `stalledMs` milliseconds. Each
 * of them is returned at most once in that time.
 */
export async function takeStalledJobs(db: Database, stalledMs: number): Promise<StalledJob[]> {
  const { rows } = await sql<StalledJob>`
    with stalled as (
      select job_id, jobs.kind from job_progress join jobs on jobs.id = job_id
      where status = 'scraping' and not paused
        and touched_at < now() - make_interval(secs => ${stalledMs / 1000})
      order by touched_at limit ${MAX_STALLED_JOBS}
    )
    update job_progress set touched_at = now() from stalled
    where job_progress.job_id = stalled.job_id
    returning stalled.job_id as id, stalled.kind`.execute(db.query);
  return rows;
}
