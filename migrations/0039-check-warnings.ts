import { type Kysely, sql } from 'kysely';

/** What a check of a monitor could not do as its settings want it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table monitor_checks add column warning text`.execute(db);
}
