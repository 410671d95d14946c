import { type Kysely, sql } from 'kysely';

/** What each check has read of a page: its text, so that any two can be compared, and the values of its data. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table monitor_pages
      add column version text,
      add column data_values jsonb`.execute(db);
}
