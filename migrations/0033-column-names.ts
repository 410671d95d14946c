import { type Kysely, sql } from 'kysely';

/** Names of columns and a table as the code calls what they hold. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs rename column seal to wrapped_key`.execute(db);
  await sql`alter table pages rename column lane to page_worker`.execute(db);
  await sql`alter table host_leases rename column lane to page_worker`.execute(db);
  await sql`alter table kept_scrapes rename to open_scrape_pages`.execute(db);
}
