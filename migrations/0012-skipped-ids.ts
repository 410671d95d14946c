import { type Kysely, sql } from 'kysely';

/** An index to find skipped home pages of other sites by their ids in the list of errors. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create unique index blocked_urls_id on blocked_urls (id) where code is not null`.execute(db);
}
