import { type Kysely, sql } from 'kysely';

/** Batches and crawls: pages, counters, webhooks, limits per host, idempotency keys. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table teams add column webhook_secret text`.execute(db);
  await sql`update teams set webhook_secret = replace(gen_random_uuid() || '' || gen_random_uuid(), '-', '')`.execute(
    db,
  );
  await sql`alter table jobs add column webhook jsonb, add column base_url text`.execute(db);
  // Milliseconds, as in the cursor of the activity list, so that the list can use the index.
  await sql`alter table jobs alter column created_at type timestamptz(3)`.execute(db);
  // A separate table from jobs, because each group of pages updates it: its rows are narrow and can be
  // updated in place.
  await sql`
    create table job_progress (
      job_id uuid primary key references jobs on delete cascade,
      team_id uuid not null references teams on delete cascade,
      -- the URL of the start page of a crawl after redirects
      base text,
      -- null: unlimited
      page_limit integer,
      -- null: the team's limit
      max_concurrency integer,
      delay_ms integer,
      paused boolean not null default false,
      -- sitemaps are being read, so pages may be added even if no page is open
      discovering boolean not null default false,
      -- number of rows in pages, without aliases
      known integer not null default 0,
      -- number of pages that were ever claimed
      admitted integer not null default 0,
      completed integer not null default 0,
      failed integer not null default 0,
      -- number of claimed pages that turned out to be the same as another page
      dropped integer not null default 0,
      credits integer not null default 0,
      -- total size of all documents as JSON
      bytes bigint not null default 0,
      -- facts for the warning of the job, by kind
      notes jsonb not null default '{}',
      next_claim_at timestamptz not null default now(),
      touched_at timestamptz not null default now()
    ) with (fillfactor = 50)`.execute(db);
  await sql`
    create table pages (
      job_id uuid not null references jobs on delete cascade,
      -- the order of discovery; negative for aliases, which are only another URL of a page
      ordinal integer not null,
      id uuid not null default gen_random_uuid(),
      team_id uuid not null,
      url text not null,
      -- the same for all URLs of the same page of a job; null in a batch, where each URL is a page
      url_key bytea,
      host text not null,
      depth smallint not null default 0,
      status text not null default 'pending'
        check (status in ('pending', 'claimed', 'completed', 'failed', 'dropped', 'alias')),
      -- claimed at least once, so that it counts towards the job's limit
      admitted boolean not null default false,
      -- number of requests for the page
      attempts smallint not null default 0,
      -- number of times that its page worker was lost
      losses smallint not null default 0,
      due_at timestamptz not null default now(),
      lane text,
      claimed_until timestamptz,
      -- the order of completion, from 1, without gaps
      position integer,
      blob text,
      -- total size of all documents up to and including this one, in bytes
      bytes_end bigint,
      error jsonb,
      finished_at timestamptz,
      primary key (job_id, ordinal)
    ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)`.execute(db);
  await sql`create unique index pages_key on pages (url_key) where url_key is not null`.execute(db);
  await sql`create index pages_pending on pages (job_id, host, ordinal) where status = 'pending'`.execute(db);
  await sql`create index pages_claimed on pages (team_id, job_id) where status = 'claimed'`.execute(db);
  await sql`create unique index pages_position on pages (job_id, position) where position is not null`.execute(
    db,
  );
  await sql`create index pages_failed on pages (job_id, ordinal) where status = 'failed'`.execute(db);
  await sql`create unique index pages_id on pages (id)`.execute(db);
  // Statistics of older jobs are misleading for a new one: with them, Postgres takes its part of an index for
  // empty.
  for (const column of ['job_id', 'team_id', 'status', 'host']) {
    await sql`alter table pages alter column ${sql.ref(column)} set statistics 0`.execute(db);
  }
  await sql`
    create table blocked_urls (
      job_id uuid not null references jobs on delete cascade,
      url text not null
    )`.execute(db);
  await sql`create unique index blocked_urls_once on blocked_urls (job_id, md5(url))`.execute(db);
  // The page workers that are using a host, and hosts that asked to slow down. Both may be lost in a crash of
  // the database.
  await sql`
    create unlogged table host_leases (
      host text not null,
      lane text not null,
      expires_at timestamptz not null,
      primary key (host, lane)
    )`.execute(db);
  await sql`
    create unlogged table host_pauses (
      host text primary key,
      until timestamptz not null,
      strikes smallint not null default 1,
      struck_at timestamptz not null default now()
    )`.execute(db);
  await sql`
    create table webhook_deliveries (
      id uuid primary key default gen_random_uuid(),
      job_id uuid not null references jobs on delete cascade,
      team_id uuid not null references teams on delete cascade,
      sequence bigint generated always as identity,
      -- such as crawl.page
      type text not null,
      -- the page that the event is about
      ordinal integer,
      error text,
      status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
      attempts smallint not null default 0,
      due_at timestamptz not null default now(),
      last_attempt_at timestamptz,
      response_status smallint,
      last_error text,
      created_at timestamptz(3) not null default now(),
      delivered_at timestamptz
    )`.execute(db);
  await sql`
    create index webhook_deliveries_first on webhook_deliveries (job_id, sequence)
    where status = 'pending' and attempts = 0`.execute(db);
  await sql`
    create index webhook_deliveries_again on webhook_deliveries (job_id, due_at)
    where status = 'pending' and attempts > 0`.execute(db);
  await sql`create index webhook_deliveries_list on webhook_deliveries (team_id, created_at desc, id desc)`.execute(
    db,
  );
  await sql`create index webhook_deliveries_job on webhook_deliveries (job_id)`.execute(db);
  await sql`
    create table idempotency_keys (
      team_id uuid not null references teams on delete cascade,
      key text not null,
      -- sha256 of the request
      request bytea not null,
      answer jsonb not null,
      created_at timestamptz not null default now(),
      primary key (team_id, key)
    )`.execute(db);
  await sql`create index cache_entries_age on cache_entries (fetched_at)`.execute(db);
}
