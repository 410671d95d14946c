import { type Kysely, sql } from 'kysely';

/** Which workers poll, and for what; a crash of the database may forget it, as they say it again every few seconds. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create unlogged table workers (
      id uuid primary key,
      -- of WINNOW_WORKER_ROLES
      roles text[] not null,
      seen_at timestamptz not null default now()
    )`.execute(db);
}
