import { type Kysely, sql } from 'kysely';

/** The teams that may use zero data retention, and the keys of jobs that have it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table teams add column zero_data_retention boolean not null default false`.execute(db);
  await sql`update teams set zero_data_retention = true where name = 'default'`.execute(db);
  // Null: the job is not encrypted. Empty: it was, and its key and data are deleted.
  await sql`alter table jobs add column seal bytea`.execute(db);
}
