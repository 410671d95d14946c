import { type Kysely, sql } from 'kysely';

/** Teams, keys, jobs, results, the credit ledger, slots, cache and rate limits. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table teams (
      id uuid primary key default gen_random_uuid(),
      name text not null unique,
      -- null is unlimited
      credits_remaining bigint,
      credits_planned bigint,
      rate_limit_per_minute integer not null default 5000,
      concurrency integer not null default 50,
      created_at timestamptz not null default now()
    )`.execute(db);
  await sql`
    create table api_keys (
      id uuid primary key default gen_random_uuid(),
      team_id uuid not null references teams on delete cascade,
      name text not null,
      -- sha256 of the key; the key itself is never stored
      hash bytea not null unique,
      hint text not null,
      created_at timestamptz not null default now(),
      revoked_at timestamptz,
      unique (team_id, name)
    )`.execute(db);
  await sql`
    create table jobs (
      id uuid primary key,
      team_id uuid not null references teams on delete cascade,
      api_key_id uuid references api_keys on delete set null,
      kind text not null,
      target text,
      request jsonb not null,
      status text not null default 'scraping' check (status in ('scraping', 'completed', 'failed', 'cancelled')),
      error jsonb,
      credits integer not null default 0,
      created_at timestamptz not null default now(),
      finished_at timestamptz,
      expires_at timestamptz not null
    )`.execute(db);
  await sql`create index jobs_activity on jobs (team_id, created_at desc, id desc)`.execute(db);
  await sql`create index jobs_open on jobs (team_id) where status = 'scraping'`.execute(db);
  await sql`create index jobs_expiry on jobs (expires_at)`.execute(db);
  await sql`
    create table results (
      job_id uuid not null references jobs on delete cascade,
      ordinal integer not null,
      blob text not null,
      primary key (job_id, ordinal)
    )`.execute(db);
  await sql`
    create table credit_entries (
      job_id uuid not null,
      ordinal integer not null,
      team_id uuid not null references teams on delete cascade,
      api_key_id uuid references api_keys on delete set null,
      credits integer not null,
      created_at timestamptz not null default now(),
      -- unique, so that an activity that ran twice is billed once
      primary key (job_id, ordinal)
    )`.execute(db);
  await sql`create index credit_entries_usage on credit_entries (team_id, created_at)`.execute(db);
  // Leases that their holders renew. Unlogged, because they may be lost in a crash of the database.
  await sql`
    create unlogged table slots (
      team_id uuid not null references teams on delete cascade,
      ordinal integer not null,
      holder text not null,
      expires_at timestamptz not null,
      primary key (team_id, ordinal)
    )`.execute(db);
  await sql`
    create table cache_entries (
      key bytea not null,
      fetched_at timestamptz not null,
      blob text not null,
      primary key (key, fetched_at)
    )`.execute(db);
  // The schema that rate-limiter-flexible expects. Unlogged, because the counters of a minute may be lost in
  // a crash.
  await sql`
    create unlogged table rate_limits (
      key varchar(255) primary key,
      points integer not null default 0,
      expire bigint
    )`.execute(db);
}
