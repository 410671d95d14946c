import { type Kysely, sql } from 'kysely';

/** Batches and crawls: their pages, counters and webhooks, politeness towards hosts, idempotency keys. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table teams add column webhook_secret text`.execute(db);
  await sql`update teams set webhook_secret = replace(gen_random_uuid() || '' || gen_random_uuid(), '-', '')`.execute(
    db,
  );
  await sql`alter table jobs add column webhook jsonb, add column base_url text`.execute(db);
  // Milliseconds, as the cursor of the activity list has them: the index then serves its order.
  await sql`alter table jobs alter column created_at type timestamptz(3)`.execute(db);
  // Apart from jobs, because it changes with every group of pages: narrow, and with room to change in place.
  await sql`
    create table job_progress (
      job_id uuid primary key references jobs on delete cascade,
      team_id uuid not null references teams on delete cascade,
      -- where a crawl is: the address that its start answered from
      base text,
      -- null: as many as there are
      page_limit integer,
      -- null: what the team may
      max_concurrency integer,
      delay_ms integer,
      paused boolean not null default false,
      -- pages may still come from elsewhere than pages: sitemaps are being read
      discovering boolean not null default false,
      -- rows in pages that are pages of their own
      known integer not null default 0,
      -- pages that were ever claimed
      admitted integer not null default 0,
      completed integer not null default 0,
      failed integer not null default 0,
      -- claimed, but the same as another page after all
      dropped integer not null default 0,
      credits integer not null default 0,
      -- of all documents, as they are answered
      bytes bigint not null default 0,
      -- what a warning may tell, by its kind
      notes jsonb not null default '{}',
      next_claim_at timestamptz not null default now(),
      touched_at timestamptz not null default now()
    ) with (fillfactor = 50)`.execute(db);
  await sql`
    create table pages (
      job_id uuid not null references jobs on delete cascade,
      -- the order of discovery; below zero: only another address of a page
      ordinal integer not null,
      id uuid not null default gen_random_uuid(),
      team_id uuid not null,
      url text not null,
      -- what addresses of the same page of a job share, and of no other; null in a batch, where each one counts
      url_key bytea,
      host text not null,
      depth smallint not null default 0,
      status text not null default 'pending'
        check (status in ('pending', 'claimed', 'completed', 'failed', 'dropped', 'alias')),
      -- claimed once, so that it counts for the job's limit
      admitted boolean not null default false,
      -- times that the target was asked
      attempts smallint not null default 0,
      -- times that who had claimed it was lost
      losses smallint not null default 0,
      due_at timestamptz not null default now(),
      lane text,
      claimed_until timestamptz,
      -- the order of completion, from 1, without gaps
      position integer,
      blob text,
      -- bytes of all documents up to this one
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
  // What was counted in older jobs says nothing about the one that runs: without it, no index is taken for empty.
  for (const column of ['job_id', 'team_id', 'status', 'host']) {
    await sql`alter table pages alter column ${sql.ref(column)} set statistics 0`.execute(db);
  }
  await sql`
    create table blocked_urls (
      job_id uuid not null references jobs on delete cascade,
      url text not null
    )`.execute(db);
  await sql`create unique index blocked_urls_once on blocked_urls (job_id, md5(url))`.execute(db);
  // Who works on a host now, and hosts that asked for rest; a crash of the database may forget both.
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
      -- the page that it tells of
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
