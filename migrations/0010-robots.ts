import { type Kysely, sql } from 'kysely';

/** What hosts said in robots.txt, and which hosts a crawl waits for because they cannot say it now. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table robots_files (
      -- the origin; a hash of it where nothing of the job may be read
      key text primary key,
      -- of a job with zero data retention, whose key alone opens the file; null: for every crawl
      job_id uuid references jobs on delete cascade,
      -- as JSON: the URL that answered, its status, the body
      file bytea not null,
      fetched_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index robots_files_age on robots_files (fetched_at)`.execute(db);
  await sql`create index robots_files_job on robots_files (job_id) where job_id is not null`.execute(db);
  await sql`
    create table robots_waits (
      job_id uuid not null references jobs on delete cascade,
      -- as in pages
      host text not null,
      scheme text not null,
      -- times that it was asked for in vain
      tries smallint not null default 1,
      since timestamptz not null default now(),
      -- until then no page of the host is claimed
      until timestamptz not null,
      -- the time for it is over: its pages fail
      given_up boolean not null default false,
      -- what the last request for it met
      reason text not null,
      primary key (job_id, host, scheme)
    )`.execute(db);
}
