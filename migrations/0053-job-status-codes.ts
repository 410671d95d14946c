import { type Kysely, sql } from 'kysely';

/** The status with which the page of a scrape answered, by which jobs are listed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs add column status_code smallint`.execute(db);
}
