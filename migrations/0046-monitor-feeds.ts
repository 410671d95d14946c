import { type Kysely, sql } from 'kysely';

/** The feed of a monitor gets another URL without a change of anything else. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table monitors
      -- how often the URL of the feed was replaced
      add column feed_version integer not null default 0`.execute(db);
}
