import { type Kysely, sql } from 'kysely';

/** The screenshot of a page that the next check is compared with. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table monitor_pages add column screenshot text`.execute(db);
}
