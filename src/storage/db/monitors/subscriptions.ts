import { sql } from 'kysely';
import type { MonitorNotification, SubscriptionStatus } from '../../../schemas/monitor.ts';
import { arrayParameter, type Database, type Queryable } from '../client.ts';
import type { StoredMonitor } from './monitors.ts';

/** A recipient of the mails of a monitor. */
export interface Subscription {
  email: string;
  status: SubscriptionStatus;
}

/** The recipients that a monitor names, none while it sends no mail. */
export function recipientsOf({ notification }: Pick<StoredMonitor, 'notification'>): string[] {
  // The API validated it before it was stored.
  const { email } = (notification ?? {}) as MonitorNotification;
  return email?.enabled ? [...new Set(email.recipients)] : [];
}

/**
 * Gives each recipient of a monitor a subscription. One that the team has not mailed before is asked by a mail;
 * one that has unsubscribed is asked again only if a request adds it again. At most one mail in a day asks a
 * recipient on behalf of a team.
 * @param earlier the recipients before the request
 */
export async function subscribeRecipients(
  query: Queryable,
  monitor: StoredMonitor,
  earlier: readonly string[],
): Promise<void> {
  const recipients = recipientsOf(monitor);
  if (recipients.length === 0) return;
  const added = recipients.filter((email) => !earlier.includes(email));
  await sql`
    insert into monitor_subscriptions (monitor_id, team_id, email, status)
    select ${monitor.id}, ${monitor.team_id}, email, case when exists (
        select from monitor_subscriptions as other where other.team_id = ${monitor.team_id}
          and other.email = recipient.email and other.status = 'confirmed') then 'confirmed' else 'pending' end
    from unnest(${arrayParameter(recipients, 'text')}) as recipient (email)
    on conflict (monitor_id, email) do update set status = 'pending'
      where monitor_subscriptions.status = 'unsubscribed'
        and excluded.email = any(${arrayParameter(added, 'text')})`.execute(query);
  await sql`
    with asked as (
      update monitor_subscriptions as own set asked_at = now()
      where monitor_id = ${monitor.id} and status = 'pending' and email = any(${arrayParameter(added, 'text')})
        and not exists (
          select from monitor_subscriptions as other where other.team_id = own.team_id
            and other.email = own.email and other.asked_at > now() - interval '1 day')
      returning email
    )
    insert into monitor_mails (monitor_id, team_id, kind, recipient)
    select ${monitor.id}, ${monitor.team_id}, 'confirmation', email from asked`.execute(query);
}

/** Lists the subscriptions of recipients that a monitor names. */
export async function listSubscriptions(db: Database, monitor: StoredMonitor): Promise<Subscription[]> {
  const recipients = recipientsOf(monitor);
  if (recipients.length === 0) return [];
  return db.query
    .selectFrom('monitor_subscriptions')
    .select(['email', 'status'])
    .where('monitor_id', '=', monitor.id)
    .where('email', 'in', recipients)
    .orderBy('email')
    .execute();
}

/**
 * Changes a subscription as its recipient wants it. Who confirms one confirms those that wait for it in other monitors of
 * the team too.
 * @returns the name of the monitor; `undefined` if there is no such subscription
 */
export async function changeSubscription(
  db: Database,
  { monitorId, email }: { monitorId: string; email: string },
  status: 'confirmed' | 'unsubscribed',
): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    with own as (
      update monitor_subscriptions set status = ${status}
      where monitor_id = ${monitorId} and email = ${email} returning team_id
    ), others as (
      update monitor_subscriptions as other set status = 'confirmed' from own
      where ${status} = 'confirmed' and other.team_id = own.team_id and other.email = ${email}
        and other.status = 'pending' and other.monitor_id <> ${monitorId}
    )
    select name from own, monitors where monitors.id = ${monitorId}`.execute(db.query);
  return rows[0]?.name;
}

/** Finds the name of a monitor that has a recipient; `undefined` if it has not. */
export async function findSubscribedMonitor(
  db: Database,
  { monitorId, email }: { monitorId: string; email: string },
): Promise<string | undefined> {
  const row = await db.query
    .selectFrom('monitor_subscriptions')
    .innerJoin('monitors', 'monitors.id', 'monitor_id')
    .select('name')
    .where('monitor_id', '=', monitorId)
    .where('email', '=', email)
    .executeTakeFirst();
  return row?.name;
}
