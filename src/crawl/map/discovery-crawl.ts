import { setTimeout as sleep } from 'node:timers/promises';
import type { Frontier, FrontierUrl } from './frontier.ts';

/** The result of fetching one page. */
export interface PageVisit {
  /** Number of links on the page that were not known before. */
  newLinks: number;
  /** Milliseconds that the host asks to wait (`Retry-After`); a default applies if it does not say. */
  retryAfterMs?: number | undefined;
  isThrottled?: boolean;
}

/** The options of a discovery crawl, which follows links only to collect URLs for a map. */
export interface DiscoveryCrawlOptions {
  frontier: Frontier;
  /** Fetches a page and adds its links to the frontier. It throws only errors that should end the crawl. */
  visit(step: FrontierUrl, signal: AbortSignal): Promise<PageVisit>;
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
 * Why a discovery crawl ended: all pages were fetched (`all`), enough links were found (`enough`), the deadline
 * passed (`time`), the maximum number of pages was fetched (`pages`), many pages in a row had no new link
 * (`dry`), or the host kept asking to slow down (`refused`).
 */
export type DiscoveryCrawlEnd = 'all' | 'enough' | 'time' | 'pages' | 'dry' | 'refused';

const MAX_PAGES = 5_000;
/**
 * A crawl ends as `dry` after more than this many pages without a new link, plus half the number of links
 * found so far.
 */
const MIN_PAGES_WITHOUT_NEW_LINKS = 100;
const FOUND_LINKS_PER_EXTRA_PAGE = 2;
const REST_MS = 2_000;
const MAX_REST_MS = 10_000;
/** The crawl ends as `refused` after this many refusals for each concurrent request. */
const MAX_REFUSALS_PER_REQUEST = 3;

/** Follows links breadth first and fetches pages only to find more links. */
export async function runDiscoveryCrawl(crawl: DiscoveryCrawlOptions): Promise<DiscoveryCrawlEnd> {
  const { frontier, requestsPerHost, delayMs = 0 } = crawl;
  const width = delayMs > 0 ? 1 : requestsPerHost;
  const stop = new AbortController();
  const signal = AbortSignal.any([crawl.signal, stop.signal]);
  const running = new Set<Promise<void>>();
  let [pages, found, dry, refusals, restUntilMs] = [0, 0, 0, 0, 0];

  function endReason(): DiscoveryCrawlEnd | undefined {
    if (crawl.signal.aborted) return 'time';
    if (crawl.isEnough()) return 'enough';
    if (refusals >= MAX_REFUSALS_PER_REQUEST * requestsPerHost) return 'refused';
    if (pages >= MAX_PAGES) return 'pages';
    return crawl.mayEndEarly && dry > MIN_PAGES_WITHOUT_NEW_LINKS + found / FOUND_LINKS_PER_EXTRA_PAGE
      ? 'dry'
      : undefined;
  }

  async function visit(step: FrontierUrl): Promise<void> {
    const pauseMs = Math.max(restUntilMs - performance.now(), pages > 0 ? delayMs : 0);
    if (pauseMs > 0) await sleep(pauseMs, undefined, { signal });
    pages++;
    const { newLinks: fresh, isThrottled, retryAfterMs: restMs = REST_MS } = await crawl.visit(step, signal);
    found += fresh;
    dry = fresh > 0 ? 0 : dry + 1;
    if (!isThrottled) return;
    refusals++;
    restUntilMs = Math.max(restUntilMs, performance.now() + Math.min(restMs, MAX_REST_MS));
    frontier.putBack(step);
  }

  try {
    for (;;) {
      const reason = endReason();
      // A slow page may still have new links, so wait for the pages in flight before ending as `dry`.
      const isDraining = reason === 'dry' && running.size > 0;
      if (reason && !isDraining) return reason;
      while (running.size < width && !isDraining) {
        const step = frontier.next();
        if (!step) break;
        const task = visit(step).finally(() => running.delete(task));
        running.add(task);
      }
      if (running.size === 0) return 'all';
      await Promise.race(running);
    }
  } catch (error) {
    // When the deadline aborts a request, the request throws an error of its own.
    if (crawl.signal.aborted) return 'time';
    throw error;
  } finally {
    stop.abort();
    await Promise.allSettled(running);
  }
}
