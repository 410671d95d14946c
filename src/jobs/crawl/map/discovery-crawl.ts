import { setTimeout as sleep } from 'node:timers/promises';
import type { Frontier, FrontierUrl } from './frontier.ts';

/** The result of fetching one page. */
export interface PageVisit {
  /** Number of links on the page that were not known before. */
  newLinks: number;
  /** Milliseconds that the host asks to wait (`Retry-After`); a default applies if it does not say. */
  retryAfterMs?: number | undefined;
  /** Whether the host asks to slow down. The page is fetched again later. */
  isThrottled?: boolean;
}

/** The options of a discovery crawl, which follows links only to collect URLs for a map. */
export interface DiscoveryCrawlOptions {
  frontier: Frontier;
  /** Fetches a page and adds its links to the frontier. It throws only errors that should end the crawl. */
  visit(entry: FrontierUrl, signal: AbortSignal): Promise<PageVisit>;
  /** Whether enough links were found to end the crawl. */
  isEnough(): boolean;
  /** The signal of the deadline. When it fires, the crawl ends with the links found so far. */
  signal: AbortSignal;
  /**
   * Whether the crawl may end when many pages in a row have no new link. This applies when another source,
   * such as a sitemap, already lists most pages.
   */
  mayEndEarly: boolean;
  /** Maximum number of concurrent requests to the host. */
  requestsPerHost: number;
  /** Milliseconds between two pages. With a delay, pages are fetched one at a time. */
  delayMs?: number | undefined;
}

/**
 * Why a discovery crawl ended: all pages were fetched (`all`), enough links were found (`enough`), the
 * deadline passed (`time`), the maximum number of pages was fetched (`pages`), many pages in a row had no new
 * link (`dry`), or the host kept asking to slow down (`refused`).
 */
export type DiscoveryCrawlEnd = 'all' | 'enough' | 'time' | 'pages' | 'dry' | 'refused';

const MAX_PAGES = 5_000;
/**
 * A crawl ends as `dry` after more than this many pages without a new link, plus half the number of links
 * found so far.
 */
const MIN_PAGES_WITHOUT_NEW_LINKS = 100;
const FOUND_LINKS_PER_EXTRA_PAGE = 2;
/** Milliseconds to wait after a response that asks to slow down, by default and at most. */
const DEFAULT_RETRY_AFTER_MS = 2_000;
const MAX_RETRY_AFTER_MS = 10_000;
/** The crawl ends as `refused` after this many refusals for each concurrent request. */
const MAX_REFUSALS_PER_REQUEST = 3;

/** Follows links breadth first and fetches pages only to find more links. */
export function runDiscoveryCrawl(options: DiscoveryCrawlOptions): Promise<DiscoveryCrawlEnd> {
  return new DiscoveryCrawl(options).run();
}

class DiscoveryCrawl {
  readonly #options: DiscoveryCrawlOptions;
  readonly #maxConcurrency: number;
  readonly #delayMs: number;
  /** Aborts the pages in flight when the crawl ends. */
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #inFlight = new Set<Promise<void>>();
  #fetchedPages = 0;
  #foundLinks = 0;
  #pagesWithoutNewLinks = 0;
  #refusals = 0;
  /** The time on the clock of `performance.now()` until which the host asked us to wait. */
  #resumeAtMs = 0;

  constructor(options: DiscoveryCrawlOptions) {
    this.#options = options;
    this.#delayMs = options.delayMs ?? 0;
    this.#maxConcurrency = this.#delayMs > 0 ? 1 : options.requestsPerHost;
    this.#signal = AbortSignal.any([options.signal, this.#stop.signal]);
  }

  async run(): Promise<DiscoveryCrawlEnd> {
    try {
      for (;;) {
        const reason = this.#endReason();
        // A slow page may still have new links, so wait for the pages in flight before ending as `dry`.
        const isDraining = reason === 'dry' && this.#inFlight.size > 0;
        if (reason && !isDraining) return reason;
        if (!isDraining) this.#startVisits();
        if (this.#inFlight.size === 0) return 'all';
        await Promise.race(this.#inFlight);
      }
    } catch (error) {
      // When the deadline aborts a request, the request throws an error of its own.
      if (this.#options.signal.aborted) return 'time';
      throw error;
    } finally {
      this.#stop.abort();
      await Promise.allSettled(this.#inFlight);
    }
  }

  #endReason(): DiscoveryCrawlEnd | undefined {
    const { signal, isEnough, requestsPerHost, mayEndEarly } = this.#options;
    if (signal.aborted) return 'time';
    if (isEnough()) return 'enough';
    if (this.#refusals >= MAX_REFUSALS_PER_REQUEST * requestsPerHost) return 'refused';
    if (this.#fetchedPages >= MAX_PAGES) return 'pages';
    const maxPagesWithoutNewLinks =
      MIN_PAGES_WITHOUT_NEW_LINKS + this.#foundLinks / FOUND_LINKS_PER_EXTRA_PAGE;
    return mayEndEarly && this.#pagesWithoutNewLinks > maxPagesWithoutNewLinks ? 'dry' : undefined;
  }

  /** Starts to fetch pages until enough are in flight or none is left. */
  #startVisits(): void {
    while (this.#inFlight.size < this.#maxConcurrency) {
      const entry = this.#options.frontier.next();
      if (!entry) return;
      const visit = this.#visit(entry).finally(() => this.#inFlight.delete(visit));
      this.#inFlight.add(visit);
    }
  }

  async #visit(entry: FrontierUrl): Promise<void> {
    const delayMs = this.#fetchedPages > 0 ? this.#delayMs : 0;
    const pauseMs = Math.max(this.#resumeAtMs - performance.now(), delayMs);
    if (pauseMs > 0) await sleep(pauseMs, undefined, { signal: this.#signal });
    this.#fetchedPages++;
    const visit = await this.#options.visit(entry, this.#signal);
    this.#foundLinks += visit.newLinks;
    this.#pagesWithoutNewLinks = visit.newLinks > 0 ? 0 : this.#pagesWithoutNewLinks + 1;
    if (!visit.isThrottled) return;
    this.#refusals++;
    const retryAfterMs = Math.min(visit.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS, MAX_RETRY_AFTER_MS);
    this.#resumeAtMs = Math.max(this.#resumeAtMs, performance.now() + retryAfterMs);
    this.#options.frontier.putBack(entry);
  }
}
