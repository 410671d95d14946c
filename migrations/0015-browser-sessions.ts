import { type Kysely, sql } from 'kysely';

/** Browser sessions. Each also has a row in `jobs`, for the list of activity and the ledger. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table teams add column sessions integer not null default 20`.execute(db);
  await sql`
    create table browser_sessions (
      id uuid primary key references jobs on delete cascade,
      team_id uuid not null references teams on delete cascade,
      -- the scrape that the session continues; null for a session of its own
      scrape_id uuid unique,
      state text not null default 'creating' check (state in ('creating', 'active', 'destroyed')),
      -- why the session ended: ttl, idle, deleted, crashed, shutdown, lost or failed
      end_reason text,
      -- from which the secrets of its URLs are derived, together with the key of the service
      salt bytea not null,
      ttl_seconds integer not null,
      activity_ttl_seconds integer not null,
      stream_web_view boolean not null,
      profile text,
      saves_profile boolean not null default false,
      -- the URL of the host process inside the cluster; null until the browser runs
      host text,
      -- whether a prompt was used, which has another price
      prompted boolean not null default false,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      -- when the browser could be used; the price is counted from here
      opened_at timestamptz,
      last_activity_at timestamptz not null default now(),
      ended_at timestamptz
    )`.execute(db);
  await sql`create index browser_sessions_team on browser_sessions (team_id, created_at)`.execute(db);
  await sql`create index browser_sessions_open on browser_sessions (team_id) where state <> 'destroyed'`.execute(
    db,
  );
}
