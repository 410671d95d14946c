import { type Kysely, sql } from 'kysely';

/** Skipped URLs that lists of errors name are found by their id. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create unique index blocked_urls_id on blocked_urls (id) where code is not null`.execute(db);
}
