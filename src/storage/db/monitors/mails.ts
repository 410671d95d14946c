import { type Selectable, sql } from 'kysely';
import { nextRunAfter } from '../../../schedules/recurrence.ts';
import type { MonitorNotification } from '../../../schemas/monitor.ts';
import { arrayParameter, type Database, type Queryable } from '../client.ts';
import type { Tables } from '../tables.ts';
import type { StoredMonitor } from './monitors.ts';
import { IS_NEWS } from './news.ts';
import { recipientsOf } from './subscriptions.ts';

/** A mail as it is stored. */
export type StoredMail = Selectable<Tables['monitor_mails']>;

/** Minutes within which a mail that was claimed is sent, or its process has died. */
const LEASE_MINUTES = 2;
/** Days that mails are kept. */
const KEPT_DAYS = 30;

/** When the news of a digest are sent that a check finds now. */
function dueTimeOf({ notification, timezone }: StoredMonitor): Date {
  // The API validated it before it was stored.
  const { digest } = (notification as MonitorNotification | null)?.email ?? {};
  const cron = { hourly: '0 * * * *', daily: '0 8 * * *', immediate: undefined }[digest ?? 'immediate'];
  return (cron && nextRunAfter({ cron, timezone })) || new Date();
}

/**
 * Stores mails for the news of a check, one for each recipient that has confirmed. A mail that is not due yet tells
 * of this check too.
 * @returns whether there is a mail
 */
export async function addNewsMails(
  query: Queryable,
  monitor: StoredMonitor,
  checkId: string,
): Promise<boolean> {
  const recipients = recipientsOf(monitor);
  if (recipients.length === 0 || monitor.status === 'deleted') return false;
  const { rows } = await sql`
    with wanted as (
      select email from monitor_subscriptions
      where monitor_id = ${monitor.id} and status = 'confirmed' and email = any(${arrayParameter(recipients, 'text')})
        and exists (select from monitor_pages where check_id = ${checkId} and ${IS_NEWS})
    ), open as (
      select id, recipient from monitor_mails
      where monitor_id = ${monitor.id} and kind = 'news' and status = 'pending' and attempts = 0
        and due_at > clock_timestamp() and recipient in (select email from wanted)
      for update
    ), fresh as (
      insert into monitor_mails (monitor_id, team_id, kind, recipient, due_at)
      select ${monitor.id}, ${monitor.team_id}, 'news', email, ${dueTimeOf(monitor)}::timestamptz
      from wanted where email not in (select recipient from open)
      returning id
    )
    insert into monitor_mail_checks (mail_id, check_id)
    select id, ${checkId}::uuid from open union all select id, ${checkId}::uuid from fresh
    returning mail_id`.execute(query);
  return rows.length > 0;
}

/** The most mails that are sent on behalf of a team. */
export interface MailLimit {
  perHour: number;
}

/**
 * Claims a mail of a monitor that is due, so that no other process sends it meanwhile. Mails that nobody wants any
 * more are cancelled, and while the team has sent as many as it may, none is due.
 */
export async function claimDueMail(
  db: Database,
  monitorId: string,
  { perHour }: MailLimit,
): Promise<StoredMail | undefined> {
  return db.query.transaction().execute(async (query) => {
    // Processes that send mails of the team count them one after the other.
    await sql`select pg_advisory_xact_lock(hashtextextended('mails ' || team_id, 0)) from monitors
      where id = ${monitorId}`.execute(query);
    await sql`
      update monitor_mails as mail set status = 'cancelled' from monitors
      where monitor_id = ${monitorId} and monitors.id = monitor_id and mail.status = 'pending'
        and mail.due_at <= clock_timestamp() and (monitors.status = 'deleted' or not exists (
          select from monitor_subscriptions as own
          where own.monitor_id = mail.monitor_id and own.email = mail.recipient
            and own.status = case mail.kind when 'news' then 'confirmed' else 'pending' end
            and coalesce((notification -> 'email' ->> 'enabled')::boolean, false)
            and notification -> 'email' -> 'recipients' ? own.email))`.execute(query);
    const held = await sql<{ until: Date }>`
      select min(last_attempt_at) + interval '1 hour' as until from monitor_mails
      where team_id = (select team_id from monitors where id = ${monitorId})
        and last_attempt_at > clock_timestamp() - interval '1 hour'
      having count(*) >= ${perHour}`.execute(query);
    const until = held.rows[0]?.until;
    if (until) {
      await sql`update monitor_mails set due_at = ${until}
        where monitor_id = ${monitorId} and status = 'pending' and due_at <= clock_timestamp()`.execute(
        query,
      );
      return undefined;
    }
    const { rows } = await sql<StoredMail>`
      update monitor_mails set attempts = attempts + 1, last_attempt_at = clock_timestamp(),
        due_at = clock_timestamp() + make_interval(mins => ${LEASE_MINUTES})
      where id = (
        select id from monitor_mails
        where monitor_id = ${monitorId} and status = 'pending' and due_at <= clock_timestamp()
        order by due_at limit 1 for update skip locked)
      returning *`.execute(query);
    return rows[0];
  });
}

