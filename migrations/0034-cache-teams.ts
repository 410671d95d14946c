import { type Kysely, sql } from 'kysely';

/**
 * Copies in the cache belong to teams. A copy from before belongs to the only team; where there are several,
 * nobody knows whose it is, so it is found only where teams share the cache.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows: teams } = await sql<{ id: string }>`select id from teams limit 2`.execute(db);
  const owner = teams.length === 1 ? sql.lit(teams[0]!.id) : sql`null`;
  // A default fills the rows that exist without writing them.
  await sql`alter table cache_entries add column team_id uuid default ${owner}`.execute(db);
  await sql`alter table cache_entries alter column team_id drop default`.execute(db);
  await sql`
    alter table cache_entries add foreign key (team_id) references teams on delete cascade`.execute(db);
  // Not unique: two copies that were fetched in the same millisecond are both kept.
  await sql`alter table cache_entries drop constraint cache_entries_pkey`.execute(db);
  await sql`create index cache_entries_of_team on cache_entries (team_id, key, fetched_at)`.execute(db);
  await sql`create index cache_entries_of_all on cache_entries (key, fetched_at)`.execute(db);
}
