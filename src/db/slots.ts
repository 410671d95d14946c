import { sql } from 'kysely';
import type { Database } from './client.ts';

/** How long a lease holds without renewal. */
export const SLOT_LEASE_SECONDS = 30;

const expiry = sql<Date>`now() + make_interval(secs => ${SLOT_LEASE_SECONDS})`;

/**
 * Takes one of a team's slots, a lease that its holder renews. The key (team, ordinal) makes the limit exact: of two
 * that try for the same free ordinal one gets nothing, and may try again.
 * @returns whether a slot was taken
 */
export async function acquireSlot(
  db: Database,
  slot: { teamId: string; holder: string; limit: number },
): Promise<boolean> {
  const { rows } = await sql`
    insert into slots (team_id, ordinal, holder, expires_at)
    select ${slot.teamId}, free.ordinal, ${slot.holder}, ${expiry}
    from (
      select ordinal from generate_series(1, ${slot.limit}::int) as ordinals (ordinal)
      where not exists (
        select from slots
        where team_id = ${slot.teamId} and slots.ordinal = ordinals.ordinal and expires_at > now()
      )
        and ${slot.limit} > (
          select count(*) from slots where team_id = ${slot.teamId} and expires_at > now()) + (
          select count(*) from pages where team_id = ${slot.teamId} and status = 'claimed')
      order by random() limit 1
    ) as free
    on conflict (team_id, ordinal) do update
      set holder = excluded.holder, expires_at = excluded.expires_at
      where slots.expires_at <= now()
    returning ordinal`.execute(db.query);
  return rows.length > 0;
}

/** Extends a lease. */
export async function renewSlot(db: Database, teamId: string, holder: string): Promise<void> {
  await db.query
    .updateTable('slots')
    .set({ expires_at: expiry })
    .where('team_id', '=', teamId)
    .where('holder', '=', holder)
    .execute();
}

/** Gives a slot back. */
export async function releaseSlot(db: Database, teamId: string, holder: string): Promise<void> {
  await db.query.deleteFrom('slots').where('team_id', '=', teamId).where('holder', '=', holder).execute();
}

/** How many of a team's slots are taken now: by scrapes, and by pages of its batches and crawls. */
export async function countSlots(db: Database, teamId: string): Promise<number> {
  const { rows } = await sql<{ taken: number }>`
    select ((select count(*) from slots where team_id = ${teamId} and expires_at > now())
      + (select count(*) from pages where team_id = ${teamId} and status = 'claimed'))::int as taken`.execute(
    db.query,
  );
  return rows[0]?.taken ?? 0;
}
