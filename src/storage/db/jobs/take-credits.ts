import { sql } from 'kysely';
import type { PageTrace } from '../../../schemas/page-trace.ts';
import type { Database, Queryable } from '../client.ts';
import { runPrepared } from '../prepared-statements.ts';
import type { StoredError } from '../tables.ts';
import { countEndedJob } from './ended-jobs.ts';
import { jobLostError, type StoredResult } from './jobs.ts';

/** A job that ends, and the credits that it costs. */
export interface JobCharge {
  jobId: string;
  credits: number;
}

/**
 * Ends a job in one statement, which also writes the ledger entry, charges the team, releases the slot and
 * deletes the key of an uploaded file, which can then not be decrypted any more. All of this depends on the
 * update of the job's row: a second call finds the job already ended and changes nothing. The primary key of
 * the ledger prevents double billing as well.
 */
function endAndBill(
  query: Queryable,
  { jobId, credits }: JobCharge,
  outcome:
    | { status: 'completed' | 'cancelled'; trace?: string | undefined; status_code?: number | null }
    | { status: 'failed'; error: string },
) {
  return query
    .with('job', (query) =>
      query
        .updateTable('jobs')
        .set({
          ...outcome,
          // The trials of support are not billed, and agents and extracts are billed for all that they do;
          // other jobs that are parts of one are billed by themselves.
          credits: sql<number>`case when exists (
            select from jobs as parent where parent.id = jobs.parent_id and parent.kind in ('support', 'agent', 'extract'))
            then 0 else ${credits}::integer end`,
          finished_at: sql<Date>`now()`,
          // The encrypted request of a job with zero data retention is not needed after its end.
          request: sql<string>`case when wrapped_key is null then request else 'null' end`,
        })
        .where('id', '=', jobId)
        .where('status', '=', 'scraping')
        .returning(['id', 'team_id', 'api_key_id', 'kind', 'credits']),
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
        .where(sql.lit(outcome.status), '=', 'completed'),
    )
    .with('released_slot', (query) =>
      query
        .deleteFrom('slots')
        .using('job')
        .whereRef('slots.team_id', '=', 'job.team_id')
        .where('slots.holder', '=', jobId),
    )
    .with('deleted_upload', (query) =>
      query
        .deleteFrom('uploads')
        .using('job')
        .whereRef('uploads.job_id', '=', 'job.id')
        .returning('uploads.blob'),
    );
}

const uploadBlob = sql<string | null>`(select blob from deleted_upload)`.as('uploadBlob');
/** The columns of the job that has ended, for {@link countEndedJob}. */
const endedJob = [
  sql<string>`(select kind from job)`.as('kind'),
  sql<number>`(select credits from job)`.as('credits'),
] as const;

/**
 * Ends a job with a result. It changes nothing if the job has already been completed or has failed.
 * @returns the key of the blob of the uploaded file, if the job had one; the caller deletes it
 * @throws ServiceError `SERVICE_UNAVAILABLE` if the database has lost the job
 */
export async function completeJob(
  db: Pick<Database, 'query'>,
  { trace, blob, small, ...job }: JobCharge & StoredResult & { trace?: PageTrace | undefined },
): Promise<string | undefined> {
  const statement = endAndBill(db.query, job, {
    status: 'completed',
    ...(trace && { trace: JSON.stringify(trace), status_code: trace.statusCode ?? null }),
  })
    .insertInto('results')
    .columns(['job_id', 'ordinal', 'blob', 'small'])
    .expression((from) =>
      from
        .selectFrom('job')
        .select(['id', sql.lit(0).as('ordinal'), sql<string>`${blob}::text`.as('blob')])
        .select(sql<Buffer | null>`${small ?? null}::bytea`.as('small')),
    )
    .returning([uploadBlob, ...endedJob]);
  const [ended] = await runPrepared(db.query, statement);
  countEndedJob(ended, 'completed');
  if (!ended) await requireJob(db, job.jobId);
  return ended?.uploadBlob ?? undefined;
}

async function requireJob({ query }: Pick<Database, 'query'>, id: string): Promise<void> {
  const job = await query.selectFrom('jobs').select('id').where('id', '=', id).executeTakeFirst();
  if (!job) throw jobLostError();
}

/**
 * Ends the job of a browser session, which has no result. It changes nothing if the job has already ended.
 */
export async function completeSessionJob(query: Queryable, job: JobCharge): Promise<void> {
  await endWithoutResult(query, job, 'completed');
}

/**
 * Ends a job that its user has cancelled, and bills what it cost until then. It changes nothing if the job
 * has already ended.
 */
export async function cancelJob(db: Pick<Database, 'query'>, job: JobCharge): Promise<void> {
  await endWithoutResult(db.query, job, 'cancelled');
}

async function endWithoutResult(
  query: Queryable,
  job: JobCharge,
  status: 'completed' | 'cancelled',
): Promise<void> {
  const ended = await endAndBill(query, job, { status })
    .selectFrom('job')
    .select(['kind', 'credits'])
    .executeTakeFirst();
  countEndedJob(ended, status);
}

/**
 * Ends a job with an error, and bills what it costs nonetheless. It changes nothing if the job has already
 * ended.
 * @returns the key of the blob of the uploaded file, if the job had one; the caller deletes it
 */
export async function failJob(
  db: Pick<Database, 'query'>,
  job: JobCharge & { error: StoredError },
): Promise<string | undefined> {
  const ended = await endAndBill(db.query, job, { status: 'failed', error: JSON.stringify(job.error) })
    .selectFrom('job')
    .select(['kind', 'credits', uploadBlob])
    .executeTakeFirst();
  countEndedJob(ended, 'failed');
  return ended?.uploadBlob ?? undefined;
}
