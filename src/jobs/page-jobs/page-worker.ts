import type { Blobs } from '../../storage/blobs/index.ts';
import type { Database } from '../../storage/db/client.ts';
import type { Claim } from '../../storage/db/pages/claims.ts';
import { pauseHosts } from '../../storage/db/pages/host-limits.ts';
import {
  hasEnded,
  type RecordAndClaimResult,
  recordAndClaim,
} from '../../storage/db/pages/record-and-claim.ts';
import type { JobCipher } from '../../system/encryption/job-cipher.ts';
import type { KnownBodies } from '../archive/known-bodies.ts';
import { ClaimPace } from './claim-pace.ts';
import { ClaimedPages } from './claimed-pages.ts';
import { FinishedPages, type ScrapedPage } from './finished-pages.ts';
import { HelpPace } from './help-pace.ts';
import type { PageCapacity } from './page-capacity.ts';

/**
 * Milliseconds after which a page worker claims no more pages. The time is short, so that other jobs get
 * their turn and changes to the job take effect soon.
 */
const CLAIMING_MS = 3_000;
/** A page worker notices within this many milliseconds that its job was paused or cancelled. */
const STATE_CHECK_MS = 1_000;
/** Milliseconds without any page after which a page worker ends. */
const IDLE_MS = 600;

/** Options and dependencies of a page worker. */
export interface PageWorkerOptions {
  db: Database;
  blobs: Blobs;
  jobId: string;
  /** Unique name under which the page worker claims pages. */
  name: string;
  /** Encrypts what is stored of a job with zero data retention. */
  cipher: JobCipher;
  /** Which bodies the archives of jobs have already; absent if none are to be remembered. */
  knownBodies?: KnownBodies | undefined;
  /** Whether the webhook gets an event for each page that ends. */
  pageEvents: boolean;
  /** Maximum number of pages to claim in total. */
  maxClaims: number;
  /** Ends the page worker at once. The caller releases the claims that it still holds. */
  signal: AbortSignal;
  /** Maximum number of requests that a host gets at once. */
  requestsPerHost: number;
  /** Whether pages may be claimed before their requests can begin. */
  claimsAhead: boolean;
  capacity: PageCapacity;
  /**
   * Whether the page worker keeps waiting for capacity until its time is over. Otherwise it ends as soon as
   * it has been idle for 600 ms.
   */
  waitsForCapacity: boolean;
  /**
   * Requests another page worker for the job.
   * @param reason `full` if this one holds as many pages as it can, `closed` if it claims no more
   */
  requestHelp(reason: 'full' | 'closed'): Promise<void>;
  /**
   * Scrapes a claimed page.
   * @param onFetched to be called when the host is done with the page, so that it can get another request
   */
  scrape(claim: Claim, job: RecordAndClaimResult, onFetched: () => void): Promise<ScrapedPage>;
  /** Called with each page when its result is in the database. */
  onRecorded(page: ScrapedPage): void;
}

/** The result of a page worker. */
interface PageWorkerResult {
  /** Number of pages that ended. */
  ended: number;
  /** The state of the job after the last step. */
  job: RecordAndClaimResult;
  /** Whether there was no capacity for another page the last time. */
  lacksCapacity: boolean;
}

/**
 * Works on a page job for a few seconds: claims pages, scrapes several at once and records them in groups as
 * they end.
 */
export class PageWorker {
  readonly #options: PageWorkerOptions;
  readonly #claimUntil = performance.now() + CLAIMING_MS;
  readonly #claimed: ClaimedPages;
  readonly #finished: FinishedPages;
  /** When to claim pages next. */
  readonly #claimPace = new ClaimPace();
  /** When to request another page worker. */
  readonly #helpPace = new HelpPace(performance.now(), this.#claimUntil);
  #steppedAt = 0;
  #lacksCapacity = false;
  #wake = Promise.withResolvers<void>();
  #failure: { error: unknown } | undefined;
  /** The state of the job after the last step. */
  #job: RecordAndClaimResult | undefined;
  #claimedCount = 0;
  #endedCount = 0;

