import { type Kysely, sql } from 'kysely';

/** What pages looked like when their changes were last tracked. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table page_versions (
      team_id uuid not null references teams on delete cascade,
      -- sha256 of address and tag
      key bytea not null,
      -- each version follows one other: of two that come at once, one has to look again
      number integer not null,
      -- the scrape, or the page of a job: however often it is tried, it is one version
      scrape_id uuid not null unique,
      job_id uuid not null,
      url text not null,
      -- sha256 of start and tag of the last crawl that had the page; null: no crawl had
      crawl bytea,
      scraped_at timestamptz not null,
      -- null: there was no page
      fingerprint bytea,
      -- its text; the same as in the version before where the fingerprint is
      blob text,
      stored_at timestamptz,
      -- whether somebody has it; until then it counts only while its job runs
      delivered boolean not null default false,
      primary key (team_id, key, number)
    )`.execute(db);
  await sql`
    create index page_versions_crawl on page_versions (team_id, crawl, key) where crawl is not null`.execute(
    db,
  );
  await sql`create index page_versions_age on page_versions (scraped_at)`.execute(db);
  // A page that a crawl found by no link and no sitemap, but knows from an earlier crawl.
  await sql`alter table pages add column hidden boolean not null default false`.execute(db);
}
