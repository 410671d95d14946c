import { sql } from 'kysely';
import type { Database } from './client.ts';

/** Which scrape of which page. */
export interface ScrapeOfPage {
  teamId: string;
  /** Of address and tag. */
  key: Buffer;
  /** The same in every attempt. */
  scrapeId: string;
}

/** A page as it was. */
export interface PageVersion {
  scrapedAt: Date;
  /** Of start and tag of the last crawl that had it. */
  crawl: Buffer | null;
  /** `null`: there was no page, nor is there a blob. */
  fingerprint: Buffer | null;
  blob: string | null;
  /** When the blob was put. */
  storedAt: Date | null;
}

/** A version before it is written down. */
export interface NewVersion extends PageVersion {
  jobId: string;
  url: string;
}

/** What is known of a page when a scrape of it is to be compared. */
export interface Past {
  /** What it is compared with; whoever scrapes beside it counts from when their version is written down. */
  previous: PageVersion | undefined;
  /** The number that its version gets: its own, in another attempt, or the next. */
  number: number;
}

/**
 * The version before a scrape's own: delivered, or of a job that runs. What a job had that failed or was cancelled
 * before anybody had it is passed over.
 */
export async function findPast(db: Database, { teamId, key, scrapeId }: ScrapeOfPage): Promise<Past> {
  const { rows } = await sql<Partial<PageVersion> & { number: number; found: boolean }>`
    with own as (
      select number from page_versions where scrape_id = ${scrapeId} and team_id = ${teamId} and key = ${key}
    ), previous as (
      select scraped_at, crawl, fingerprint, blob, stored_at, true as found from page_versions
      where team_id = ${teamId} and key = ${key}
        and number < coalesce((select number from own), 2147483647)
        and (delivered or exists (select from jobs where id = job_id and status = 'scraping'))
      order by number desc limit 1
    )
    select previous.scraped_at as "scrapedAt", crawl, fingerprint, blob, stored_at as "storedAt",
      coalesce(found, false) as found,
      coalesce((select number from own), 1 + (
        select max(number) from page_versions where team_id = ${teamId} and key = ${key}), 1) as number
    from (select) as one left join previous on true`.execute(db.query);
  const { number, found, ...previous } = rows[0]!;
  // All its columns are there when it was found.
  return { number, previous: found ? (previous as PageVersion) : undefined };
}

/**
 * Writes a version down; what came before the last one that was delivered is of no use any more. One that was delivered
 * stays: an attempt that was given up comes too late.
 * @param number as `findPast` gave it
 * @returns whether it is written; if not, another scrape was faster: its version comes before this one
 */
export async function addVersion(
  db: Database,
  { teamId, key, scrapeId }: ScrapeOfPage,
  number: number,
  version: NewVersion,
): Promise<boolean> {
  const { jobId, url, crawl, scrapedAt, fingerprint, blob, storedAt } = version;
  const { rows } = await sql<{ written: boolean }>`
    with outdated as (
      delete from page_versions where team_id = ${teamId} and key = ${key}
        and number < (
          select max(number) from page_versions
          where team_id = ${teamId} and key = ${key} and number < ${number} and delivered)
    ), written as (
      insert into page_versions as own
        (team_id, key, number, scrape_id, job_id, url, crawl, scraped_at, fingerprint, blob, stored_at)
      values (${teamId}, ${key}, ${number}, ${scrapeId}, ${jobId}, ${url}, ${crawl}, ${scrapedAt}, ${fingerprint},
        ${blob}, ${storedAt})
      on conflict (team_id, key, number) do update set scraped_at = excluded.scraped_at,
        fingerprint = excluded.fingerprint, blob = excluded.blob, stored_at = excluded.stored_at
      where own.scrape_id = excluded.scrape_id and not own.delivered
      returning 1
    )
    select exists (select from written)
      or exists (select from page_versions where scrape_id = ${scrapeId} and delivered) as written`.execute(
    db.query,
  );
  return rows[0]?.written ?? false;
}

/** Where a list of pages goes on. */
export interface CrawlPages {
  teamId: string;
  crawl: Buffer;
  /** Of the crawl that runs: pages that it has are left out. */
  jobId: string;
  /** Behind this page. */
  after: Buffer;
  limit: number;
}

/** Pages that an earlier crawl had when they were last scraped, and that were there then, in the order of their keys. */
export async function listCrawlPages(
  db: Database,
  { teamId, crawl, jobId, after, limit }: CrawlPages,
): Promise<{ key: Buffer; url: string }[]> {
  const { rows } = await sql<{ key: Buffer; url: string }>`
    select key, url from page_versions as page
    where team_id = ${teamId} and crawl = ${crawl} and key > ${after}
      and delivered and fingerprint is not null and job_id <> ${jobId}
      and not exists (
        select from page_versions as later
        where later.team_id = page.team_id and later.key = page.key and later.number > page.number and delivered)
    order by key limit ${limit}`.execute(db.query);
  return rows;
}

/** Forgets pages that were last scraped before a time. */
export async function forgetVersions(db: Database, before: Date): Promise<void> {
  await db.query.deleteFrom('page_versions').where('scraped_at', '<', before).execute();
}