  constructor(options: PageWorkerOptions) {
    const { claimsAhead, signal } = options;
    this.#options = options;
    this.#finished = new FinishedPages(options);
    this.#claimed = new ClaimedPages({ claimsAhead, signal, start: (claim) => void this.#scrape(claim) });
    signal.addEventListener('abort', () => this.#wake.resolve(), { once: true });
  }

  /**
   * Claims and scrapes pages until the time is over or there is nothing to do.
   * @throws the reason of the signal, and errors that no single page is to blame for
   */
  async run(): Promise<PageWorkerResult> {
    let idleSince: number | undefined;
    for (;;) {
      this.#options.signal.throwIfAborted();
      if (this.#failure) throw this.#failure.error;
      if (performance.now() >= this.#storeAt) void this.#store();
      const claimsLeft = this.#options.maxClaims - this.#claimedCount;
      const isClaiming = claimsLeft > 0 && performance.now() < this.#claimUntil && this.#isJobRunning();
      if (!isClaiming) this.#return(this.#claimed.takeAhead());
      await this.#stepIfDue(isClaiming ? claimsLeft : 0);
      // A job that has ended discards the pages that are under way; a paused job keeps them.
      if (this.#job && this.#job.status !== 'scraping') return this.#result(this.#job);
      if (!this.#claimed.isIdle || !this.#finished.isEmpty) {
        idleSince = undefined;
        await this.#requestHelp(isClaiming);
        const { room, roomAhead } = this.#claimed;
        const claimAt = isClaiming && room + roomAhead > 0 ? this.#claimAt : Number.POSITIVE_INFINITY;
        await this.#waitForChange(Math.min(this.#storeAt, this.#recordAt, claimAt));
      } else {
        idleSince ??= performance.now();
        const waitsForCapacity = this.#lacksCapacity && this.#options.waitsForCapacity;
        const isIdle = performance.now() - idleSince > IDLE_MS && !waitsForCapacity;
        if (this.#job && (!isClaiming || this.#job.open === 0 || isIdle)) return this.#result(this.#job);
        await this.#waitForChange(this.#claimPace.dueAt);
      }
    }
  }

  #result(job: RecordAndClaimResult): PageWorkerResult {
    // The caller releases the claims. Pages under way that end meanwhile must not begin with those ahead.
    this.#claimed.takeAhead();
    return { ended: this.#endedCount, job, lacksCapacity: this.#lacksCapacity };
  }

  #isJobRunning(): boolean {
    return !this.#job || (this.#job.status === 'scraping' && !this.#job.paused);
  }

  /**
   * Records pages that have ended and claims new ones, if one or the other is due.
   * @param claimsLeft maximum number of pages to claim
   */
  async #stepIfDue(claimsLeft: number): Promise<void> {
    const now = performance.now();
    const wanted = Math.min(this.#claimed.room, claimsLeft);
    const wantedAhead = Math.min(this.#claimed.roomAhead, claimsLeft - wanted);
    const isRecordingDue = now >= this.#recordAt;
    const isClaimDue = wanted + wantedAhead > 0 && (isRecordingDue || now >= this.#claimAt);
    if (isClaimDue) this.#claimPace.begin(now);
    const reserved = isClaimDue ? await this.#options.capacity.reserve(wanted + wantedAhead) : 0;
    if (isClaimDue) this.#lacksCapacity = reserved === 0;
    if (!isRecordingDue && reserved === 0) return;
    let claimed = 0;
    try {
      const maxPages = Math.min(wanted, reserved);
      claimed = await this.#step({ maxPages, maxAhead: reserved - maxPages });
    } finally {
      if (claimed < reserved) this.#options.capacity.returnUnused(reserved - claimed);
    }
    if (reserved === 0 || claimed < reserved) return;
    this.#claimPace.foundAll();
    this.#helpPace.foundAll();
  }

  /**
   * When the next step is worth its transaction even if it claims nothing. That is also the case once in a
   * while, to notice changes to the job.
   */
  get #recordAt(): number {
    if (!this.#job || this.#finished.hasStored) return 0;
    return this.#steppedAt + STATE_CHECK_MS;
  }

  /** When the next claim is worth a transaction of its own. */
  get #claimAt(): number {
    return Math.max(this.#claimPace.dueAt, this.#claimed.canWaitUntil);
  }

  /** When the documents of the pages that have ended are to be stored. */
  get #storeAt(): number {
    return this.#finished.storeAt(this.#claimed.isIdle);
  }

  /**
   * Stores documents. The page worker does not wait for this, so that hosts get their next requests while the
   * disk is written.
   */
  async #store(): Promise<void> {
    try {
      await this.#finished.store();
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      this.#wake.resolve();
    }
  }

  /** Requests another page worker if there are pages for it. */
  async #requestHelp(isClaiming: boolean): Promise<void> {
    const held = this.#claimed.count;
    if (!this.#job || this.#job.paused || this.#job.open <= held) return;
    if (this.#helpPace.isDue(performance.now(), { isClaiming, held }))
      await this.#options.requestHelp(isClaiming ? 'full' : 'closed');
  }

  /**
   * Records the pages that have ended, claims up to `maxPages` pages, which it begins to scrape, and up to
   * `maxAhead` pages ahead.
   * @returns the number of claimed pages
   */
  async #step({ maxPages, maxAhead }: { maxPages: number; maxAhead: number }): Promise<number> {
    const { db, jobId, name, cipher, pageEvents, requestsPerHost, capacity } = this.#options;
    this.#steppedAt = performance.now();
    const pages = this.#finished.takeStored();
    const rests = pages.flatMap(({ end, restMs }) =>
      restMs === undefined ? [] : [[end.host, restMs] as const],
    );
    if (rests.length) {
      await pauseHosts(db, new Map(rests));
      pages.push(...this.#claimed.takeResting(rests.map(([host]) => host)).map(unstarted));
    }
    const openBefore = this.#job?.open;
    this.#job = await recordAndClaim(db, {
      jobId,
      cipher,
      pageWorker: name,
      results: pages.map(({ end }) => end),
      start: pages.find(({ start }) => start)?.start,
      found: pages.flatMap(({ found = [] }) => found),
      blocked: pages.flatMap(({ blocked = [] }) => blocked),
      homepages: pages.flatMap(({ homepages = [] }) => homepages),
      maxPages,
      maxAhead,
      openRequests: this.#claimed.openRequests,
      ahead: this.#claimed.ahead,
      ...(this.#job && { allowed: this.#job.allowed }),
      requestsPerHost,
      pageEvents,
    });
    if (this.#job.open !== openBefore) this.#helpPace.progressed(performance.now());
    for (const page of pages) this.#options.onRecorded(page);
    // Capacity is returned only now, because the database too counts a page as claimed until it is recorded.
    capacity.release(pages.length);
    this.#endedCount += pages.filter(({ end }) => hasEnded(end)).length;
    const { length: claimed } = this.#job.claims;
    this.#claimedCount += claimed;
    this.#claimed.add(this.#job);
    this.#return(this.#claimed.takeUnallowed());
    return claimed;
  }

  /** Returns pages that were claimed ahead to the job. */
  #return(claims: readonly Claim[]): void {
    this.#finished.addUnstarted(claims.map(unstarted));
  }

  async #scrape(claim: Claim): Promise<void> {
    const startedAt = performance.now();
    let isFetching = true;
    const onFetched = () => {
      if (!isFetching) return;
      isFetching = false;
      this.#claimed.endRequest(claim, performance.now() - startedAt);
      // Whether the host asked us to slow down is known when the page has ended, which may be a moment later.
      setImmediate(() => this.#claimed.begin());
      if (this.#claimed.isAheadLow) this.#claimPace.freed(performance.now());
      this.#wake.resolve();
    };
    try {
      // `#job` is set, because pages are claimed by a step, which sets it.
      const page = await this.#options.scrape(claim, this.#job!, onFetched);
      if (page.restMs !== undefined) this.#claimed.rest(claim.host);
      this.#finished.add(page);
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      // A worker that holds as many pages as it can waits for the end of one; otherwise the end of a request
      // is enough.
      if (this.#claimed.isFull) this.#claimPace.freed(performance.now());
      this.#claimed.end(claim);
      onFetched();
      setImmediate(() => this.#claimed.begin());
      this.#wake.resolve();
    }
  }

  /**
   * Waits until a time of `performance.now()`, or until a page has been fetched or has ended, or the signal
   * has fired.
   */
  async #waitForChange(until: number): Promise<void> {
    const timer = setTimeout(this.#wake.resolve, Math.max(0, until - performance.now()));
    await this.#wake.promise;
    clearTimeout(timer);
    this.#wake = Promise.withResolvers<void>();
  }
}

/** The result of a page that becomes pending again. */
const unstarted = ({ id, host }: Claim): ScrapedPage => ({ end: { id, host, outcome: 'unstarted' } });
