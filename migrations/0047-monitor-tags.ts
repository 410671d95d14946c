import { type Kysely, sql } from 'kysely';

/** Monitors are grouped by tags. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table monitors add column tags text[] not null default '{}'`.execute(db);
}
