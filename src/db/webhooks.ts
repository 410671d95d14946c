import { sql } from 'kysely';
import { ServiceError } from '../errors.ts';
import type { WebhookTarget } from '../schemas/webhook.ts';
import { type Seal, sealOf } from '../seal.ts';
import type { Database } from './client.ts';
import type { ActivityCursor } from './jobs.ts';

/** What is sent for all events of a job, and how. */
export interface Webhook {
  target: WebhookTarget;
  /** Base of the addresses in what is delivered. */
  baseUrl: string;
  /** Key of the signature; `null` where the team has none. */
  secret: string | null;
  /** How the job is written down. */
  seal: Seal;
}

/** A target as the job keeps it: of one that is encrypted, the events can be read. */
export const closeTarget = (target: WebhookTarget, seal: Seal) =>
  seal.isSealed ? { events: target.events, sealed: seal.close(JSON.stringify(target)) } : target;

/** The target that `closeTarget` made this of. */
export function openTarget(kept: unknown, seal: Seal): WebhookTarget {
  // Written by `closeTarget`; the API validated the target before.
  if (!seal.isSealed) return kept as WebhookTarget;
  const { sealed } = kept as { sealed: string };
  return JSON.parse(seal.open(sealed)) as WebhookTarget;
}

/** Where the events of a job go; `undefined` when it has no webhook, or its results have expired. */
export async function findWebhook(
  db: Database,
  jobId: string,
  secretKey: string,
): Promise<Webhook | undefined> {
  const row = await db.query
    .selectFrom('jobs')
    .innerJoin('teams', 'teams.id', 'jobs.team_id')
    .select(['webhook', 'base_url', 'webhook_secret', 'seal'])
    .where('jobs.id', '=', jobId)
    .where('webhook', 'is not', null)
    .where((where) =>
      where.or([where('status', '=', 'scraping'), where('expires_at', '>', sql<Date>`now()`)]),
    )
    .executeTakeFirst();
  if (!row) return undefined;
  const seal = sealOf({ id: jobId, wrapped: row.seal }, secretKey);
  const target = openTarget(row.webhook, seal);
  return { target, baseUrl: row.base_url ?? '', secret: row.webhook_secret, seal };
}

/** An event to be sent now. */
export interface DueEvent {
  /** The `webhookId`. */
  id: string;
  sequence: number;
  type: string;
  attempts: number;
  /** Why the job or its page failed. */
  error: string | null;
  /** The page that it tells of: the document, or what is known without one. */
  pageId: string | null;
  url: string | null;
  blob: string | null;
}

/** Which events are looked for. */
export interface DueQuestion {
  jobId: string;
  /** First attempts are made in order: only events behind this one. */
  after: number;
  /** Most events that were never sent. */
  firsts: number;
  /** Most events to be sent again. */
  retries: number;
  /** Events in hand. */
  except: string[];
}

/** Events that are due: those never sent in the order they happened, and those to be sent again, longest due first. */
export async function listDue(db: Database, asked: DueQuestion): Promise<DueEvent[]> {
  const { rows } = await sql<DueEvent>`
    with due as (
      (select * from webhook_deliveries
        where job_id = ${asked.jobId} and status = 'pending' and attempts = 0 and sequence > ${asked.after}
        order by sequence limit ${asked.firsts})
      union all
      (select * from webhook_deliveries
        where job_id = ${asked.jobId} and status = 'pending' and attempts > 0 and due_at <= now()
          and id <> all(${asked.except}::uuid[])
        order by due_at limit ${asked.retries})
    )
    select due.id, sequence, type, due.attempts, due.error, pages.id as "pageId", pages.url, pages.blob
    from due left join pages on pages.job_id = due.job_id and pages.ordinal = due.ordinal
    order by sequence`.execute(db.query);
  return rows;
}

/** How an attempt went. */
export interface Attempt {
  id: string;
  delivered: boolean;
  responseStatus: number | null;
  /** Why it was not delivered. */
  error: string | null;
  /** Absent after the last attempt. */
  retryInMs: number | undefined;
}

/** Writes an attempt down; a delivery that is not open any more stays as it is. */
export async function recordAttempt(db: Database, attempt: Attempt): Promise<void> {
  const { delivered, retryInMs = 0 } = attempt;
  await db.query
    .updateTable('webhook_deliveries')
    .set({
      status: delivered ? 'delivered' : attempt.retryInMs === undefined ? 'failed' : 'pending',
      attempts: sql<number>`attempts + 1`,
      due_at: sql<Date>`now() + make_interval(secs => ${retryInMs / 1000})`,
      last_attempt_at: sql<Date>`now()`,
      response_status: attempt.responseStatus,
      last_error: attempt.error,
      delivered_at: delivered ? sql<Date>`now()` : null,
    })
    .where('id', '=', attempt.id)
    .where('status', '=', 'pending')
    .execute();
}

/** What is left to be sent for a job. */
export interface DeliverySurvey {
  open: number;
  /** Milliseconds until the next event is due, at least 0; `undefined` when none is open. */
  nextDueInMs: number | undefined;
  /** The job writes no more events. */
  jobEnded: boolean;
}

/** Looks at all events of a job; those whose job has expired go with it. */
export async function surveyDeliveries(db: Database, jobId: string): Promise<DeliverySurvey> {
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

const OVERDUE_AT_ONCE = 50;

/** Jobs that have ended, but have events that should have been sent a while ago. */
export async function listOverdue(db: Database, overdueMs: number): Promise<string[]> {
  const rows = await db.query
    .selectFrom('webhook_deliveries as deliveries')
    .innerJoin('jobs', 'jobs.id', 'deliveries.job_id')
    .select('jobs.id')
    .distinct()
    .where('deliveries.status', '=', 'pending')
    .where('deliveries.due_at', '<', sql<Date>`now() - make_interval(secs => ${overdueMs / 1000})`)
    .where('jobs.status', '<>', 'scraping')
    .where('jobs.expires_at', '>', sql<Date>`now()`)
    .limit(OVERDUE_AT_ONCE)
    .execute();
  return rows.map(({ id }) => id);
}

/** Whether a job runs, and so may write events at any time. */
export async function isRunning(db: Database, jobId: string): Promise<boolean> {
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
  'last_error',
  'created_at',
  'last_attempt_at',
  'due_at',
  'delivered_at',
] as const;

/** A team's deliveries, newest first. */
export async function listDeliveries(
  db: Database,
  page: {
    teamId: string;
    jobId?: string | undefined;
    status?: 'pending' | 'delivered' | 'failed' | undefined;
    limit: number;
    after?: ActivityCursor | undefined;
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

/** A delivery as the list shows it. */
export type Delivery = Awaited<ReturnType<typeof listDeliveries>>[number];

/**
 * Makes a delivery due now, whatever became of it; the receiver gets the same `webhookId`.
 * @throws ServiceError `NOT_FOUND` where the team has no such delivery, or the results of its job have expired
 */
export async function redeliver(
  db: Database,
  { id, teamId }: { id: string; teamId: string },
): Promise<Delivery> {
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
  if (!row) {
    throw new ServiceError(
      'NOT_FOUND',
      `No delivery ${id} exists (any more). GET /v2/webhooks/deliveries lists them until the results of their job expire.`,
    );
  }
  return row;
}
