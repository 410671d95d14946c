import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../client.ts';

/** Seconds after which the lease of a slot expires if its holder does not renew it. */
export const SLOT_LEASE_SECONDS = 30;

const expiry = sql<Date>`now() + make_interval(secs => ${SLOT_LEASE_SECONDS})`;

/** Seconds after which a job no longer counts as waiting for a slot, unless it tries again. */
const WAIT_SECONDS = 3;

/** The request of a job for one of its team's slots. */
export interface SlotRequest {
  teamId: string;
  /** The job that takes the slot. */
  holder: string;
  /** The concurrency of the team. */
  limit: number;
}

/** `held` if an earlier attempt of the same job had the slot already; `undefined` if no slot is free. */
export type SlotLease = 'taken' | 'held' | undefined;

/**
 * The call of the database function that takes one of a team's slots as a lease, which the holder must renew,
 * or extends the lease that the holder already has. It locks the team's row first. Claiming pages of the
 * team's batches and crawls takes the same lock, so that together they never exceed the limit. A job that
 * gets no slot counts as waiting for a few seconds, during which batches and crawls of the team leave a slot
 * free for it.
 * @param slot columns or values of types `uuid`, `text` and `integer`
 */
export const takeSlot = (slot: Record<keyof SlotRequest, RawBuilder<unknown>>) =>
  sql<Exclude<SlotLease, undefined> | null>`take_slot(${slot.teamId}, ${slot.holder}, ${slot.limit},
    make_interval(secs => ${SLOT_LEASE_SECONDS}), make_interval(secs => ${WAIT_SECONDS}))`;

/** Takes one of a team's slots, as {@link takeSlot} describes it. */
export async function acquireSlot(db: Database, { teamId, holder, limit }: SlotRequest): Promise<SlotLease> {
  const lease = takeSlot({
    teamId: sql`${teamId}::uuid`,
    holder: sql`${holder}::text`,
    limit: sql`${limit}::integer`,
  });
  const { rows } = await sql<{ lease: SlotLease | null }>`select ${lease} as lease`.execute(db.query);
  return rows[0]?.lease ?? undefined;
}

/** Ends the wait for a slot, with or without one. */
export async function endSlotWait(db: Database, teamId: string, holder: string): Promise<void> {
  await db.query
    .deleteFrom('slot_waits')
    .where('team_id', '=', teamId)
    .where('holder', '=', holder)
    .execute();
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

/** Counts the slots of a team that are in use, by scrapes and by pages of its batches and crawls. */
export async function countSlots(db: Database, teamId: string): Promise<number> {
  const { rows } = await sql<{ taken: number }>`
    select ((select count(*) from slots where team_id = ${teamId} and expires_at > now())
      + (select count(*) from pages where team_id = ${teamId} and status = 'claimed'))::int as taken`.execute(
    db.query,
  );
  return rows[0]?.taken ?? 0;
}
