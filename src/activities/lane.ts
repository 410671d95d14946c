import type { Blobs } from '../blobs.ts';
import { type Claim, pauseHosts } from '../db/claims.ts';
import type { Database } from '../db/client.ts';
import { type Advanced, advance, isEnded, type PageEnd } from '../db/lanes.ts';
import type { NewPage } from '../db/pages.ts';
import type { CrawlStart } from '../db/progress.ts';
import type { Seal } from '../seal.ts';

/** Pages that a lane has in hand at once. */
export const LANE_WIDTH = 16;
/** After this long it takes no more pages: short, so that other jobs get their turn, and changes are felt. */
const LANE_MS = 3_000;
/** Pages that end within this time are recorded together… */
const GATHER_MS = 100;
/** …or as soon as there are so many. */
const GATHER_PAGES = 8;
/** Between two claims: at least so long where there may be more to claim, and so long where there was not. */
const CLAIM_PAUSE_MS = 50;
const EMPTY_PAUSE_MS = 150;
/** So soon it hears of a pause or a cancellation. */
const NEWS_MS = 1_000;
/** With nothing to do it gives up after this long. */
const IDLE_MS = 600;
/** A lane that takes no more pages, but has not ended, asks for others to take its place after so long, and again. */
const HELP_PAUSE_MS = 1_000;

/** What scraping a page brought. */
export interface ScrapedPage {
  end: PageEnd;
  /** The document, as it is answered. */
  json?: Buffer;
  found?: NewPage[];
  blocked?: string[];
  homepages?: string[];
  /** What the start page of a crawl tells of it. */
  start?: CrawlStart;
  /** How long its host asked for rest. */
  restMs?: number;
}

/** How many pages a lane may begin, beside what the database says. */
export interface LaneRoom {
  /** @returns for how many pages there is room now, `want` at most; they count until they are given back */
  take(want: number): Promise<number>;
  /** Gives back what there are no pages for. */
  decline(count: number): void;
  /** Gives back what pages had that have ended. */
  release(count: number): void;
}

/** What a lane is made from. */
export interface LaneOptions {
  db: Database;
  blobs: Blobs;
  jobId: string;
  /** Nobody else's. */
  name: string;
  /** How the job is written down. */
  seal: Seal;
  pageEvents: boolean;
  /** Most pages that it takes. */
  most: number;
  /** Ends it at once; what it holds is given back by whoever started it. */
  signal: AbortSignal;
  /** Requests that a host gets at once. */
  requestsPerHost: number;
  room: LaneRoom;
  /** Stays as long as it may where there is no room; another one would leave soon. */
  isPatient: boolean;
  /** Asks for another lane: this one has as many pages as it can have, or it takes no more. */
  callHelp(why: 'full' | 'closed'): Promise<void>;
  /** @param onFetched to be called when the host is done with the page */
  scrape(claim: Claim, job: Advanced, onFetched: () => void): Promise<ScrapedPage>;
}

/**
 * A worker's hand in a job: takes pages, scrapes several at once, records them in groups as they end, and stops after
 * a few seconds.
 */
export class Lane {
  readonly #options: LaneOptions;
  readonly #until = performance.now() + LANE_MS;
  readonly #running = new Map<number, Claim>();
  readonly #fetching = new Map<string, number>();
  #ended: ScrapedPage[] = [];
  #firstEndAt = 0;
  #steppedAt = 0;
  /** There may be pages to claim: the last claim was given all it asked for, or a place has become free since. */
  #isHopeful = true;
  /** There was no room the last time. */
  #isBlocked = false;
  #isFull = false;
  #calledAt = 0;
  /** Pages in hand at the last call for help. */
  #heldAtCall = Number.POSITIVE_INFINITY;
  #wake = Promise.withResolvers<void>();
  #failure: { error: unknown } | undefined;
  #job: Advanced | undefined;
  #taken = 0;
  #done = 0;

  constructor(options: LaneOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#wake.resolve(), { once: true });
  }

  /** @returns how many pages it finished, the job's state after its last step, and whether there was no room at last */
  async run(): Promise<{ done: number; job: Advanced; isBlocked: boolean }> {
    let idleSince: number | undefined;
    for (;;) {
      this.#options.signal.throwIfAborted();
      if (this.#failure) throw this.#failure.error;
      const left = this.#options.most - this.#taken;
      const isOpen = left > 0 && performance.now() < this.#until && this.#isWanted();
      await this.#advance(isOpen ? Math.min(LANE_WIDTH - this.#running.size, left) : 0);
      // A cancelled job has no use for what is under way; a paused one has.
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

  #result(job: Advanced) {
    return { done: this.#done, job, isBlocked: this.#isBlocked };
  }

  #isWanted(): boolean {
    return !this.#job || (this.#job.status === 'scraping' && !this.#job.paused);
  }

  /** Records what ended and claims pages, where one of both is due. */
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

  /** Whether a step is worth its transaction without a claim; now and then it is, to hear whether the job is still wanted. */
  #isDue(): boolean {
    if (!this.#job || this.#ended.length >= GATHER_PAGES) return true;
    if (this.#ended.length) return !this.#running.size || performance.now() - this.#firstEndAt >= GATHER_MS;
    return performance.now() - this.#steppedAt >= NEWS_MS;
  }

  /** Asks for another lane once while it is open and full, and while it is closed, as often as pages have ended. */
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

  /** @returns how many pages it claimed */
  async #step(want: number): Promise<number> {
    const { db, blobs, jobId, name, seal, pageEvents, requestsPerHost } = this.#options;
    this.#steppedAt = performance.now();
    const pages = this.#ended;
    this.#ended = [];
    const documents = pages.flatMap(({ end, json }) => (json ? [{ end, json }] : []));
    const keys = documents.length
      ? await blobs.putAll(documents.map(({ json }) => seal.closeBytes(json)))
      : [];
    for (const [index, { end, json }] of documents.entries()) {
      Object.assign(end, { blob: keys[index], bytes: json.length });
    }
    const rests = pages.flatMap(({ end, restMs }) =>
      restMs === undefined ? [] : [[end.host, restMs] as const],
    );
    if (rests.length) await pauseHosts(db, new Map(rests));
    this.#job = await advance(db, {
      jobId,
      seal,
      lane: name,
      ended: pages.map(({ end }) => end),
      start: pages.find(({ start }) => start)?.start,
      found: pages.flatMap(({ found = [] }) => found),
      blocked: pages.flatMap(({ blocked = [] }) => blocked),
      homepages: pages.flatMap(({ homepages = [] }) => homepages),
      want,
      fetching: new Map(this.#fetching),
      requestsPerHost,
      pageEvents,
    });
    // Until then a page counts as one in hand, here as in the database.
    this.#options.room.release(pages.length);
    this.#done += pages.filter(({ end }) => isEnded(end)).length;
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
      // There is no claim before the first step.
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

  /** Until a page ends, or the lane is to end, or so long. */
  async #rest(ms: number): Promise<void> {
    const timer = setTimeout(this.#wake.resolve, ms);
    await this.#wake.promise;
    clearTimeout(timer);
    this.#wake = Promise.withResolvers<void>();
  }
}
