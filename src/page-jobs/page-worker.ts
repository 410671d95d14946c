import type { Blobs } from '../blobs/index.ts';
import type { Database } from '../db/client.ts';
import type { CrawlStart } from '../db/jobs/job-progress.ts';
import type { Claim } from '../db/pages/claims.ts';
import { pauseHosts } from '../db/pages/host-limits.ts';
import type { NewPage } from '../db/pages/pages.ts';
import {
  hasEnded,
  type PageResult,
  type RecordAndClaimResult,
  recordAndClaim,
} from '../db/pages/record-and-claim.ts';
import type { JobCipher } from '../encryption/job-cipher.ts';
import { ClaimPace } from './claim-pace.ts';
import type { PageCapacity } from './page-capacity.ts';

/** Maximum number of pages that a page worker scrapes at once. */
export const PAGES_PER_WORKER = 16;
/**
 * Maximum number of pages that a page worker claims ahead: they begin as other requests to their host end, without the
 * time that a claim takes.
 */
const PAGES_AHEAD = 8;
/**
 * Pages are claimed ahead while requests take less than this many milliseconds. A page that waits for its host longer
 * should not use a slot of its team meanwhile.
 */
const QUICK_REQUEST_MS = 1_000;
/**
 * Milliseconds after which a page worker claims no more pages. The time is short, so that other jobs get
 * their turn and changes to the job take effect soon.
 */
const CLAIMING_MS = 3_000;
/**
 * Pages that have ended are recorded together, at the latest this many milliseconds after the first of them.
 */
const RECORD_AFTER_MS = 100;
/** Number of ended pages that are recorded without waiting any longer. */
const RECORD_AFTER_PAGES = 8;
/** A page worker notices within this many milliseconds that its job was paused or cancelled. */
const STATE_CHECK_MS = 1_000;
/** Milliseconds without any page after which a page worker ends. */
const IDLE_MS = 600;
/**
 * Milliseconds between two requests for another page worker by one that claims no more pages, but still
 * scrapes some.
 */
const HELP_PAUSE_MS = 1_000;
/**
 * Milliseconds without progress of the job after which one that claims no more pages requests another page worker
 * again, because all others may have ended while it holds a page that takes long. The time doubles with each request.
 */
const FIRST_STALL_MS = 3_000;

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

/** Options and dependencies of a page worker. */
export interface PageWorkerOptions {
  db: Database;
  blobs: Blobs;
  jobId: string;
  /** Unique name under which the page worker claims pages. */
  name: string;
  /** Encrypts what is stored of a job with zero data retention. */
  cipher: JobCipher;
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

/** Counts the pages of each host. */
function countHosts(claims: Claim[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { host } of claims) counts.set(host, (counts.get(host) ?? 0) + 1);
  return counts;
}

/**
 * Works on a page job for a few seconds: claims pages, scrapes several at once and records them in groups as
 * they end.
 */
export class PageWorker {
  readonly #options: PageWorkerOptions;
  readonly #claimUntil = performance.now() + CLAIMING_MS;
  /** The claims that are being scraped, by ordinal. */
  readonly #running = new Map<number, Claim>();
  /** Number of requests under way by host. */
  readonly #openRequests = new Map<string, number>();
  /** Whether the last request that ended was a quick one. */
  #isQuick = false;
  /** Pages that were claimed ahead and have not begun. */
  #ahead: Claim[] = [];
  /** Hosts that asked us to slow down, until that is recorded. */
  readonly #restingHosts = new Set<string>();
  /** Pages that have ended, but whose documents are not being stored yet. */
  #unstored: ScrapedPage[] = [];
  /** When the first of the unstored pages ended. */
  #unstoredSince = 0;
  #isStoring = false;
  /** Pages whose documents are stored, but which are not recorded yet. */
  #unrecorded: ScrapedPage[] = [];
  #steppedAt = 0;
  /** When to claim pages next. */
  readonly #pace = new ClaimPace();
  #lacksCapacity = false;
  /** Whether a claim has found as many pages as this page worker can hold. */
  #wasFull = false;
  #helpRequestedAt = 0;
  /**
   * Number of pages that were held when another page worker was last requested after the end of claiming.
   */
  #heldAtRequest = Number.POSITIVE_INFINITY;
  /** When the number of open pages of the job last changed, or another page worker was requested because it had not. */
  #progressAt = performance.now();
  /** Milliseconds without progress until the next such request. */
  #stallMs = FIRST_STALL_MS;
  #wake = Promise.withResolvers<void>();
  #failure: { error: unknown } | undefined;
  /** The state of the job after the last step. */
  #job: RecordAndClaimResult | undefined;
  #claimedCount = 0;
  #endedCount = 0;

