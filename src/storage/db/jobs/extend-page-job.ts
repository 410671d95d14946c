import { sql } from 'kysely';
import { ServiceError } from '../../../errors.ts';
import type { JobCipher } from '../../../system/encryption/job-cipher.ts';
import type { Database, Queryable } from '../client.ts';
import { addPages, encryptPages, type NewPage } from '../pages/pages.ts';
import { addSkipped, type SkippedUrls } from '../pages/skipped-urls.ts';
import type { JobStatus } from '../tables.ts';
import { lockJobProgress } from './job-progress.ts';
import { expiresAfter } from './jobs.ts';
import { hostOfPages } from './page-jobs.ts';

/** Minimum number of pages to collect beyond the limit, because some turn out to be the same as others. */
const SPARE_PAGES = 1_000;

/**
 * Adds pages to a running job, in the given order. Pages that the job knows already are left out. A job
 * that has ended stays unchanged.
 * @param job.blocked URLs that the crawl found and that robots.txt excludes
 * @param job.homepages home pages of other sites that the crawl found
 * @returns the number of added pages, and whether the job needs no more pages, because it has ended or has
 *   enough of them for its limit
 */
export async function addPagesToJob(
  db: Database,
  job: { jobId: string; pages: NewPage[]; cipher: JobCipher } & Partial<SkippedUrls>,
): Promise<{ added: number; isFull: boolean }> {
  const { jobId, cipher } = job;
  return db.query.transaction().execute(async (query) => {
    const { teamId, known, pageLimit, status } = await lockPageJob(query, jobId);
    if (status !== 'scraping') return { added: 0, isFull: true };
    await addSkipped(query, jobId, job, cipher);
    const added = await addPages(
      query,
      { id: jobId, teamId, known, pageLimit },
      encryptPages(job.pages, cipher),
    );
    const enough = pageLimit === null ? Infinity : pageLimit + Math.max(pageLimit, SPARE_PAGES);
    return { added, isFull: known + added >= enough };
  });
}

/** Locks a job and reads it. @throws ServiceError `NOT_FOUND` */
async function lockPageJob(query: Queryable, jobId: string) {
  await lockJobProgress(query, jobId);
  const job = await query
    .selectFrom('jobs')
    .innerJoin('job_progress', 'job_progress.job_id', 'jobs.id')
    .select(['jobs.team_id as teamId', 'kind', 'status', 'known', 'page_limit as pageLimit'])
    .select(sql<boolean>`status <> 'scraping' and expires_at < now()`.as('expired'))
    .where('jobs.id', '=', jobId)
    .executeTakeFirst();
  if (job) return job;
  throw new ServiceError('NOT_FOUND', `Job not found. There is no job ${jobId} (any more).`);
}

/** The stored request of a batch, with which the request to append pages is compared. */
export interface StoredBatch {
  /** The encrypted key of the batch; `null` if its data is not encrypted. */
  wrappedKey: Buffer | null;
  request: unknown;
  webhook: unknown;
  maxConcurrency: number | null;
}

/**
 * Adds pages to a batch of a team. A completed batch is reopened.
 * @param batch.authorize checks whether the pages may be added, and returns the cipher that encrypts them;
 * what it
 *   throws is passed on
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
    authorize: (stored: StoredBatch) => JobCipher;
  },
): Promise<void> {
  const job = await lockPageJob(query, batch.id);
  if (job.teamId !== batch.teamId || job.kind !== 'batch_scrape' || job.expired) {
    throw new ServiceError(
      'NOT_FOUND',
      `Job not found. The team has no batch ${batch.id} to append to, or its results have expired.`,
    );
  }
  const stored = await query
    .selectFrom('jobs')
    .innerJoin('job_progress', 'job_progress.job_id', 'jobs.id')
    .select(['wrapped_key as wrappedKey', 'request', 'webhook', 'max_concurrency as maxConcurrency'])
    .where('jobs.id', '=', batch.id)
    .executeTakeFirstOrThrow();
  const pages = encryptPages(batch.pages, batch.authorize(stored));
  await reopen(query, { ...batch, status: job.status });
  const { id, teamId } = batch;
  await addPages(query, { id, teamId, pageLimit: null, known: job.known }, pages);
}

/** @throws ServiceError `JOB_ENDED` if the job was cancelled or has failed */
function requireReopenable({ id, status }: { id: string; status: JobStatus }): void {
  if (status === 'scraping' || status === 'completed') return;
  throw new ServiceError('JOB_ENDED', `The job ${id} is ${status}: nothing can be added. Start another one.`);
}

/** Makes a completed job run again. A running job stays unchanged. @throws ServiceError `JOB_ENDED` */
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
    .set({ status: 'scraping', finished_at: null, expires_at: expiresAfter(job.ttlMs) })
    .where('id', '=', job.id)
    .execute();
}

/** Failed pages that will be tried again. */
export interface RetriedPages {
  retried: number;
  /** The host of all pages of the job; `null` if they are on several, or too many to look. */
  host: string | null;
}

/**
 * Makes the failed pages of a job pending again. A completed job is reopened.
 * @returns the number of these pages
 * @throws ServiceError `JOB_ENDED` if the job was cancelled or has failed
 */
export async function retryFailedPages(
  db: Database,
  job: { id: string; ttlMs: number },
): Promise<RetriedPages> {
  return db.query.transaction().execute(async (query) => {
    const { status } = await lockPageJob(query, job.id);
    requireReopenable({ ...job, status });
    const { rows } = await sql<RetriedPages>`
      with retried_page as (
        update pages set status = 'pending', attempts = 0, losses = 0, due_at = now(), error = null, finished_at = null
        where job_id = ${job.id} and status = 'failed' returning 1
      )
      update job_progress set failed = failed - (select count(*) from retried_page), touched_at = now()
      where job_id = ${job.id} returning (select count(*) from retried_page)::int as retried, ${hostOfPages} as host`.execute(
      query,
    );
    // The robots.txt of hosts that were given up because it was unavailable is requested again.
    await query
      .deleteFrom('robots_waits')
      .where('job_id', '=', job.id)
      .where('given_up', '=', true)
      .execute();
    const pages = rows[0] ?? { retried: 0, host: null };
    if (pages.retried) await reopen(query, { ...job, status });
    return pages;
  });
}
