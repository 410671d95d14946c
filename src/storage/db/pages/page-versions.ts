import { sql } from 'kysely';
import type { Database } from '../client.ts';

/** Identifies a scrape and the page that it scraped. */
export interface PageScrape {
  teamId: string;
  /** SHA-256 hash of URL and tag. */
  key: Buffer;
  /** The same in every attempt of the scrape. */
  scrapeId: string;
}

/** A page as an earlier scrape found it. */
export interface PageVersion {
  scrapedAt: Date;
  /** SHA-256 hash of start URL and tag of the last crawl that scraped the page; `null` if no crawl did. */
  crawlKey: Buffer | null;
  /** Fingerprint of the content; `null`, as `blob` is, if the page did not exist. */
  fingerprint: Buffer | null;
  blob: string | null;
  /** When the blob was stored. */
  storedAt: Date | null;
}

/** A version that is not stored yet. */
export interface NewVersion extends PageVersion {
  jobId: string;
  url: string;
}

/** The history of a page from the point of view of one scrape. */
export interface PageHistory {
  /**
   * The version to compare with. A simultaneous scrape counts from the moment when its version is stored.
   */
  previous: PageVersion | undefined;
  /**
   * The number for the scrape's own version: the next one, or the one that an earlier attempt has already
   * used.
   */
  number: number;
}

/**
 * Finds the version before a scrape's own. Only versions that were delivered, or whose jobs still run,
 * count: users never received the others, whose jobs failed or were cancelled.
 */
export async function findPageHistory(
  db: Database,
  { teamId, key, scrapeId }: PageScrape,
): Promise<PageHistory> {
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
    select previous.scraped_at as "scrapedAt", crawl as "crawlKey", fingerprint, blob, stored_at as "storedAt",
      coalesce(found, false) as found,
      coalesce((select number from own), 1 + (
        select max(number) from page_versions where team_id = ${teamId} and key = ${key}), 1) as number
    from (select) as one left join previous on true`.execute(db.query);
  const { number, found, ...previous } = rows[0]!;
  // When a version was found, all of its columns are set.
  return { number, previous: found ? (previous as PageVersion) : undefined };
}

/**
 * Stores a version, and deletes those before the last delivered one, which are no longer needed. A version
 * that was delivered is not replaced: a later write can only come from an abandoned attempt.
 * @param number the number that `findPageHistory` returned
 * @returns whether the version is stored; `false` if another scrape used the number first, whose version may
 * be deleted
 *   again by now. Then the newest version precedes this one, which must be compared again.
 */
export async function addVersion(
  db: Database,
  { teamId, key, scrapeId }: PageScrape,
  number: number,
  version: NewVersion,
): Promise<boolean> {
  const { jobId, url, crawlKey, scrapedAt, fingerprint, blob, storedAt } = version;
  const { rows } = await sql<{ written: boolean }>`
    with outdated as (
      delete from page_versions where team_id = ${teamId} and key = ${key}
        and number < (
          select max(number) from page_versions
          where team_id = ${teamId} and key = ${key} and number < ${number} and delivered)
    ), written as (
      insert into page_versions as own
        (team_id, key, number, scrape_id, job_id, url, crawl, scraped_at, fingerprint, blob, stored_at)
      select ${teamId}, ${key}, ${number}::int, ${scrapeId}, ${jobId}, ${url}, ${crawlKey}, ${scrapedAt}::timestamptz,
        ${fingerprint}::bytea, ${blob}, ${storedAt}::timestamptz
      where exists (select from page_versions where scrape_id = ${scrapeId} and number = ${number})
        or not exists (select from page_versions where team_id = ${teamId} and key = ${key} and number >= ${number})
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

/** Query for the pages that earlier crawls from the same start found. */
export interface EarlierCrawlPagesQuery {
  teamId: string;
  /** SHA-256 hash of the start URL and tag of the crawls. */
  crawlKey: Buffer;
  /** The running crawl. Pages that it has scraped itself are left out. */
  jobId: string;
  /** Key of the last page of the previous result. Only pages with greater keys are listed. */
  after: Buffer;
  limit: number;
}

/**
 * Lists pages, in the order of their keys, that an earlier crawl scraped and that existed at their last
 * scrape.
 */
export async function listEarlierCrawlPages(
  db: Database,
  { teamId, crawlKey, jobId, after, limit }: EarlierCrawlPagesQuery,
): Promise<{ key: Buffer; url: string }[]> {
  const { rows } = await sql<{ key: Buffer; url: string }>`
    select key, url from page_versions as page
    where team_id = ${teamId} and crawl = ${crawlKey} and key > ${after}
      and delivered and fingerprint is not null and job_id <> ${jobId}
      and not exists (
        select from page_versions as later
        where later.team_id = page.team_id and later.key = page.key and later.number > page.number and delivered)
    order by key limit ${limit}`.execute(db.query);
  return rows;
}

/** Deletes the versions that were scraped before a time. */
export async function deleteOldVersions(db: Database, before: Date): Promise<void> {
  await db.query.deleteFrom('page_versions').where('scraped_at', '<', before).execute();
}
