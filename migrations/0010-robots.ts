import { type Kysely, sql } from 'kysely';

/** Copies of robots.txt, and the hosts whose robots.txt is unavailable and that a crawl waits for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table robots_files (
      -- the origin, or a hash of it for zero data retention
      key text primary key,
      -- the job with zero data retention that the file is encrypted for; null: for every crawl
      job_id uuid references jobs on delete cascade,
      -- as JSON: the URL after redirects, the status, the body
      file bytea not null,
      fetched_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index robots_files_age on robots_files (fetched_at)`.execute(db);
  await sql`create index robots_files_job on robots_files (job_id) where job_id is not null`.execute(db);
  await sql`
    create table robots_waits (
      job_id uuid not null references jobs on delete cascade,
      -- as in the table pages
      host text not null,
      scheme text not null,
      -- number of failed requests
      tries smallint not null default 1,
      since timestamptz not null default now(),
      -- until then no page of the host is claimed
      until timestamptz not null,
      -- the wait is over, and the pages of the host fail
      given_up boolean not null default false,
      -- the failure of the last request
      reason text not null,
      primary key (job_id, host, scheme)
    )`.execute(db);
}
