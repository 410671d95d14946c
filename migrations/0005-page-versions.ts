import { type Kysely, sql } from 'kysely';

/** The versions of pages that change tracking compares. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table page_versions (
      team_id uuid not null references teams on delete cascade,
      -- sha256 of URL and tag
      key bytea not null,
      -- each version follows one other; of two at the same time, one finds the number taken and compares again
      number integer not null,
      -- the scrape or page that made the version; several attempts make one version
      scrape_id uuid not null unique,
      job_id uuid not null,
      url text not null,
      -- sha256 of start URL and tag of the last crawl that had the page; null if no crawl had it
      crawl bytea,
      scraped_at timestamptz not null,
      -- null: the page did not exist
      fingerprint bytea,
      -- the text; the blob of the version before if the fingerprint is the same
      blob text,
      stored_at timestamptz,
      -- the scrape has ended successfully; until then the version counts only while its job runs
      delivered boolean not null default false,
      primary key (team_id, key, number)
    )`.execute(db);
  await sql`
    create index page_versions_crawl on page_versions (team_id, crawl, key) where crawl is not null`.execute(
    db,
  );
  await sql`create index page_versions_age on page_versions (scraped_at)`.execute(db);
  // A page of an earlier crawl that this crawl found by no link and no sitemap.
  await sql`alter table pages add column hidden boolean not null default false`.execute(db);
}
