import { type Kysely, sql } from 'kysely';

/** Pages of scrapes that a host keeps open for a minute, so that a session can take them over. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table kept_scrapes (
      scrape_id uuid primary key references jobs on delete cascade,
      -- the task queue of the host
      queue text not null,
      expires_at timestamptz not null
    )`.execute(db);
}
