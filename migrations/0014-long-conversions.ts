import { type Kysely, sql } from 'kysely';

/**
 * Scrapes of documents that continue after the timeout of their requests, so that a repeated request can join
 * them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table long_conversions (
      job_id uuid primary key references jobs on delete cascade,
      team_id uuid not null references teams on delete cascade,
      -- SHA-256 of the request without its timeout
      fingerprint bytea not null,
      started_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index long_conversions_fingerprint on long_conversions (team_id, fingerprint)`.execute(db);
}
