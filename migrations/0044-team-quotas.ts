import { type Kysely, sql } from 'kysely';

/** What a team may keep and have open at once. Null is the default: no limit, or that of the service. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table teams
      -- batches, crawls, agents and extracts that have not ended
      add column open_jobs integer,
      add column monitors integer,
      -- results that have not expired, in MiB
      add column stored_megabytes integer`.execute(db);
}
