import { type Kysely, sql } from 'kysely';

/** The credits that a running request is expected to cost, or each page of a running batch or crawl. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs add column reserved integer not null default 1`.execute(db);
}
