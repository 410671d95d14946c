import { type Kysely, sql } from 'kysely';

/** Finds the home pages of other sites that a crawl skipped by the ids that its errors list them with. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create unique index blocked_urls_id on blocked_urls (id) where code is not null`.execute(db);
}
