import { type Kysely, sql } from 'kysely';

/** The open requests of each page worker at a host, and the scrapes that wait for a slot of a team. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table host_leases
      -- number of requests that the page worker has open at the host
      add column taken integer not null default 0,
      -- the page worker takes more pages; otherwise others may use the rest of its share
      add column wants boolean not null default true`.execute(db);
  // Scrapes and maps that wait for a slot; batches and crawls leave the next one to them. May be lost in a
  // crash.
  await sql`
    create unlogged table slot_waits (
      team_id uuid not null,
      holder text not null,
      expires_at timestamptz not null,
      primary key (team_id, holder)
    )`.execute(db);
}
