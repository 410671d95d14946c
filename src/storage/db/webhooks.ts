import { sql } from 'kysely';
import { ServiceError } from '../../errors.ts';
import type { WebhookTarget } from '../../schemas/webhook.ts';
import { type JobCipher, restoreJobCipher } from '../../system/encryption/job-cipher.ts';
import type { Database } from './client.ts';
import type { ListCursor } from './jobs/jobs.ts';

/** Where and how the events of a job are sent. */
export interface Webhook {
  target: WebhookTarget;
  /** Base of the file URLs in delivered documents. */
  baseUrl: string;
  /** The key that signs the events; `null` if the team has none. */
  secret: string | null;
  /** The encryption of the job's data. */
  cipher: JobCipher;
}

/**
 * Encrypts a target for the job's row. Its list of events stays readable, because SQL statements look into
 * it.
 */
export const encryptTarget = (target: WebhookTarget, cipher: JobCipher) =>
  cipher.encrypts ? { events: target.events, sealed: cipher.encrypt(JSON.stringify(target)) } : target;

/** Decrypts a target that `encryptTarget` returned. */
export function decryptTarget(stored: unknown, cipher: JobCipher): WebhookTarget {
  // `encryptTarget` wrote the value, after the API had validated the target.
  if (!cipher.encrypts) return stored as WebhookTarget;
  const { sealed } = stored as { sealed: string };
  return JSON.parse(cipher.decrypt(sealed)) as WebhookTarget;
}

/** Finds the webhook of a job; `undefined` if it has none, or its results have expired. */
export async function findWebhook(
  db: Database,
  jobId: string,
  secretKey: string,
): Promise<Webhook | undefined> {
  const row = await db.query
    .selectFrom('jobs')
    .innerJoin('teams', 'teams.id', 'jobs.team_id')
    .select(['webhook', 'base_url', 'webhook_secret', 'wrapped_key as wrappedKey'])
    .where('jobs.id', '=', jobId)
    .where('webhook', 'is not', null)
    .where((where) =>
      where.or([where('status', '=', 'scraping'), where('expires_at', '>', sql<Date>`now()`)]),
    )
    .executeTakeFirst();
  if (!row) return undefined;
  const cipher = restoreJobCipher({ id: jobId, wrappedKey: row.wrappedKey }, secretKey);
  const target = decryptTarget(row.webhook, cipher);
  return { target, baseUrl: row.base_url ?? '', secret: row.webhook_secret, cipher };
}

/** The result of an attempt to deliver an event. */
export interface DeliveryAttempt {
  id: string;
  delivered: boolean;
  responseStatus: number | null;
  /** The beginning of the response's body; `null` without a response, or if nothing of it may be kept. */
  responseBody: string | null;
  /** Why the event was not delivered. */
  error: string | null;
  /** Milliseconds until the next attempt; `undefined` after the last one. */
  retryInMs: number | undefined;
}

/** Records an attempt. A delivery that is not pending any more stays unchanged. */
export async function recordAttempt(db: Database, attempt: DeliveryAttempt): Promise<void> {
  const { delivered, retryInMs = 0 } = attempt;
  await db.query
    .updateTable('webhook_deliveries')
    .set({
      status: delivered ? 'delivered' : attempt.retryInMs === undefined ? 'failed' : 'pending',
      attempts: sql<number>`attempts + 1`,
      due_at: sql<Date>`now() + make_interval(secs => ${retryInMs / 1000})`,
      last_attempt_at: sql<Date>`now()`,
      response_status: attempt.responseStatus,
      response_body: attempt.responseBody,
      last_error: attempt.error,
      delivered_at: delivered ? sql<Date>`now()` : null,
    })
    .where('id', '=', attempt.id)
    .where('status', '=', 'pending')
    .execute();
}

/** The pending deliveries of a job. */
export interface PendingDeliveries {
  open: number;
  /** Milliseconds until the next event is due, at least 0; `undefined` if none is pending. */
  nextDueInMs: number | undefined;
  /** Whether the job has ended, so that it writes no more events. */
  jobEnded: boolean;
}

/** Reads the state of a job's pending deliveries. An expired job has none. */
export async function readPendingDeliveries(db: Database, jobId: string): Promise<PendingDeliveries> {
  const { rows } = await sql<{ open: number; due: number | null; ended: boolean }>`
    select jobs.status <> 'scraping' as ended, count(deliveries.id)::int as open,
      (extract(epoch from min(case when attempts = 0 then now() else due_at end) - now()) * 1000)::float8 as due
    from jobs left join webhook_deliveries as deliveries
      on deliveries.job_id = jobs.id and deliveries.status = 'pending'
    where jobs.id = ${jobId} and (jobs.status = 'scraping' or jobs.expires_at > now())
    group by jobs.id`.execute(db.query);
  const { open, due, ended } = rows[0] ?? { open: 0, due: null, ended: true };
  return { open, nextDueInMs: due === null ? undefined : Math.max(0, Math.ceil(due)), jobEnded: ended };
}

