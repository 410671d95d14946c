import { sql, type UpdateResult } from 'kysely';
import type { Database, Queryable } from '../client.ts';
import { lockCredits, readAvailableCredits, readScrapeCredits } from './available-credits.ts';

/** How work that runs knows and stores what it has reserved. */
interface Reservation {
  teamId: string;
  /**
   * Reads the credits that neither other work nor this one has reserved; infinite without a limit.
   * @param extra those stored
   */
  readLeft(query: Queryable, extra: number): Promise<number>;
  /**
   * Stores the credits that this work has reserved beyond its expected price.
   * @returns whether the work still goes on
   */
  store(query: Queryable, extra: number): Promise<boolean>;
}

/**
 * Reserves credits beyond the expected price of a page while it is fetched: for an enhanced proxy, and for
 * the pages of a document. A page that is fetched again by another attempt begins without any.
 */
class ExtraReservation {
  readonly #db: Database;
  readonly #reservation: Reservation;
  #extra = 0;

  constructor(db: Database, reservation: Reservation) {
    this.#db = db;
    this.#reservation = reservation;
  }

  /** Reads how many credits nothing has reserved; infinite for a team without a limit. */
  available(): Promise<number> {
    return this.#reservation.readLeft(this.#db.query, this.#extra);
  }

  /**
   * Reserves credits.
   * @returns whether there were so many and the page has not ended; otherwise none are reserved
   */
  async reserve(credits: number): Promise<boolean> {
    if ((await this.available()) === Number.POSITIVE_INFINITY) return true;
    return this.#db.query.transaction().execute(async (query) => {
      await lockCredits(query, this.#reservation.teamId);
      if ((await this.#reservation.readLeft(query, this.#extra)) < credits) return false;
      if (!(await this.#reservation.store(query, this.#extra + credits))) return false;
      this.#extra += credits;
      return true;
    });
  }
}

/**
 * Reserves for a scrape, or for none if it is a part of a job that pays for it.
 * @param scrape.expected the expected price, which the job has reserved when it was stored
 */
export const extraCreditsOfScrape = (
  db: Database,
  { jobId, teamId, expected }: { jobId: string; teamId: string; expected: number },
) =>
  new ExtraReservation(db, {
    teamId,
    readLeft: async (query, extra) => (await readScrapeCredits({ query }, jobId)) - expected - extra,
    // An attempt that counted as lost may go on beside the current one. Only one of them is billed, so the
    // job needs the credits of the more expensive one.
    store: async (query, extra) =>
      isUpdated(
        await query
          .updateTable('jobs')
          .set({ reserved: sql<number>`greatest(reserved, ${expected + extra})` })
          .where('id', '=', jobId)
          .where('status', '=', 'scraping')
          .executeTakeFirst(),
      ),
  });

/**
 * Reserves for a claimed page of a batch or crawl, which has reserved the expected price.
 * @param claim.pageWorker the name of the page worker that has the claim; without it any more, nothing is
 * reserved
 */
export const extraCreditsOfPage = (
  db: Database,
  { pageId, teamId, pageWorker }: { pageId: string; teamId: string; pageWorker: string },
) =>
  new ExtraReservation(db, {
    teamId,
    readLeft: async (query) => (await readAvailableCredits({ query }, teamId)) ?? Number.POSITIVE_INFINITY,
    store: async (query, extra) =>
      isUpdated(
        await query
          .updateTable('pages')
          .set({ extra_credits: extra })
          .where('id', '=', pageId)
          .where('status', '=', 'claimed')
          .where('page_worker', '=', pageWorker)
          .executeTakeFirst(),
      ),
  });

const isUpdated = ({ numUpdatedRows }: UpdateResult) => numUpdatedRows > 0n;
