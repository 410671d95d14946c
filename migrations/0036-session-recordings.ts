import { type Kysely, sql } from 'kysely';

/** Whether a session is recorded, and where its recording is: the key of a blob, once it has ended. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table browser_sessions
    add column is_recorded boolean not null default false,
    add column recording text`.execute(db);
}
