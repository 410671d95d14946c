import { type Kysely, sql } from 'kysely';

/**
 * The credits that a page of a running batch or crawl has reserved beyond what each page of the job is
 * expected to cost.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table pages add column extra_credits integer not null default 0`.execute(db);
}
