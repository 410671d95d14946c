import { type Kysely, sql } from 'kysely';

/** In how many checks in a row a page could not be read, and whether an event has told it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table monitor_pages
      add column failures integer not null default 0,
      add column is_failure_told boolean not null default false`.execute(db);
}
