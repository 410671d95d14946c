import type { Blobs } from '../blobs.ts';
import { type Claim, giveBack, pauseHosts } from '../db/claims.ts';
import type { Database } from '../db/client.ts';
import { type Advanced, advance, type PageEnd } from '../db/lanes.ts';
import type { NewPage } from '../db/pages.ts';
import type { CrawlStart } from '../db/progress.ts';
import type { Seal } from '../seal.ts';

/** Pages that a lane has in hand at once, those that wait for their host among them. */
export const LANE_WIDTH = 16;
/** After this long it takes no more pages: short, so that other jobs get their turn, and changes are felt. */
const LANE_MS = 3_000;
/** Pages that end within this time are recorded together… */
const GATHER_MS = 100;
/** …or as soon as there are so many. */
const GATHER_PAGES = 8;
/** So soon it hears of a pause or a cancellation. */
const NEWS_MS = 1_000;
/** With nothing to do it looks again after this long, and gives up after the other. */
const IDLE_PAUSE_MS = 150;
const IDLE_MS = 600;

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
  /** Whether new work may be taken now. */
  mayClaim(): Promise<boolean>;
  /** @param onFetched to be called when the host is done with the page */
  scrape(claim: Claim, job: Advanced, onFetched: () => void): Promise<ScrapedPage>;
}

/**
 * A worker's hand in a job: takes pages, scrapes several at once, records them in groups as they end, and stops after
 * a few seconds.
 */
export class Lane {
  readonly #options: LaneOptions;
  readonly #waiting: Claim[] = [];
  readonly #running = new Map<number, Claim>();
  readonly #fetching = new Map<string, number>();
  #ended: ScrapedPage[] = [];
  #firstEndAt = 0;
  #steppedAt = 0;
  #wake = Promise.withResolvers<void>();
  #failure: { error: unknown } | undefined;
  #job: Advanced | undefined;
  #taken = 0;
  #done = 0;

  constructor(options: LaneOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#wake.resolve(), { once: true });
  }

  /** @returns how many pages it finished, and the job's state after its last step */
  async run(): Promise<{ done: number; job: Advanced }> {
    const until = performance.now() + LANE_MS;
    let idleSince: number | undefined;
    for (;;) {
      this.#options.signal.throwIfAborted();
      if (this.#failure) throw this.#failure.error;
      const left = this.#options.most - this.#taken;
      const isOpen = left > 0 && performance.now() < until && this.#isWanted();
      const room = Math.min(LANE_WIDTH - this.#inHand(), left);
      const want = isOpen && (await this.#options.mayClaim()) ? room : 0;
      if (this.#isDue(want)) await this.#step(want);
      if (!this.#isWanted()) {
        // A cancelled job has no use for what is under way; a paused one has, but not for what waits.
        if (this.#job && this.#job.status !== 'scraping') return { done: this.#done, job: this.#job };
        await this.#giveBack();
      }
      this.#begin();
      if (this.#inHand() > 0 || this.#ended.length) {
        idleSince = undefined;
        await this.#rest(GATHER_MS);
      } else {
        idleSince ??= performance.now();
        if (this.#job && (!isOpen || this.#job.open === 0 || performance.now() - idleSince > IDLE_MS)) {
          return { done: this.#done, job: this.#job };
        }
        await this.#rest(IDLE_PAUSE_MS);
      }
    }
  }

  #isWanted(): boolean {
    return !this.#job || (this.#job.status === 'scraping' && !this.#job.paused);
  }

  #inHand(): number {
    return this.#waiting.length + this.#running.size;
  }

  async #giveBack(): Promise<void> {
    const ids = this.#waiting.splice(0).map(({ id }) => id);
    if (ids.length) await giveBack(this.#options.db, this.#options.name, ids);
  }

  /** Whether a step is worth its transaction; now and then it is, to hear whether the job is still wanted. */
  #isDue(want: number): boolean {
    if (!this.#job || this.#ended.length >= GATHER_PAGES) return true;
    if (this.#ended.length) return !this.#inHand() || performance.now() - this.#firstEndAt >= GATHER_MS;
    return want >= LANE_WIDTH / 2 || performance.now() - this.#steppedAt >= NEWS_MS;
  }

  async #step(want: number): Promise<void> {
    const { db, blobs, jobId, name, seal, pageEvents } = this.#options;
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
    const inHand = new Map<string, number>();
    for (const { host } of [...this.#waiting, ...this.#running.values()])
      inHand.set(host, (inHand.get(host) ?? 0) + 1);
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
      inHand,
      pageEvents,
    });
    this.#done += pages.filter(({ end }) => end.outcome !== 'retry').length;
    this.#taken += this.#job.claims.length;
    this.#waiting.push(...this.#job.claims);
  }

  /** Begins every page whose host has room. */
  #begin(): void {
    const blocked: Claim[] = [];
    for (const claim of this.#waiting.splice(0)) {
      const busy = this.#fetching.get(claim.host) ?? 0;
      if (busy >= claim.share) {
        blocked.push(claim);
        continue;
      }
      this.#fetching.set(claim.host, busy + 1);
      this.#running.set(claim.ordinal, claim);
      void this.#scrape(claim);
    }
    this.#waiting.push(...blocked);
  }

  async #scrape(claim: Claim): Promise<void> {
    let fetching = true;
    const onFetched = () => {
      if (fetching) this.#fetching.set(claim.host, (this.#fetching.get(claim.host) ?? 1) - 1);
      fetching = false;
      this.#begin();
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
