import { type Kysely, sql } from 'kysely';

/** Monitors, their checks, and what the checks found. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table monitors (
      id uuid primary key default gen_random_uuid(),
      team_id uuid not null references teams on delete cascade,
      api_key_id uuid references api_keys,
      name text not null,
      status text not null default 'active',
      cron text not null,
      timezone text not null,
      runs_per_month integer not null,
      targets jsonb not null,
      webhook jsonb,
      notification jsonb,
      base_url text not null,
      retention_days integer not null,
      goal text,
      judge_enabled boolean not null,
      check_credits integer not null,
      current_check_id uuid,
      last_run_at timestamptz,
      last_summary jsonb,
      is_scheduled boolean not null default false,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index monitors_of_team on monitors (team_id, created_at desc, id desc) where status <> 'deleted'`.execute(
    db,
  );
  await sql`create index monitors_unscheduled on monitors (updated_at) where not is_scheduled`.execute(db);
  // A check expires with its job.
  await sql`
    create table monitor_checks (
      id uuid primary key references jobs on delete cascade,
      monitor_id uuid not null references monitors on delete cascade,
      status text not null,
      trigger text not null,
      scheduled_for timestamptz,
      started_at timestamptz,
      finished_at timestamptz,
      estimated_credits integer not null,
      actual_credits integer,
      summary jsonb,
      target_results jsonb not null default '[]',
      error text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index monitor_checks_newest on monitor_checks (monitor_id, created_at desc, id desc)`.execute(
    db,
  );
  await sql`create index monitor_checks_running on monitor_checks (updated_at) where status = 'running'`.execute(
    db,
  );
  // The jobs that do the work of a check. They expire before it.
  await sql`
    create table monitor_jobs (
      job_id uuid primary key,
      check_id uuid not null references monitor_checks on delete cascade,
      target_id text not null,
      kind text not null,
      is_retry boolean not null default false,
      is_collected boolean not null default false
    )`.execute(db);
  await sql`create index monitor_jobs_of_check on monitor_jobs (check_id)`.execute(db);
  await sql`
    create table monitor_pages (
      id uuid primary key,
      check_id uuid not null references monitor_checks on delete cascade,
      monitor_id uuid not null references monitors on delete cascade,
      ordinal integer not null,
      target_id text not null,
      url text not null,
      url_key bytea not null,
      status text not null,
      previous_scrape_id uuid,
      current_scrape_id uuid,
      status_code integer,
      error text,
      metadata jsonb,
      blob text,
      created_at timestamptz not null default now(),
      unique (check_id, ordinal)
    )`.execute(db);
  await sql`create index monitor_pages_history on monitor_pages (monitor_id, url_key, created_at desc)`.execute(
    db,
  );
}
