import { type Kysely, sql } from 'kysely';

/** How busy a worker is, which its operator wants to know. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table workers
      -- activities that run
      add column tasks integer not null default 0,
      -- processor time since the last report, as a number of cores
      add column cores real not null default 0,
      add column memory_bytes bigint not null default 0`.execute(db);
}
