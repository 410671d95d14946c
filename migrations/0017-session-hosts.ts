import { type Kysely, sql } from 'kysely';

/** Where the workers with the role `sessions` are reached. Null for workers without that role. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table workers
      -- the URL of the worker inside the cluster
      add column host_url text,
      -- the task queue of its process alone
      add column host_queue text`.execute(db);
}
