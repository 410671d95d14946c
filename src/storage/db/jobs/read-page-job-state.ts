import { sql } from 'kysely';
import type { Database } from '../client.ts';
import type { JobStatus, StoredError } from '../tables.ts';
import { OPEN_PAGES } from './job-progress.ts';

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
  /** Size on the disk of what the archives of its pages have. */
  archivedBytes: number;
  paused: boolean;
  pageLimit: number | null;
  maxConcurrency: number | null;
  delayMs: number | null;
  notes: Record<string, unknown>;
  /** Number of URLs that the crawl found and that robots.txt excludes. */
  blocked: number;
  /** Number of hosts whose robots.txt is unavailable and will be requested again. */
  hostsWithoutRobots: number;
  /** When the next page is tried again, if the job waits for nothing but pages that could not be fetched. */
  retryAt: Date | null;
  target: string | null;
  createdAt: Date;
  finishedAt: Date | null;
  /** When the results of an ended job expire. A running job does not expire. */
  expiresAt: Date;
}

/** Jobs with more open pages than this are not searched for pages that are tried again. */
const MAX_OPEN = 200;

/** The pages of a job that are tried again later. */
const RETRIED_PAGES = sql`pages
  where job_id = jobs.id and status = 'pending' and attempts > 0 and due_at > now()`;

/**
 * The earliest time at which a page is tried again; null if the job has anything else to do. Only a job
 * without claimed pages is searched, so the search costs nothing while pages are scraped.
 */
const RETRY_AT = sql<Date | null>`case
  when jobs.status = 'scraping' and not paused and not discovering and ${OPEN_PAGES} between 1 and ${MAX_OPEN}
    and not exists (
      select from pages where team_id = jobs.team_id and job_id = jobs.id and status = 'claimed')
    and ${OPEN_PAGES} = (select count(*) from ${RETRIED_PAGES})
  then (select min(due_at) from ${RETRIED_PAGES}) end`;

/** Reads the state of a batch or crawl whose results have not expired. */
export async function readPageJobState(db: Database, id: string): Promise<PageJobState | undefined> {
  return db.query
    .selectFrom('jobs')
    .innerJoin('job_progress as progress', 'progress.job_id', 'jobs.id')
    .select(['jobs.team_id as teamId', 'kind', 'target', 'status', 'error', 'completed', 'failed'])
    .select('wrapped_key as wrappedKey')
    .select(['progress.credits', 'bytes', 'paused', 'page_limit as pageLimit', 'notes', 'blocked'])
    .select(['max_concurrency as maxConcurrency', 'delay_ms as delayMs'])
    .select(['created_at as createdAt', 'finished_at as finishedAt', 'expires_at as expiresAt'])
    .select([
      sql<number>`archived_bytes::float8`.as('archivedBytes'),
      sql<number>`(${OPEN_PAGES} + completed + failed)::int`.as('total'),
      sql<number>`(
        select count(distinct host) from robots_waits where job_id = jobs.id and not given_up)::int`.as(
        'hostsWithoutRobots',
      ),
    ])
    .select(RETRY_AT.as('retryAt'))
    .where('jobs.id', '=', id)
    .where((where) =>
      where.or([where('status', '=', 'scraping'), where('expires_at', '>', sql<Date>`now()`)]),
    )
    .executeTakeFirst();
}
