import { type Kysely, sql } from 'kysely';

/** The visitor that sites see in a session, as its options are. Null for sessions of before, which had none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table browser_sessions add column visitor jsonb`.execute(db);
}
