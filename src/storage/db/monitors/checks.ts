import { type Selectable, sql } from 'kysely';
import type { CheckStatus } from '../../../schemas/monitor.ts';
import type { MonitorSummary } from '../../../schemas/monitor-results.ts';
import { narrowTarget, type WebhookTarget } from '../../../schemas/webhook.ts';
import type { Database, Queryable } from '../client.ts';
import { countEndedJob } from '../jobs/ended-jobs.ts';
import { jobRow } from '../jobs/jobs.ts';
import type { MonitorTargetRow, Tables } from '../tables.ts';
import { addNewsMails } from './mails.ts';
import type { StoredMonitor } from './monitors.ts';

/** A check of a monitor as it is stored. */
export type StoredCheck = Selectable<Tables['monitor_checks']>;

const DAY_MS = 86_400_000;

/** A check that is not stored yet. */
export interface NewCheck {
  id: string;
  trigger: 'scheduled' | 'manual';
  scheduledFor: Date | null;
  status: CheckStatus;
  error?: string | undefined;
  /** What it does not do as the settings of its monitor want it. */
  warning?: string | undefined;
}

/**
 * Reads a monitor and locks it until the transaction ends, so that its checks begin and end one after the
 * other.
 */
export async function lockMonitor(query: Queryable, id: string): Promise<StoredMonitor | undefined> {
  return query.selectFrom('monitors').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/**
 * Stores a check with its job, which ends with it. A check that is skipped has ended already.
 */
export async function insertCheck(
  query: Queryable,
  monitor: StoredMonitor,
  check: NewCheck,
): Promise<StoredCheck> {
  const isRunning = check.status === 'running';
  // `webhookOf` validated the target before it was stored.
  const webhook = monitor.webhook && narrowTarget(monitor.webhook as WebhookTarget, 'monitor');
  await query
    .insertInto('jobs')
    .values({
      ...jobRow({
        id: check.id,
        teamId: monitor.team_id,
        apiKeyId: monitor.api_key_id,
        kind: 'monitor',
        target: monitor.name,
        request: { monitorId: monitor.id },
        ttlMs: monitor.retention_days * DAY_MS,
        reserved: 0,
      }),
      webhook: webhook ? JSON.stringify(webhook) : null,
      base_url: monitor.base_url,
      ...(!isRunning && { status: 'completed', finished_at: sql<Date>`now()` }),
    })
    .execute();
  const stored = await query
    .insertInto('monitor_checks')
    .values({
      id: check.id,
      monitor_id: monitor.id,
      status: check.status,
      trigger: check.trigger,
      scheduled_for: check.scheduledFor,
      started_at: isRunning ? sql<Date>`clock_timestamp()` : null,
      finished_at: isRunning ? null : sql<Date>`clock_timestamp()`,
      estimated_credits: monitor.check_credits,
      actual_credits: isRunning ? null : 0,
      error: check.error ?? null,
      warning: check.warning ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  if (isRunning)
    await query
      .updateTable('monitors')
      .set({ current_check_id: check.id, last_run_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', monitor.id)
      .execute();
  else await addEndEvent(query, check.id);
  return stored;
}

/** Stores the event of the end of a check, if the webhook of its monitor wants it. */
async function addEndEvent(query: Queryable, checkId: string): Promise<void> {
  await sql`
    insert into webhook_deliveries (job_id, team_id, type)
    select id, team_id, 'monitor.check.completed' from jobs
    where id = ${checkId} and webhook -> 'events' ? 'check.completed'`.execute(query);
}

/** Finds a check by its id. */
export async function findCheck(
  { query }: Pick<Database, 'query'>,
  id: string,
): Promise<StoredCheck | undefined> {
  return query.selectFrom('monitor_checks').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Locks a check until the transaction ends, so that it does not end meanwhile. @returns false if it has ended */
export async function lockRunningCheck(query: Queryable, id: string): Promise<boolean> {
  const check = await query
    .selectFrom('monitor_checks')
    .select('id')
    .where('id', '=', id)
    .where('status', '=', 'running')
    .forUpdate()
    .executeTakeFirst();
  return check !== undefined;
}

/** Gives a check a warning, unless it has one. */
export async function warnOfCheck(query: Queryable, id: string, warning: string): Promise<void> {
  await query
    .updateTable('monitor_checks')
    .set({ warning: sql<string>`coalesce(warning, ${warning})` })
    .where('id', '=', id)
    .execute();
}

/** Lists the checks of a monitor, newest first. */
export async function listChecks(
  db: Database,
  {
    monitorId,
    status,
    limit,
    offset,
  }: { monitorId: string; status?: CheckStatus | undefined; limit: number; offset: number },
): Promise<StoredCheck[]> {
  let query = db.query.selectFrom('monitor_checks').selectAll().where('monitor_id', '=', monitorId);
  if (status) query = query.where('status', '=', status);
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).offset(offset).execute();
}

/** How a check ended. */
export interface CheckEnd {
  status: 'completed' | 'partial' | 'failed';
  summary: MonitorSummary;
  credits: number;
  targetResults: MonitorTargetRow[];
  error: string | null;
}

/**
 * Ends a running check, its job and its turn in one transaction, which also stores the mails that tell of it. Does
 * nothing if it has ended.
 * @returns the id of the monitor if there are mails
 */
export async function endCheck(db: Database, checkId: string, end: CheckEnd): Promise<string | undefined> {
  return db.query.transaction().execute(async (query) => {
    const check = await query
      .updateTable('monitor_checks')
      .set({
        status: end.status,
        finished_at: sql<Date>`clock_timestamp()`,
        updated_at: sql<Date>`clock_timestamp()`,
        summary: JSON.stringify(end.summary),
        target_results: JSON.stringify(end.targetResults),
        actual_credits: end.credits,
        error: end.error,
      })
      .where('id', '=', checkId)
      .where('status', '=', 'running')
      .returning('monitor_id')
      .executeTakeFirst();
    if (!check) return undefined;
    await addEndEvent(query, checkId);
    await query
      .updateTable('jobs')
      .set({ status: end.status === 'failed' ? 'failed' : 'completed', finished_at: sql<Date>`now()` })
      .where('id', '=', checkId)
      .execute();
    countEndedJob({ kind: 'monitor' }, end.status === 'failed' ? 'failed' : 'completed');
    await query
      .updateTable('monitors')
      .set({
        current_check_id: null,
        last_summary: JSON.stringify(end.summary),
        ...(end.status !== 'failed' && end.credits > 0 && { check_credits: end.credits }),
      })
      .where('id', '=', check.monitor_id)
      .where('current_check_id', '=', checkId)
      .execute();
    const monitor = await lockMonitor(query, check.monitor_id);
    return monitor && (await addNewsMails(query, monitor, checkId)) ? monitor.id : undefined;
  });
}

/** A running check, as upkeep restarts it. */
export interface IdleCheck {
  checkId: string;
  teamId: string;
}

const MAX_IDLE_CHECKS = 50;

/** Lists running checks without progress for `idleMs` milliseconds, whose workflows may be lost. */
export async function listIdleChecks(db: Database, idleMs: number): Promise<IdleCheck[]> {
  return db.query
    .selectFrom('monitor_checks')
    .innerJoin('monitors', 'monitors.id', 'monitor_id')
    .select(['monitor_checks.id as checkId', 'team_id as teamId'])
    .where('monitor_checks.status', '=', 'running')
    .where('monitor_checks.updated_at', '<', sql<Date>`now() - make_interval(secs => ${idleMs / 1000})`)
    .orderBy('monitor_checks.updated_at')
    .limit(MAX_IDLE_CHECKS)
    .execute();
}

/** Records that a check makes progress. */
export async function touchCheck(db: Database, id: string): Promise<void> {
  await db.query
    .updateTable('monitor_checks')
    .set({ updated_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('status', '=', 'running')
    .execute();
}
