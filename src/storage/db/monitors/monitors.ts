import { type Selectable, sql, type Updateable } from 'kysely';
import { ServiceError } from '../../../errors.ts';
import type { Database, Queryable } from '../client.ts';
import type { Tables } from '../tables.ts';
import { lockCredits } from '../teams/available-credits.ts';

/** A monitor as it is stored. */
export type StoredMonitor = Selectable<Tables['monitors']>;
/** Settings of a monitor that a request changes. */
export type MonitorChange = Pick<
  Updateable<Tables['monitors']>,
  | 'name'
  | 'tags'
  | 'status'
  | 'cron'
  | 'timezone'
  | 'runs_per_month'
  | 'targets'
  | 'webhook'
  | 'notification'
  | 'retention_days'
  | 'goal'
  | 'judge_enabled'
  | 'check_credits'
>;

/** A monitor that is not stored yet. */
export type NewMonitor = Required<Omit<MonitorChange, 'status'>> &
  Pick<StoredMonitor, 'id' | 'team_id' | 'api_key_id' | 'base_url'>;

/**
 * Stores a monitor. Its schedule must be created only afterwards.
 * @param max monitors that the team may have
 * @throws ServiceError `MONITOR_LIMIT_REACHED`
 */
export async function insertMonitor(
  query: Queryable,
  monitor: NewMonitor,
  max: number,
): Promise<StoredMonitor> {
  // Requests of the team at the same moment are counted one after the other.
  await lockCredits(query, monitor.team_id);
  const { count } = await query
    .selectFrom('monitors')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('team_id', '=', monitor.team_id)
    .where('status', '<>', 'deleted')
    .executeTakeFirstOrThrow();
  if (count >= max)
    throw new ServiceError(
      'MONITOR_LIMIT_REACHED',
      `The team has ${count} monitors, and at most ${max} are allowed. Delete one that is not needed, or watch several pages by one monitor.`,
    );
  // The types of the columns are those of the table, each of which a request sets.
  return query
    .insertInto('monitors')
    .values(monitor as never)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Finds a monitor of a team; `undefined` if it has none with this id, or has deleted it. */
export async function findMonitor(
  { query }: Pick<Database, 'query'>,
  { id, teamId }: { id: string; teamId: string },
): Promise<StoredMonitor | undefined> {
  return query
    .selectFrom('monitors')
    .selectAll()
    .where('id', '=', id)
    .where('team_id', '=', teamId)
    .where('status', '<>', 'deleted')
    .executeTakeFirst();
}

/** Reads a monitor, whatever its state; `undefined` if there is none. */
export async function readMonitor(db: Database, id: string): Promise<StoredMonitor | undefined> {
  return db.query.selectFrom('monitors').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Lists the monitors of a team, newest first. @param part.tag only those with this tag */
export async function listMonitors(
  db: Database,
  { teamId, tag, limit, offset }: { teamId: string; tag?: string | undefined; limit: number; offset: number },
): Promise<StoredMonitor[]> {
  let query = db.query
    .selectFrom('monitors')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('status', '<>', 'deleted');
  if (tag !== undefined) query = query.where(sql<boolean>`${tag} = any(tags)`);
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).offset(offset).execute();
}

/** Lists the tags of the monitors of a team, and how many monitors have each. */
export async function listTags(
  { query }: Pick<Database, 'query'>,
  teamId: string,
): Promise<{ tag: string; monitors: number }[]> {
  const { rows } = await sql<{ tag: string; monitors: number }>`
    select tag, count(*)::int as monitors from monitors, unnest(tags) as tag
    where team_id = ${teamId} and status <> 'deleted' group by tag order by tag`.execute(query);
  return rows;
}

/**
 * Changes a monitor, and marks that its schedule has to follow.
 * @returns `undefined` if the team has no such monitor
 */
export async function changeMonitor(
  { query }: Pick<Database, 'query'>,
  { id, teamId }: { id: string; teamId: string },
  change: MonitorChange,
): Promise<StoredMonitor | undefined> {
  return query
    .updateTable('monitors')
    .set({ ...change, is_scheduled: false, updated_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('team_id', '=', teamId)
    .where('status', '<>', 'deleted')
    .returningAll()
    .executeTakeFirst();
}

/**
 * Gives the feed of a monitor another URL, so that the one before is valid no longer.
 * @returns `undefined` if the team has no such monitor
 */
export async function replaceFeed(
  { query }: Pick<Database, 'query'>,
  { id, teamId }: { id: string; teamId: string },
): Promise<StoredMonitor | undefined> {
  return query
    .updateTable('monitors')
    .set({ feed_version: sql<number>`feed_version + 1` })
    .where('id', '=', id)
    .where('team_id', '=', teamId)
    .where('status', '<>', 'deleted')
    .returningAll()
    .executeTakeFirst();
}

/** Marks that the schedule of a monitor has its settings, unless they were changed meanwhile. */
export async function markScheduled(
  db: Database,
  { id, updated_at }: Pick<StoredMonitor, 'id' | 'updated_at'>,
): Promise<void> {
  await db.query
    .updateTable('monitors')
    .set({ is_scheduled: true })
    .where('id', '=', id)
    // JavaScript has the time in milliseconds only.
    .where(sql<boolean>`date_trunc('milliseconds', updated_at) = ${updated_at}`)
    .execute();
}

/**
 * Lists monitors whose schedules do not have their settings, by id.
 * @param after the last id of the part before; the empty text for the first part
 */
export async function listUnscheduled(
  db: Database,
  { after, limit }: { after: string; limit: number },
): Promise<StoredMonitor[]> {
  let query = db.query.selectFrom('monitors').selectAll().where('is_scheduled', '=', false);
  if (after) query = query.where('id', '>', after);
  return query.orderBy('id').limit(limit).execute();
}

/** Lists the ids of all monitors that need a schedule: all that are not deleted. */
export async function listScheduledIds(db: Database): Promise<string[]> {
  const rows = await db.query
    .selectFrom('monitors')
    .select('id')
    .where('status', '<>', 'deleted')
    .where('is_scheduled', '=', true)
    .execute();
  return rows.map(({ id }) => id);
}

/** Counts the monitors that have a schedule, as {@link listScheduledIds} lists them. */
export async function countScheduled(db: Database): Promise<number> {
  const { count } = await db.query
    .selectFrom('monitors')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('status', '<>', 'deleted')
    .where('is_scheduled', '=', true)
    .executeTakeFirstOrThrow();
  return count;
}

/** Marks that the schedules of monitors are lost. */
export async function markUnscheduled(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.query
    .updateTable('monitors')
    .set({ is_scheduled: false })
    .where('id', 'in', [...ids])
    .execute();
}

/** Deletes the rows of deleted monitors whose last check has expired. */
export async function deleteGoneMonitors(db: Database): Promise<void> {
  await db.query
    .deleteFrom('monitors')
    .where('status', '=', 'deleted')
    .where('is_scheduled', '=', true)
    .where(({ exists, not, selectFrom }) =>
      not(exists(selectFrom('monitor_checks').select('id').whereRef('monitor_id', '=', 'monitors.id'))),
    )
    .execute();
}