/** How an attempt to send a mail went. */
export interface MailAttempt {
  id: string;
  status: 'sent' | 'failed' | 'cancelled' | 'pending';
  error: string | null;
  /** Milliseconds until the next attempt. */
  retryInMs?: number | undefined;
}

/** Records an attempt. A mail that is not pending any more stays unchanged. */
export async function recordMail(db: Database, attempt: MailAttempt): Promise<void> {
  await db.query
    .updateTable('monitor_mails')
    .set({
      status: attempt.status,
      last_error: attempt.error,
      due_at: sql<Date>`clock_timestamp() + make_interval(secs => ${(attempt.retryInMs ?? 0) / 1000})`,
    })
    .where('id', '=', attempt.id)
    .where('status', '=', 'pending')
    .execute();
}

/** The mails of a monitor that are to be sent. */
export interface PendingMails {
  open: number;
  /** Milliseconds until the next one is due, at least 0; `undefined` if there is none. */
  nextDueInMs: number | undefined;
}

/** Reads how many mails of a monitor are to be sent, and when. */
export async function readPendingMails(db: Database, monitorId: string): Promise<PendingMails> {
  const { rows } = await sql<{ open: number; due: number | null }>`
    select count(*)::int as open,
      (extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as due
    from monitor_mails where monitor_id = ${monitorId} and status = 'pending'`.execute(db.query);
  const { open, due } = rows[0]!;
  return { open, nextDueInMs: due === null ? undefined : Math.max(0, Math.ceil(due)) };
}

const MAX_LATE_MONITORS = 50;

/** Lists monitors with mails that have been due for more than `lateMs` milliseconds. */
export async function listMonitorsWithLateMails(db: Database, lateMs: number): Promise<string[]> {
  const rows = await db.query
    .selectFrom('monitor_mails')
    .select('monitor_id')
    .distinct()
    .where('status', '=', 'pending')
    .where('due_at', '<', sql<Date>`now() - make_interval(secs => ${lateMs / 1000})`)
    .limit(MAX_LATE_MONITORS)
    .execute();
  return rows.map(({ monitor_id }) => monitor_id);
}

/** Deletes old mails, whatever became of them. */
export async function deleteOldMails(db: Database): Promise<void> {
  await db.query
    .deleteFrom('monitor_mails')
    .where('created_at', '<', sql<Date>`now() - make_interval(days => ${KEPT_DAYS})`)
    .execute();
}

/** The numbers of mails of a check by state. */
export type MailCounts = Record<'pending' | 'sent' | 'failed', number>;

/** Counts the mails that tell of checks, by check. Checks without mails are absent. */
export async function countMails(
  db: Database,
  checkIds: readonly string[],
): Promise<Map<string, MailCounts>> {
  if (checkIds.length === 0) return new Map();
  const rows = await db.query
    .selectFrom('monitor_mail_checks')
    .innerJoin('monitor_mails', 'monitor_mails.id', 'mail_id')
    .select((select) => [
      'check_id',
      ...(['pending', 'sent', 'failed'] as const).map((status) =>
        select.fn.countAll<number>().filterWhere('status', '=', status).as(status),
      ),
    ])
    .where('check_id', 'in', [...checkIds])
    .groupBy('check_id')
    .execute();
  return new Map(rows.map(({ check_id, ...counts }) => [check_id, counts]));
}
