import type { Blobs } from '../blobs/index.ts';
import type { Database } from '../db/client.ts';
import type { CrawlStart } from '../db/jobs/job-progress.ts';
import { type Claim, pauseHosts } from '../db/pages/claims.ts';
import type { NewPage } from '../db/pages/pages.ts';
import {
  hasEnded,
  type PageResult,
  type RecordAndClaimResult,
  recordAndClaim,
} from '../db/pages/record-and-claim.ts';
import type { JobCipher } from '../encryption/job-cipher.ts';

/** Maximum number of pages that a lane scrapes at once. */
export const PAGES_PER_WORKER = 16;
/**
 * Milliseconds after which a lane claims no more pages. The time is short, so that other jobs get their turn
 * and changes to the job take effect soon.
 */
const CLAIMING_MS = 3_000;
/**
 * Pages that have ended are recorded together, at the latest this many milliseconds after the first of them.
 */
const GATHER_MS = 100;
/** Number of ended pages that are recorded without waiting any longer. */
const GATHER_PAGES = 8;
/**
 * Milliseconds between two claims. The longer pause applies after a claim that found fewer pages than it
 * asked for.
 */
const CLAIM_PAUSE_MS = 50;
const EMPTY_PAUSE_MS = 150;
/** A lane notices within this many milliseconds that its job was paused or cancelled. */
const NEWS_MS = 1_000;
/** Milliseconds without any page after which a lane ends. */
const IDLE_MS = 600;
/**
 * Milliseconds between two requests for another lane by a lane that claims no more pages, but still scrapes
 * some.
 */
const HELP_PAUSE_MS = 1_000;

/** The result of scraping a page. */
export interface ScrapedPage {
  end: PageResult;
  /** The document as JSON. */
  json?: Buffer;
  found?: NewPage[];
  blocked?: string[];
  homepages?: string[];
  /** The facts about the crawl that its start page reveals; only set for a start page. */
  start?: CrawlStart;
  /** Milliseconds that the host should get no requests, because it asked us to slow down. */
  restMs?: number;
}

/** Limits how many pages a lane may start, in addition to the limits in the database. */
export interface PageCapacity {
  /**
   * Reserves room for up to `want` pages, until it is returned.
   * @returns how many pages there is room for
   */
  take(want: number): Promise<number>;
  /** Returns room for which there were no pages. */
  decline(count: number): void;
  /** Returns the room of pages that have ended. */
  release(count: number): void;
}

/** Options and dependencies of a lane. */
export interface PageWorkerOptions {
  db: Database;
  blobs: Blobs;
  jobId: string;
  /** Unique name under which the lane claims pages. */
  name: string;
  /** Encrypts what is stored of a job with zero data retention. */
  cipher: JobCipher;
  pageEvents: boolean;
  /** Maximum number of pages that the lane claims in total. */
  most: number;
  /** Ends the lane at once. The caller releases the claims that it still holds. */
  signal: AbortSignal;
  /** Maximum number of requests that a host gets at once. */
  requestsPerHost: number;
  room: PageCapacity;
  /**
   * Whether the lane keeps waiting for room until its time is over. Any other lane without room ends sooner.
   */
  isPatient: boolean;
  /**
   * Asks for another lane, because this one holds as many pages as it can (`full`) or claims no more
   * (`closed`).
   */
  callHelp(why: 'full' | 'closed'): Promise<void>;
  /**
   * @param onFetched to be called when the host is done with the page, so that it can get another request
   */
  scrape(claim: Claim, job: RecordAndClaimResult, onFetched: () => void): Promise<ScrapedPage>;
}

/**
 * One of the workers of a page job. It claims pages, scrapes several at once, records them in groups as they
 * end, and stops after a few seconds.
 */
