import { type Kysely, sql } from 'kysely';

/** Results of jobs that are small enough to be stored in the database, compressed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table results add column small bytea`.execute(db);
  // Postgres would try to compress it once more.
  await sql`alter table results alter column small set storage external`.execute(db);
}
