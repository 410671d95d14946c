import type { PageTrace } from '../../schemas/page-trace.ts';
import type { PageUsageOutcome } from '../../schemas/team.ts';
import type { Database } from '../../storage/db/client.ts';
import { addPageCounts, type PageCount } from '../../storage/db/teams/page-usage.ts';
import { every } from '../../system/every.ts';
import type { Logger } from '../../system/logger.ts';
import { engineOf, type PageOutcome } from './scrape-metrics.ts';

/** How often the counts are stored. */
const STORED_EVERY_MS = 5_000;

/**
 * Counts the pages of teams by engine and outcome, and stores the counts every few seconds: a row that each page of a
 * team increased would make all of its pages wait for each other. A process that is killed loses the last counts.
 */
export class PageUsage {
  readonly #db: Database;
  readonly #timer: NodeJS.Timeout;
  #counts = new Map<string, PageCount>();

  constructor(db: Database, logger: Logger) {
    this.#db = db;
    this.#timer = every(
      STORED_EVERY_MS,
      () => this.#store(),
      (error) =>
        logger.warn({ err: error }, 'counts of pages could not be stored, and are kept for the next time'),
    );
    this.#timer.unref();
  }

  /** Counts a page that has ended; others end later, or are no pages of their own. */
  count(teamId: string, trace: PageTrace, outcome: PageOutcome): void {
    if (outcome !== 'completed' && outcome !== 'failed') return;
    const day = new Date().toISOString().slice(0, 10);
    // A file that was uploaded is not fetched by any engine.
    const isUpload = outcome === 'completed' && !trace.attempts.length;
    const engine = isUpload ? 'upload' : engineOf(trace);
    this.#add({ teamId, day, engine, outcome: outcomeOf(trace, outcome), pages: 1 });
  }

  /** Stores what was counted, and ends. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#store();
  }

  #add(count: PageCount): void {
    const { teamId, day, engine, outcome, pages } = count;
    const key = `${teamId} ${day} ${engine} ${outcome}`;
    const known = this.#counts.get(key);
    if (known) known.pages += pages;
    else this.#counts.set(key, count);
  }

  async #store(): Promise<void> {
    if (this.#counts.size === 0) return;
    const counts = [...this.#counts.values()];
    this.#counts = new Map();
    try {
      await addPageCounts(this.#db, counts);
    } catch (error) {
      for (const count of counts) this.#add(count);
      throw error;
    }
  }
}

/** A site may answer with a page that tells of an error, which is a result all the same. */
function outcomeOf({ statusCode = 0 }: PageTrace, outcome: 'completed' | 'failed'): PageUsageOutcome {
  return outcome === 'completed' && statusCode >= 400 ? 'http_error' : outcome;
}
