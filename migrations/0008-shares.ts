import { type Kysely, sql } from 'kysely';

/** How many requests each lane has open at a host, and who waits for a slot of a team. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table host_leases
      -- requests that the lane has open there
      add column taken integer not null default 0,
      -- the lane takes on more pages; one that only finishes those it has leaves the rest of its share to others
      add column wants boolean not null default true`.execute(db);
  // Scrapes and maps that wait for a slot: batches and crawls leave the next one to them. A crash may forget it.
  await sql`
    create unlogged table slot_waits (
      team_id uuid not null,
      holder text not null,
      expires_at timestamptz not null,
      primary key (team_id, holder)
    )`.execute(db);
}
