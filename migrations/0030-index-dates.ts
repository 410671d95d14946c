import { type Kysely, sql } from 'kysely';

/**
 * A page that is scraped again without a change only gets its new date in the index of `POST /v2/search`.
 * Postgres then leaves the indexes of the table as they are, the costly one of words among them, if no index
 * has the date and the row has room beside it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index indexed_pages_fetched_at`.execute(db);
  await sql`alter table indexed_pages set (fillfactor = 85)`.execute(db);
}
