import { type Kysely, sql } from 'kysely';

/**
 * The running workers with their roles. May be lost in a crash of the database, because workers report every
 * few seconds.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create unlogged table workers (
      id uuid primary key,
      -- a role of WINNOW_WORKER_ROLES
      roles text[] not null,
      seen_at timestamptz not null default now()
    )`.execute(db);
}
