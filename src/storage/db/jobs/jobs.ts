import { sql } from 'kysely';
import { PAGE } from '../../../credits.ts';
import { ServiceError } from '../../../errors.ts';
import type { JobKind } from '../../../job-kinds.ts';
import type { PageTrace } from '../../../schemas/page-trace.ts';
import { type JobCipher, NULL_CIPHER } from '../../../system/encryption/job-cipher.ts';
import type { Database } from '../client.ts';
import { runPrepared } from '../prepared-statements.ts';
import { type SlotLease, takeSlot } from '../teams/slots.ts';

/** A job that is not stored yet. */
export interface NewJob {
  id: string;
  teamId: string;
  apiKeyId: string | null;
  kind: JobKind;
  /** The URL that the job was requested for, as the activity list shows it, if there is one. */
  target: string | null;
  request: unknown;
  /** The encryption of the job's data; absent if it is stored unencrypted. */
  cipher?: JobCipher;
  /** How long the results are kept, in milliseconds. */
  ttlMs: number;
  /**
   * Credits that the job is expected to cost, or each of its pages if it is a batch or crawl; 1 by default.
   */
  reserved?: number;
  /** The job that this one is a part of; lists leave it out. */
  parentId?: string;
}

/** Returns the columns that describe what a job was requested for, encrypted if the job is. */
function requestColumns({ target, request, cipher = NULL_CIPHER }: NewJob) {
  return {
    target: cipher.encrypts ? null : target,
    request: cipher.encryptJson(request),
    wrapped_key: cipher.wrappedKey,
  };
}

/** When a job expires, by the clock of the database, which those of the processes may differ from. */
export const expiresAfter = (ttlMs: number) => sql<Date>`now() + make_interval(secs => ${ttlMs / 1_000})`;

/** Returns the row of a new job. */
export const jobRow = (job: NewJob) => ({
  id: job.id,
  team_id: job.teamId,
  api_key_id: job.apiKeyId,
  kind: job.kind,
  ...requestColumns(job),
  expires_at: expiresAfter(job.ttlMs),
  parent_id: job.parentId ?? null,
  reserved: job.reserved ?? PAGE,
});

/**
 * The columns of a new job, and an expression for the value of each, for a statement that stores it under a
 * condition.
 */
export function jobExpressions(job: NewJob) {
  const row = jobRow(job);
  // The keys of an object literal are those of its type.
  const columns = Object.keys(row) as (keyof typeof row)[];
  const expressionOf = (column: keyof typeof row) =>
    column === 'expires_at' ? row[column].as(column) : sql.val(row[column]).as(column);
  return { columns, values: columns.map(expressionOf) };
}

/** Stores a job. Its workflow must start only afterwards. */
export async function insertJob(db: Pick<Database, 'query'>, job: NewJob): Promise<void> {
  await db.query.insertInto('jobs').values(jobRow(job)).execute();
}

