import { sql } from 'kysely';
import { fieldsOf } from '../../../json/json-object.ts';
import type { Database } from '../client.ts';

/** A scrape that has ended, or a page of a batch or crawl, with what a browser needs to open it again. */
export interface ScrapeToReplay {
  teamId: string;
  url: string;
  /** The options of a scrape, as stored; those of a page are the ones of its job. */
  request: unknown;
  /** The encrypted key of the job; its `url` and `request` are encrypted as well, unless this is `null`. */
  wrappedKey: Buffer | null;
}

/**
 * Finds a scrape, or a page of a batch or crawl, by its scrape id.
 * @returns `undefined` if there is none, it has not ended, or its job has expired
 */
export const findScrapeToReplay = async (db: Database, id: string): Promise<ScrapeToReplay | undefined> =>
  (await findEndedScrape(db, id)) ?? (await findEndedPage(db, id));

async function findEndedScrape(db: Database, id: string): Promise<ScrapeToReplay | undefined> {
  return db.query
    .selectFrom('jobs')
    .select(['team_id as teamId', 'request', 'wrapped_key as wrappedKey'])
    .select(sql<string>`coalesce(target, '')`.as('url'))
    .where('id', '=', id)
    .where('kind', '=', 'scrape')
    .where('status', '<>', 'scraping')
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
}

async function findEndedPage(db: Database, id: string): Promise<ScrapeToReplay | undefined> {
  const page = await db.query
    .selectFrom('pages')
    .innerJoin('jobs', 'jobs.id', 'pages.job_id')
    .select(['jobs.team_id as teamId', 'jobs.kind', 'jobs.request', 'jobs.wrapped_key as wrappedKey'])
    .select('pages.url')
    .where('pages.id', '=', id)
    .where('pages.status', 'in', ['completed', 'failed'])
    .where((where) =>
      where.or([where('jobs.status', '=', 'scraping'), where('jobs.expires_at', '>', sql<Date>`now()`)]),
    )
    .executeTakeFirst();
  if (!page) return undefined;
  const { teamId, url, wrappedKey, kind, request } = page;
  const options = fieldsOf(kind === 'crawl' ? fieldsOf(request).scrapeOptions : request);
  return { teamId, url, wrappedKey, request: { ...options, url } };
}
