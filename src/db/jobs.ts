import { sql } from 'kysely';
import type { Database, StoredError } from './client.ts';

/** What is known of a job before it runs. */
export interface NewJob {
  id: string;
  teamId: string;
  apiKeyId: string | null;
  /** Also the `endpoint` of the team's activity. */
  kind: 'scrape';
  /** The address that it is about. */
  target: string;
  request: unknown;
  /** How long its results are kept. */
  ttlMs: number;
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
      target: job.target,
      request: JSON.stringify(job.request),
      expires_at: new Date(Date.now() + job.ttlMs),
    })
    .execute();
}

/** A job with its team's concurrency, for the activity that runs it; `undefined` when there is none. */
export async function findJob(db: Database, id: string) {
  return db.query
    .selectFrom('jobs')
    .innerJoin('teams', 'teams.id', 'jobs.team_id')
    .select(['jobs.id', 'jobs.team_id', 'jobs.api_key_id', 'jobs.request', 'jobs.status', 'jobs.created_at'])
    .select('teams.concurrency')
    .where('jobs.id', '=', id)
    .executeTakeFirst();
}

/** State and result of a job whose results have not expired. */
export async function findOutcome(db: Database, id: string) {
  return db.query
    .selectFrom('jobs')
    .leftJoin('results', (join) => join.onRef('results.job_id', '=', 'jobs.id').on('results.ordinal', '=', 0))
    .select(['jobs.team_id', 'jobs.kind', 'jobs.status', 'jobs.error', 'results.blob'])
    .where('jobs.id', '=', id)
    .where('jobs.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
}

/** What one finished piece of work leaves behind. */
export interface Settlement {
  jobId: string;
  teamId: string;
  apiKeyId: string | null;
  credits: number;
}

/** Ledger entry and balance in one statement; the ledger's key makes a second run bill nothing. */
function bill(db: Database, { jobId, teamId, apiKeyId, credits }: Settlement) {
  return db.query
    .with('entry', (query) =>
      query
        .insertInto('credit_entries')
        .values({ job_id: jobId, ordinal: 0, team_id: teamId, api_key_id: apiKeyId, credits })
        .onConflict((conflict) => conflict.doNothing())
        .returning('credits'),
    )
    .with('payment', (query) =>
      query
        .updateTable('teams')
        .from('entry')
        .set({ credits_remaining: sql<number>`credits_remaining - entry.credits` })
        .where('teams.id', '=', teamId)
        .where('teams.credits_remaining', 'is not', null),
    );
}

/** Result, ledger entry, balance and job state, in one transaction; a second run changes nothing. */
export async function completeJob(db: Database, settlement: Settlement & { blob: string }): Promise<void> {
  const { jobId, credits, blob } = settlement;
  await bill(db, settlement)
    .with('result', (query) =>
      query
        .insertInto('results')
        .values({ job_id: jobId, ordinal: 0, blob })
        .onConflict((conflict) => conflict.doNothing()),
    )
    .updateTable('jobs')
    .set({ status: 'completed', credits, finished_at: sql<Date>`now()` })
    .where('id', '=', jobId)
    .where('status', '=', 'scraping')
    .execute();
}

/** The job's end without a result, with what it costs all the same; a second run changes nothing. */
export async function failJob(db: Database, settlement: Settlement & { error: StoredError }): Promise<void> {
  const { jobId, credits } = settlement;
  const failure = {
    status: 'failed',
    error: JSON.stringify(settlement.error),
    credits,
    finished_at: sql<Date>`now()`,
  } as const;
  const update = credits > 0 ? bill(db, settlement).updateTable('jobs') : db.query.updateTable('jobs');
  await update.set(failure).where('id', '=', jobId).where('status', '=', 'scraping').execute();
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
    // Milliseconds, as the cursor has them: finer digits would make a page repeat or skip its last row.
    .select(['id', 'kind', 'target', sql<Date>`date_trunc('milliseconds', created_at)`.as('created_at')])
    .where('team_id', '=', page.teamId)
    .where('created_at', '>', sql<Date>`now() - interval '24 hours'`)
    .orderBy(sql`date_trunc('milliseconds', created_at)`, 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit);
  if (page.kind) query = query.where('kind', '=', page.kind);
  if (page.after) {
    const { createdAt, id } = page.after;
    query = query.where(
      sql<boolean>`(date_trunc('milliseconds', created_at), id) < (${createdAt}, ${id}::uuid)`,
    );
  }
  return query.execute();
}