/** Stores the jobs that are parts of another one, unless an earlier attempt has stored them. */
export async function insertChildJobs(db: Pick<Database, 'query'>, jobs: readonly NewJob[]): Promise<void> {
  if (jobs.length === 0) return;
  await db.query
    .insertInto('jobs')
    .values(jobs.map(jobRow))
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/**
 * Deletes the jobs that belong to another one and have not been started, and thereby frees the credits that
 * they have reserved.
 */
export async function deleteChildJobs(db: Pick<Database, 'query'>, parentId: string): Promise<void> {
  await db.query
    .deleteFrom('jobs')
    .where('parent_id', '=', parentId)
    .where('status', '=', 'scraping')
    .execute();
}

/** Finds the ends of jobs by their ids. A job without a blob and error is running. */
export async function findChildOutcomes(db: Database, ids: readonly string[]) {
  const rows = await db.query
    .selectFrom('jobs')
    .leftJoin('results', (join) => join.onRef('results.job_id', '=', 'jobs.id').on('results.ordinal', '=', 0))
    .select(['jobs.id', 'jobs.status', 'jobs.error', 'jobs.credits', 'results.blob'])
    .where('jobs.id', 'in', [...ids])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Finds a job and the concurrency of its team, for the activity that runs the job. */
export async function findJob(db: Database, id: string) {
  return selectJob(db, id).executeTakeFirst();
}

const selectJob = (db: Database, id: string) =>
  db.query
    .selectFrom('jobs')
    .innerJoin('teams', 'teams.id', 'jobs.team_id')
    .select(['jobs.team_id', 'jobs.request', 'jobs.status', 'jobs.wrapped_key as wrappedKey'])
    .select(['teams.concurrency', 'jobs.api_key_id'])
    .where('jobs.id', '=', id);

/** A job with the slot that was taken for it, as a scrape starts with it. */
export interface LeasedJob {
  team_id: string;
  request: unknown;
  status: string;
  /** The encrypted key of the job; null if its data is not encrypted. */
  wrappedKey: Buffer | null;
  /** The slots of its team. */
  concurrency: number;
  /** Its slot; `null` if none is free. */
  lease: SlotLease | null;
}

/**
 * Finds a job as {@link findJob} does, and takes a slot of its team for it if it has not ended, in one
 * statement.
 */
export async function loadJobWithSlot(db: Database, id: string): Promise<LeasedJob | undefined> {
  const lease = takeSlot({
    teamId: sql.ref('jobs.team_id'),
    holder: sql`jobs.id::text`,
    limit: sql.ref('teams.concurrency'),
  });
  const jobs = selectJob(db, id).select(
    sql<SlotLease | null>`case when jobs.status = 'scraping' then ${lease} end`.as('lease'),
  );
  return (await runPrepared(db.query, jobs))[0];
}

/** Scrapes that are started again at once. A machine scrapes far fewer at the same time. */
const MAX_RUNNING_SCRAPES = 1_000;

/** Lists the scrapes that have not ended, oldest first, apart from those that belong to another job. */
export async function listRunningScrapes(db: Database) {
  return db.query
    .selectFrom('jobs')
    .select(['id', 'team_id', 'request', 'wrapped_key as wrappedKey'])
    .where('status', '=', 'scraping')
    .where('kind', '=', 'scrape')
    .where('parent_id', 'is', null)
    .orderBy('created_at')
    .limit(MAX_RUNNING_SCRAPES)
    .execute();
}

/** Finds the state and the result of a job whose results have not expired. */
export async function findOutcome(db: Database, id: string) {
  return db.query
    .selectFrom('jobs')
    .leftJoin('results', (join) => join.onRef('results.job_id', '=', 'jobs.id').on('results.ordinal', '=', 0))
    .leftJoin('jobs as parent', 'parent.id', 'jobs.parent_id')
    .select([
      'jobs.team_id',
      'jobs.kind',
      'jobs.status',
      'jobs.error',
      'jobs.target',
      'jobs.trace',
      'jobs.wrapped_key as wrappedKey',
      'results.blob',
    ])
    .select('parent.kind as parentKind')
    .where('jobs.id', '=', id)
    .where('jobs.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
}

/** Where the result of a job is stored. */
export interface StoredResult {
  /** Its key. */
  blob: string;
  /** The result itself, compressed, if it is small. */
  small?: Buffer | undefined;
}

/** Finds where the result of a job is stored; `undefined` if it has none. */
export async function findResult(db: Database, jobId: string): Promise<StoredResult | undefined> {
  const row = await db.query
    .selectFrom('results')
    .select(['blob', 'small'])
    .where('job_id', '=', jobId)
    .where('ordinal', '=', 0)
    .executeTakeFirst();
  return row && { blob: row.blob, small: row.small ?? undefined };
}

/**
 * The error for a job that the database has lost: it died before the job was on its disk. Nothing brings the
 * job back.
 */
export const jobLostError = () =>
  new ServiceError(
    'SERVICE_UNAVAILABLE',
    'The database was restarted when it had just taken the request, and has lost it. Send it again.',
    { isRetryable: false },
  );

/** Stores how the page of a scrape went that is going to fail. */
export async function recordTrace(db: Database, jobId: string, trace: PageTrace): Promise<void> {
  await db.query
    .updateTable('jobs')
    .set({ trace: JSON.stringify(trace) })
    .where('id', '=', jobId)
    .execute();
}

/** The column value of a deleted key. */
const ERASED_KEY = Buffer.alloc(0);

/**
 * Deletes the key, the error and the result of a job with zero data retention that has ended. Other jobs
 * stay unchanged.
 * @returns the key of the result's blob, which cannot be decrypted any more
 */
export async function deleteJobKey(db: Database, id: string): Promise<string | undefined> {
  const result = await db.query
    .with('erased_job', (query) =>
      query
        .updateTable('jobs')
        .set({ wrapped_key: ERASED_KEY, error: null })
        .where('id', '=', id)
        .where('status', '<>', 'scraping')
        .where('wrapped_key', 'is not', null)
        .returning('id'),
    )
    .deleteFrom('results')
    .using('erased_job')
    .whereRef('results.job_id', '=', 'erased_job.id')
    .returning('results.blob')
    .executeTakeFirst();
  return result?.blob;
}

/** Position in a list that is sorted from new to old: the next page begins after this entry. */
export interface ListCursor {
  createdAt: Date;
  id: string;
}