  constructor(options: PageWorkerOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#wake.resolve(), { once: true });
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
      if (!isClaiming) this.#unrecorded.push(...this.#takeBack(() => true));
      await this.#stepIfDue(isClaiming ? claimsLeft : 0);
      // A job that has ended discards the pages that are under way; a paused job keeps them.
      if (this.#job && this.#job.status !== 'scraping') return this.#result(this.#job);
      if (this.#running.size || this.#unstored.length || this.#isStoring || this.#unrecorded.length) {
        idleSince = undefined;
        await this.#requestHelp(isClaiming);
        const claimAt =
          isClaiming && this.#room + this.#roomAhead > 0 ? this.#pace.dueAt : Number.POSITIVE_INFINITY;
        await this.#waitForChange(Math.min(this.#storeAt, this.#recordAt, claimAt));
      } else {
        idleSince ??= performance.now();
        const waitsForCapacity = this.#lacksCapacity && this.#options.waitsForCapacity;
        const isIdle = performance.now() - idleSince > IDLE_MS && !waitsForCapacity;
        if (this.#job && (!isClaiming || this.#job.open === 0 || isIdle)) return this.#result(this.#job);
        await this.#waitForChange(this.#pace.dueAt);
      }
    }
  }

  /** The number of pages that may be claimed now. A job with a delay sends one request at a time, however long it takes. */
  get #room(): number {
    if (this.#job?.delayMs && this.#openRequests.size > 0) return 0;
    return PAGES_PER_WORKER - this.#running.size;
  }

  /** The number of pages that may be claimed ahead now. */
  get #roomAhead(): number {
    const claimsAhead =
      this.#options.claimsAhead && this.#isQuick && this.#isHeldUpByHosts && !this.#job?.delayMs;
    return claimsAhead ? Math.max(0, PAGES_AHEAD - this.#ahead.length) : 0;
  }

  /** Whether most pages wait for their hosts. If they wait for a rendering thread, more of them would only wait longer. */
  get #isHeldUpByHosts(): boolean {
    const openRequests = [...this.#openRequests.values()].reduce((sum, count) => sum + count, 0);
    return 2 * openRequests >= this.#running.size;
  }

  #result(job: RecordAndClaimResult): PageWorkerResult {
    // The caller releases the claims.
    this.#ahead = [];
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
    const wanted = Math.min(this.#room, claimsLeft);
    const wantedAhead = Math.min(this.#roomAhead, claimsLeft - wanted);
    const isRecordingDue = now >= this.#recordAt;
    const isClaimDue = wanted + wantedAhead > 0 && (isRecordingDue || now >= this.#pace.dueAt);
    if (isClaimDue) this.#pace.begin(now);
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
    this.#pace.foundAll();
    this.#wasFull = true;
  }

  /**
   * When the next step is worth its transaction even if it claims nothing. That is also the case once in a
   * while, to notice changes to the job.
   */
  get #recordAt(): number {
    if (!this.#job || this.#unrecorded.length) return 0;
    return this.#steppedAt + STATE_CHECK_MS;
  }

  /** When the documents of the pages that have ended are to be stored. */
  get #storeAt(): number {
    if (this.#isStoring || !this.#unstored.length) return Number.POSITIVE_INFINITY;
    if (!this.#running.size || this.#unstored.length >= RECORD_AFTER_PAGES) return 0;
    return this.#unstoredSince + RECORD_AFTER_MS;
  }

  /**
   * Stores the documents of the pages that have ended, which can then be recorded. The page worker does not wait for
   * this, so that hosts get their next requests while the disk is written.
   */
  async #store(): Promise<void> {
    const pages = this.#unstored;
    this.#unstored = [];
    this.#isStoring = true;
    try {
      await this.#storeDocuments(pages);
      this.#unrecorded.push(...pages);
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      this.#isStoring = false;
      this.#wake.resolve();
    }
  }

  /**
   * Requests another page worker: once while this one claims pages and holds as many as it can, and after
   * the end of claiming, again whenever it holds fewer pages than the last time, or nobody makes progress.
   */
  async #requestHelp(isClaiming: boolean): Promise<void> {
    const held = this.#running.size + this.#ahead.length;
    if (!this.#job || this.#job.paused || this.#job.open <= held) return;
    const now = performance.now();
    if (isClaiming) {
      if (!this.#wasFull || this.#helpRequestedAt) return;
    } else {
      const isTooSoon = now - Math.max(this.#claimUntil, this.#helpRequestedAt) < HELP_PAUSE_MS;
      const isStalled = now - this.#progressAt >= this.#stallMs;
      if (isTooSoon || (held >= this.#heldAtRequest && !isStalled)) return;
      if (isStalled) [this.#progressAt, this.#stallMs] = [now, 2 * this.#stallMs];
      this.#heldAtRequest = held;
    }
    this.#helpRequestedAt = now;
    await this.#options.requestHelp(isClaiming ? 'full' : 'closed');
  }

  /**
   * Records the pages that have ended, claims up to `maxPages` pages, which it begins to scrape, and up to `maxAhead` pages
   * ahead.
   * @returns the number of claimed pages
   */
  async #step({ maxPages, maxAhead }: { maxPages: number; maxAhead: number }): Promise<number> {
    const { db, jobId, name, cipher, pageEvents, requestsPerHost, capacity } = this.#options;
    this.#steppedAt = performance.now();
    const pages = this.#unrecorded;
    this.#unrecorded = [];
    const rests = pages.flatMap(({ end, restMs }) =>
      restMs === undefined ? [] : [[end.host, restMs] as const],
    );
    if (rests.length) {
      await pauseHosts(db, new Map(rests));
      pages.push(...this.#takeBack(({ host }) => this.#restingHosts.has(host)));
      for (const [host] of rests) this.#restingHosts.delete(host);
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
      openRequests: new Map(this.#openRequests),
      ahead: countHosts(this.#ahead),
      ...(this.#job && { allowed: this.#job.allowed }),
      requestsPerHost,
      pageEvents,
    });
    if (this.#job.open !== openBefore)
      [this.#progressAt, this.#stallMs] = [performance.now(), FIRST_STALL_MS];
    // Capacity is returned only now, because the database too counts a page as claimed until it is recorded.
    capacity.release(pages.length);
    this.#endedCount += pages.filter(({ end }) => hasEnded(end)).length;
    const { claims, allowed } = this.#job;
    this.#claimedCount += claims.length;
    this.#ahead.push(...claims);
    this.#begin();
    // Other page workers can have these pages sooner, because their hosts have no room for this one.
    this.#unrecorded.push(...this.#takeBack(({ host }) => !allowed.get(host)));
    return claims.length;
  }

  /** Begins with those claimed pages whose hosts have room for another request of this page worker. */
  #begin(): void {
    while (this.#running.size < PAGES_PER_WORKER && !this.#options.signal.aborted) {
      const index = this.#ahead.findIndex(({ host }) => this.#mayRequest(host));
      const [claim] = index < 0 ? [] : this.#ahead.splice(index, 1);
      if (!claim) return;
      this.#openRequests.set(claim.host, (this.#openRequests.get(claim.host) ?? 0) + 1);
      this.#running.set(claim.ordinal, claim);
      void this.#scrape(claim);
    }
  }

  #mayRequest(host: string): boolean {
    const allowed = this.#job?.allowed.get(host) ?? 0;
    return (this.#openRequests.get(host) ?? 0) < allowed && !this.#restingHosts.has(host);
  }

  /** Takes pages that were claimed ahead out of the queue. @returns them as results, so that they become pending again */
  #takeBack(isTaken: (claim: Claim) => boolean): ScrapedPage[] {
    const taken = this.#ahead.filter(isTaken);
    this.#ahead = this.#ahead.filter((claim) => !taken.includes(claim));
    return taken.map(({ id, host }) => ({ end: { id, host, outcome: 'unstarted' } }));
  }

  /** Stores the documents of pages, and adds the blob key and the size of each document to the result of its page. */
  async #storeDocuments(pages: ScrapedPage[]): Promise<void> {
    const { blobs, cipher } = this.#options;
    const documents = pages.flatMap(({ end, json }) => (json ? [{ end, json }] : []));
    if (documents.length === 0) return;
    const keys = await blobs.putAll(documents.map(({ json }) => cipher.encryptBytes(json)));
    for (const [index, { end, json }] of documents.entries()) {
      Object.assign(end, { blob: keys[index], bytes: json.length });
    }
  }

  async #scrape(claim: Claim): Promise<void> {
    const startedAt = performance.now();
    let isFetching = true;
    const onFetched = () => {
      if (!isFetching) return;
      isFetching = false;
      this.#isQuick = performance.now() - startedAt < QUICK_REQUEST_MS;
      const left = (this.#openRequests.get(claim.host) ?? 1) - 1;
      if (left) this.#openRequests.set(claim.host, left);
      else this.#openRequests.delete(claim.host);
      // Whether the host asked us to slow down is known when the page has ended, which may be a moment later.
      setImmediate(() => this.#begin());
      if (this.#ahead.length <= PAGES_AHEAD / 2) this.#pace.freed(performance.now());
      this.#wake.resolve();
    };
    try {
      // `#job` is set, because pages are claimed by a step, which sets it.
      const page = await this.#options.scrape(claim, this.#job!, onFetched);
      if (page.restMs !== undefined) this.#restingHosts.add(claim.host);
      if (!this.#unstored.length) this.#unstoredSince = performance.now();
      this.#unstored.push(page);
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      // A worker that holds as many pages as it can waits for the end of one; otherwise the end of a request is enough.
      if (this.#running.size === PAGES_PER_WORKER) this.#pace.freed(performance.now());
      this.#running.delete(claim.ordinal);
      onFetched();
      setImmediate(() => this.#begin());
      this.#wake.resolve();
    }
  }

  /**
   * Waits until a time of `performance.now()`, or until a page has been fetched or has ended, or the signal has
   * fired.
   */
  async #waitForChange(until: number): Promise<void> {
    const timer = setTimeout(this.#wake.resolve, Math.max(0, until - performance.now()));
    await this.#wake.promise;
    clearTimeout(timer);
    this.#wake = Promise.withResolvers<void>();
  }
}