export class PageWorker {
  readonly #options: PageWorkerOptions;
  readonly #until = performance.now() + CLAIMING_MS;
  readonly #running = new Map<number, Claim>();
  readonly #fetching = new Map<string, number>();
  #ended: ScrapedPage[] = [];
  #firstEndAt = 0;
  #steppedAt = 0;
  /**
   * Whether there may be pages to claim: the last claim found as many as it asked for, or a page has been
   * fetched or has ended since.
   */
  #isHopeful = true;
  /** Whether there was no room for another page the last time. */
  #isBlocked = false;
  #isFull = false;
  #calledAt = 0;
  /**
   * Number of pages that the lane held when it last asked for another lane after it had stopped claiming.
   */
  #heldAtCall = Number.POSITIVE_INFINITY;
  #wake = Promise.withResolvers<void>();
  #failure: { error: unknown } | undefined;
  #job: RecordAndClaimResult | undefined;
  #taken = 0;
  #done = 0;

  constructor(options: PageWorkerOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#wake.resolve(), { once: true });
  }

  /**
   * Runs the lane to its end.
   * @returns the number of pages that it finished, the state of the job after its last step, and whether it
   *   had no room for another page the last time
   */
  async run(): Promise<{ done: number; job: RecordAndClaimResult; isBlocked: boolean }> {
    let idleSince: number | undefined;
    for (;;) {
      this.#options.signal.throwIfAborted();
      if (this.#failure) throw this.#failure.error;
      const left = this.#options.most - this.#taken;
      const isOpen = left > 0 && performance.now() < this.#until && this.#isWanted();
      await this.#advance(isOpen ? Math.min(PAGES_PER_WORKER - this.#running.size, left) : 0);
      // A job that has ended discards the pages that are under way; a paused job keeps them.
      if (this.#job && this.#job.status !== 'scraping') return this.#result(this.#job);
      if (this.#running.size > 0 || this.#ended.length) {
        idleSince = undefined;
        await this.#callHelp(isOpen);
        await this.#rest(this.#isHopeful && isOpen ? CLAIM_PAUSE_MS : GATHER_MS);
      } else {
        idleSince ??= performance.now();
        const isTired =
          performance.now() - idleSince > IDLE_MS && !(this.#isBlocked && this.#options.isPatient);
        if (this.#job && (!isOpen || this.#job.open === 0 || isTired)) return this.#result(this.#job);
        await this.#rest(EMPTY_PAUSE_MS);
      }
    }
  }

  #result(job: RecordAndClaimResult) {
    return { done: this.#done, job, isBlocked: this.#isBlocked };
  }

  #isWanted(): boolean {
    return !this.#job || (this.#job.status === 'scraping' && !this.#job.paused);
  }

  /** Records pages that have ended and claims new ones, if one or the other is due. */
  async #advance(wanted: number): Promise<void> {
    const isDue = this.#isDue();
    const pauseMs = this.#isHopeful ? CLAIM_PAUSE_MS : EMPTY_PAUSE_MS;
    const isTime = isDue || performance.now() - this.#steppedAt >= pauseMs;
    const room = wanted > 0 && isTime ? await this.#options.room.take(wanted) : 0;
    if (wanted > 0 && isTime) this.#isBlocked = room === 0;
    if (!isDue && room === 0) return;
    if (room) this.#isHopeful = false;
    let claimed = 0;
    try {
      claimed = await this.#step(room);
    } finally {
      if (claimed < room) this.#options.room.decline(room - claimed);
    }
    if (room === 0 || claimed < room) return;
    this.#isHopeful = true;
    this.#isFull = true;
  }

  /**
   * Whether a step is worth its transaction even if it claims nothing. That is also the case once in a
   * while, so that the lane notices changes to the job.
   */
  #isDue(): boolean {
    if (!this.#job || this.#ended.length >= GATHER_PAGES) return true;
    if (this.#ended.length) return !this.#running.size || performance.now() - this.#firstEndAt >= GATHER_MS;
    return performance.now() - this.#steppedAt >= NEWS_MS;
  }

  /**
   * Asks for another lane: once while this lane claims pages and holds as many as it can, and after it has
   * stopped claiming, again whenever it holds fewer pages than the last time.
   */
  async #callHelp(isOpen: boolean): Promise<void> {
    const held = this.#running.size;
    if (!this.#job || this.#job.paused || this.#job.open <= held) return;
    const now = performance.now();
    if (isOpen) {
      if (!this.#isFull || this.#calledAt) return;
    } else if (now - Math.max(this.#until, this.#calledAt) < HELP_PAUSE_MS || held >= this.#heldAtCall)
      return;
    else this.#heldAtCall = held;
    this.#calledAt = now;
    await this.#options.callHelp(isOpen ? 'full' : 'closed');
  }

  /**
   * Records the pages that have ended, claims up to `want` pages and starts to scrape them.
   * @returns the number of claimed pages
   */
  async #step(want: number): Promise<number> {
    const { db, blobs, jobId, name, cipher, pageEvents, requestsPerHost } = this.#options;
    this.#steppedAt = performance.now();
    const pages = this.#ended;
    this.#ended = [];
    const documents = pages.flatMap(({ end, json }) => (json ? [{ end, json }] : []));
    const keys = documents.length
      ? await blobs.putAll(documents.map(({ json }) => cipher.encryptBytes(json)))
      : [];
    for (const [index, { end, json }] of documents.entries()) {
      Object.assign(end, { blob: keys[index], bytes: json.length });
    }
    const rests = pages.flatMap(({ end, restMs }) =>
      restMs === undefined ? [] : [[end.host, restMs] as const],
    );
    if (rests.length) await pauseHosts(db, new Map(rests));
    this.#job = await recordAndClaim(db, {
      jobId,
      cipher,
      pageWorker: name,
      results: pages.map(({ end }) => end),
      start: pages.find(({ start }) => start)?.start,
      found: pages.flatMap(({ found = [] }) => found),
      blocked: pages.flatMap(({ blocked = [] }) => blocked),
      homepages: pages.flatMap(({ homepages = [] }) => homepages),
      maxPages: want,
      fetching: new Map(this.#fetching),
      requestsPerHost,
      pageEvents,
    });
    // Room is returned only now, because the database too counts a page as claimed until it is recorded.
    this.#options.room.release(pages.length);
    this.#done += pages.filter(({ end }) => hasEnded(end)).length;
    const { claims } = this.#job;
    this.#taken += claims.length;
    for (const claim of claims) {
      this.#fetching.set(claim.host, (this.#fetching.get(claim.host) ?? 0) + 1);
      this.#running.set(claim.ordinal, claim);
      void this.#scrape(claim);
    }
    return claims.length;
  }

  async #scrape(claim: Claim): Promise<void> {
    let fetching = true;
    const onFetched = () => {
      if (!fetching) return;
      fetching = false;
      const left = (this.#fetching.get(claim.host) ?? 1) - 1;
      if (left) this.#fetching.set(claim.host, left);
      else this.#fetching.delete(claim.host);
      this.#isHopeful = true;
      this.#wake.resolve();
    };
    try {
      // `#job` is set, because pages are claimed by a step, which sets it.
      const page = await this.#options.scrape(claim, this.#job!, onFetched);
      if (!this.#ended.length) this.#firstEndAt = performance.now();
      this.#ended.push(page);
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      this.#running.delete(claim.ordinal);
      onFetched();
      this.#isHopeful = true;
      this.#wake.resolve();
    }
  }

  /** Waits for `ms` milliseconds, or until a page has been fetched or has ended, or the lane is aborted. */
  async #rest(ms: number): Promise<void> {
    const timer = setTimeout(this.#wake.resolve, ms);
    await this.#wake.promise;
    clearTimeout(timer);
    this.#wake = Promise.withResolvers<void>();
  }
}
