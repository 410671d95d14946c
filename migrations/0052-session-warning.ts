import { type Kysely, sql } from 'kysely';

/** What the start of a session warned of, which a repeated request is told, too. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table browser_sessions add column warning text`.execute(db);
}
