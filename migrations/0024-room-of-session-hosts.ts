import { type Kysely, sql } from 'kysely';

/** Whether a worker with the role `sessions` had memory for another session when it last reported. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table workers add column has_room boolean not null default true`.execute(db);
}
