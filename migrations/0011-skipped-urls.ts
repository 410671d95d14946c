import { type Kysely, sql } from 'kysely';

/** URLs that a crawl skips: how many robots.txt excludes, and home pages of other sites. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The number of URLs that robots.txt excludes.
  await sql`alter table job_progress add column blocked integer not null default 0`.execute(db);
  await sql`
    update job_progress set blocked = counted.urls
    from (select job_id, count(*)::int as urls from blocked_urls group by job_id) as counted
    where job_progress.job_id = counted.job_id`.execute(db);
  await sql`
    alter table blocked_urls
      add column id uuid not null default gen_random_uuid(),
      -- the reason as an error code; null: robots.txt excludes the URL
      add column code text,
      -- the same for the same URL, even if the URL is encrypted
      add column url_hash text,
      add column created_at timestamptz not null default now()`.execute(db);
  await sql`update blocked_urls set url_hash = md5(url)`.execute(db);
  await sql`drop index blocked_urls_once`.execute(db);
  await sql`create unique index blocked_urls_once on blocked_urls (job_id, url_hash)`.execute(db);
  await sql`create index blocked_urls_code on blocked_urls (job_id, code) where code is not null`.execute(db);
}