const MAX_OVERDUE_JOBS = 50;

/** Lists ended jobs with events that have been due for more than `overdueMs` milliseconds. */
export async function listJobsWithOverdueEvents(db: Database, overdueMs: number): Promise<string[]> {
  const rows = await db.query
    .selectFrom('webhook_deliveries as deliveries')
    .innerJoin('jobs', 'jobs.id', 'deliveries.job_id')
    .select('jobs.id')
    .distinct()
    .where('deliveries.status', '=', 'pending')
    .where('deliveries.due_at', '<', sql<Date>`now() - make_interval(secs => ${overdueMs / 1000})`)
    .where('jobs.status', '<>', 'scraping')
    .where('jobs.expires_at', '>', sql<Date>`now()`)
    .limit(MAX_OVERDUE_JOBS)
    .execute();
  return rows.map(({ id }) => id);
}

/** Whether a job is running, so that it may write events at any time. */
export async function isJobRunning(db: Database, jobId: string): Promise<boolean> {
  const row = await db.query
    .selectFrom('jobs')
    .select('id')
    .where('id', '=', jobId)
    .where('status', '=', 'scraping')
    .executeTakeFirst();
  return row !== undefined;
}

const COLUMNS = [
  'id',
  'job_id',
  'type',
  'status',
  'attempts',
  'response_status',
  'response_body',
  'last_error',
  'created_at',
  'last_attempt_at',
  'due_at',
  'delivered_at',
] as const;

/** A delivery, and the team that asks for it. */
interface OwnDelivery {
  id: string;
  teamId: string;
}

/** Finds a delivery of a team. @throws ServiceError `NOT_FOUND` */
export async function findDelivery(db: Database, { id, teamId }: OwnDelivery): Promise<Delivery> {
  const row = await db.query
    .selectFrom('webhook_deliveries')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('team_id', '=', teamId)
    .executeTakeFirst();
  if (!row) throw deliveryNotFound(id);
  return row;
}

/** Lists the deliveries of a team, newest first. */
export async function listDeliveries(
  db: Database,
  page: {
    teamId: string;
    jobId?: string | undefined;
    status?: 'pending' | 'delivered' | 'failed' | undefined;
    limit: number;
    after?: ListCursor | undefined;
  },
) {
  let query = db.query
    .selectFrom('webhook_deliveries')
    .select(COLUMNS)
    .where('team_id', '=', page.teamId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit);
  if (page.jobId) query = query.where('job_id', '=', page.jobId);
  if (page.status) query = query.where('status', '=', page.status);
  if (page.after) {
    const { createdAt, id } = page.after;
    query = query.where(sql<boolean>`(created_at, id) < (${createdAt}, ${id}::uuid)`);
  }
  return query.execute();
}

/** A delivery, as the list contains it. */
export type Delivery = Awaited<ReturnType<typeof listDeliveries>>[number];

/**
 * Makes a delivery due now, even if it has succeeded or has failed for the last time. The receiver gets the
 * same `webhookId` again.
 * @throws ServiceError `NOT_FOUND` if the team has no such delivery, or the results of its job have expired
 */
export async function redeliver(db: Database, { id, teamId }: OwnDelivery): Promise<Delivery> {
  const row = await db.query
    .updateTable('webhook_deliveries')
    .from('jobs')
    .set({ status: 'pending', due_at: sql<Date>`now()`, delivered_at: null })
    .whereRef('jobs.id', '=', 'webhook_deliveries.job_id')
    .where((where) =>
      where.or([where('jobs.status', '=', 'scraping'), where('expires_at', '>', sql<Date>`now()`)]),
    )
    .where('webhook_deliveries.id', '=', id)
    .where('webhook_deliveries.team_id', '=', teamId)
    .returning(COLUMNS.map((column) => `webhook_deliveries.${column}` as const))
    .executeTakeFirst();
  if (!row) throw deliveryNotFound(id);
  return row;
}

const deliveryNotFound = (id: string) =>
  new ServiceError(
    'NOT_FOUND',
    `No delivery ${id} exists (any more). GET /v2/webhooks/deliveries lists them until the results of their job expire.`,
  );
