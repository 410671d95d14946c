import { sql } from 'kysely';
import type { Database } from './client.ts';

/** Where the page of a scrape is kept open. */
export interface OpenScrapePage {
  scrapeId: string;
  /** The task queue of the host. */
  queue: string;
  /** For how long it is kept, in milliseconds. */
  keptMs: number;
}

/** Records where the page of a scrape is kept open, so that the session that continues it starts there. */
export async function recordOpenScrapePage(
  db: Database,
  { scrapeId, queue, keptMs }: OpenScrapePage,
): Promise<void> {
  const row = { queue, expires_at: sql<Date>`now() + make_interval(secs => ${keptMs / 1000})` };
  await db.query
    .insertInto('open_scrape_pages')
    .values({ scrape_id: scrapeId, ...row })
    .onConflict((conflict) => conflict.column('scrape_id').doUpdateSet(row))
    .execute();
}

/** Finds the task queue of the host that keeps the page of a scrape open. It may have ended since. */
export async function findHostOfScrape(db: Database, scrapeId: string): Promise<string | undefined> {
  const row = await db.query
    .selectFrom('open_scrape_pages')
    .select('queue')
    .where('scrape_id', '=', scrapeId)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row?.queue;
}

/** Deletes the records of pages that are not kept any more. */
export async function deleteExpiredScrapePages(db: Database): Promise<void> {
  await db.query.deleteFrom('open_scrape_pages').where('expires_at', '<', sql<Date>`now()`).execute();
}
