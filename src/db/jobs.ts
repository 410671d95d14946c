import { sql } from 'kysely';
import type { JobKind } from '../job-kinds.ts';
import { type Seal, UNSEALED } from '../seal.ts';
import type { Database, StoredError } from './client.ts';

/** What is known of a job before it runs. */
export interface NewJob {
  id: string;
  teamId: string;
  apiKeyId: string | null;
  kind: JobKind;
  /** The address that it is about. */
  target: string;
  request: unknown;
  /** How it is written down; absent: as it is. */
  seal?: Seal;
  /** How long its results are kept. */
  ttlMs: number;
}

/** The columns that say what a job is about. */
export function columnsOf({ target, request, seal = UNSEALED }: NewJob) {
  return {
    target: seal.isSealed ? null : target,
    request: seal.closeJson(request),
    seal: seal.wrapped,
  };
}

/** Writes a job down, before its workflow starts. */
export async function insertJob(db: Database, job: NewJob): Promise<void> {
  await db.query
    .insertInto('jobs')
    .values({
      id: job.id,
      team_id: job.teamId,
      api_key_id: job.apiKeyId,
      kind: job.kind,
      ...columnsOf(job),
      expires_at: new Date(Date.now() + job.ttlMs),
    })
    .execute();
}

/** A job with its team's concurrency, for the activity that runs it; `undefined` when there is none. */
export async function findJob(db: Database, id: string) {
  return db.query
    .selectFrom('jobs')
    .innerJoin('teams', 'teams.id', 'jobs.team_id')
    .select(['jobs.team_id', 'jobs.request', 'jobs.status', 'jobs.seal'])
    .select('teams.concurrency')
    .where('jobs.id', '=', id)
    .executeTakeFirst();
}

/** State and result of a job whose results have not expired. */
export async function findOutcome(db: Database, id: string) {
  return db.query
    .selectFrom('jobs')
    .leftJoin('results', (join) => join.onRef('results.job_id', '=', 'jobs.id').on('results.ordinal', '=', 0))
    .select(['jobs.team_id', 'jobs.kind', 'jobs.status', 'jobs.error', 'jobs.seal', 'results.blob'])
    .where('jobs.id', '=', id)
    .where('jobs.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
}

/** What a finished job is recorded with. */
export interface Settlement {
  jobId: string;
  credits: number;
}

/**
 * The job's end, ledger entry and balance in one statement, and its slot is free. All hangs on the row of the job: who
 * comes second finds it ended already, and changes nothing. The ledger's own key holds as well.
 */
function settle(
  db: Database,
  { jobId, credits }: Settlement,
  end: { status: 'completed' } | { status: 'failed'; error: string },
) {
  return db.query
    .with('job', (query) =>
      query
        .updateTable('jobs')
        .set({
          ...end,
          credits,
          finished_at: sql<Date>`now()`,
          // What was asked is of no use any more.
          request: sql<string>`case when seal is null then request else 'null' end`,
        })
        .where('id', '=', jobId)
        .where('status', '=', 'scraping')
        .returning(['id', 'team_id', 'api_key_id', 'credits']),
    )
    .with('entry', (query) =>
      query
        .insertInto('credit_entries')
        .columns(['job_id', 'ordinal', 'team_id', 'api_key_id', 'credits'])
        .expression((from) =>
          from
            .selectFrom('job')
            .select(['id', sql.lit(0).as('ordinal'), 'team_id', 'api_key_id', 'credits'])
            .where('credits', '>', 0),
        )
        .onConflict((conflict) => conflict.doNothing())
        .returning(['team_id', 'credits']),
    )
    .with('payment', (query) =>
      query
        .updateTable('teams')
        .from('entry')
        .set({ credits_remaining: sql<number>`credits_remaining - entry.credits` })
        .whereRef('teams.id', '=', 'entry.team_id')
        .where('teams.credits_remaining', 'is not', null),
    )
    .with('version', (query) =>
      query
        .updateTable('page_versions')
        .from('job')
        .set({ delivered: true })
        .whereRef('page_versions.scrape_id', '=', 'job.id')
        .where(sql.lit(end.status), '=', 'completed'),
    )
    .with('freed', (query) =>
      query
        .deleteFrom('slots')
        .using('job')
        .whereRef('slots.team_id', '=', 'job.team_id')
        .where('slots.holder', '=', jobId),
    );
}

/** The job's end with a result; a second run changes nothing, nor does one after the job has failed. */
export async function completeJob(db: Database, settlement: Settlement & { blob: string }): Promise<void> {
  await settle(db, settlement, { status: 'completed' })
    .insertInto('results')
    .columns(['job_id', 'ordinal', 'blob'])
    .expression((from) =>
      from
        .selectFrom('job')
        .select(['id', sql.lit(0).as('ordinal'), sql<string>`${settlement.blob}::text`.as('blob')]),
    )
    .execute();
}

/** The job's end without a result, with what it costs all the same; a second run changes nothing. */
export async function failJob(db: Database, settlement: Settlement & { error: StoredError }): Promise<void> {
  await settle(db, settlement, { status: 'failed', error: JSON.stringify(settlement.error) })
    .selectFrom('job')
    .select('id')
    .execute();
}

/** A key that is gone. */
const GONE = Buffer.alloc(0);

/**
 * Forgets all that a job with zero data retention has left once it has ended; of other jobs nothing.
 * @returns the blob of its result, which is of no use without its key
 */
export async function forgetSealed(db: Database, id: string): Promise<string | undefined> {
  const result = await db.query
    .with('forgotten', (query) =>
      query
        .updateTable('jobs')
        .set({ seal: GONE, error: null })
        .where('id', '=', id)
        .where('status', '<>', 'scraping')
        .where('seal', 'is not', null)
        .returning('id'),
    )
    .deleteFrom('results')
    .using('forgotten')
    .whereRef('results.job_id', '=', 'forgotten.id')
    .returning('results.blob')
    .executeTakeFirst();
  return result?.blob;
}

/** Where a page of activity begins: after this job. */
export interface ActivityCursor {
  createdAt: Date;
  id: string;
}

/** A team's jobs of the last 24 hours, newest first. */
export async function listActivity(
  db: Database,
  page: { teamId: string; kind?: string | undefined; limit: number; after?: ActivityCursor | undefined },
) {
  let query = db.query
    .selectFrom('jobs')
    .select(['id', 'kind', 'target', 'created_at'])
    .where('team_id', '=', page.teamId)
    .where('created_at', '>', sql<Date>`now() - interval '24 hours'`)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit);
  if (page.kind) query = query.where('kind', '=', page.kind);
  if (page.after) {
    const { createdAt, id } = page.after;
    query = query.where(sql<boolean>`(created_at, id) < (${createdAt}, ${id}::uuid)`);
  }
  return query.execute();
}
