import { setTimeout as sleep } from 'node:timers/promises';
import type { Frontier, Step } from './frontier.ts';

/** What became of one fetched page. */
export interface Visit {
  /** Links that nobody had seen before. */
  fresh: number;
  /** The host asks for rest: so many milliseconds, or as many as seem fit. */
  restMs?: number | undefined;
  asksForRest?: boolean;
}

/** How a light crawl goes. */
export interface LightCrawl {
  frontier: Frontier;
  /** Fetches a page and adds what it leads to; throws only what should end the crawl. */
  visit(step: Step, signal: AbortSignal): Promise<Visit>;
  /** Whether all that is wanted has been found. */
  isEnough(): boolean;
  /** When it fires the crawl ends with what it has. */
  signal: AbortSignal;
  /** Most pages may be known without it: then it need not see every page, and ends when nothing new comes for long. */
  mayEndDry: boolean;
  /** Requests that the host gets at once. */
  requestsPerHost: number;
  /** Between two pages, which then come one by one. */
  delayMs?: number | undefined;
}

/**
 * Why a light crawl ended: everything was seen, enough was found, its time was over, it had fetched as many pages as it
 * may, nothing new had come for long, or the host refused to be asked any more.
 */
export type LightCrawlEnd = 'all' | 'enough' | 'time' | 'pages' | 'dry' | 'refused';

const MOST_PAGES = 5_000;
/** Long without anything new is so many pages, and a part of all links that came. */
const LEAST_DRY = 100;
const DRY_PART = 2;
const REST_MS = 2_000;
const LONGEST_REST_MS = 10_000;
/** Rounds of refusals. */
const MOST_ROUNDS = 3;

/** Follows links breadth first, only to find links. */
export async function runLightCrawl(crawl: LightCrawl): Promise<LightCrawlEnd> {
  const { frontier, requestsPerHost, delayMs = 0 } = crawl;
  const width = delayMs > 0 ? 1 : requestsPerHost;
  const stop = new AbortController();
  const signal = AbortSignal.any([crawl.signal, stop.signal]);
  const running = new Set<Promise<void>>();
  let [pages, found, dry, refusals, restUntilMs] = [0, 0, 0, 0, 0];

  function endReason(): LightCrawlEnd | undefined {
    if (crawl.signal.aborted) return 'time';
    if (crawl.isEnough()) return 'enough';
    if (refusals >= MOST_ROUNDS * requestsPerHost) return 'refused';
    if (pages >= MOST_PAGES) return 'pages';
    return crawl.mayEndDry && dry > LEAST_DRY + found / DRY_PART ? 'dry' : undefined;
  }

  async function visit(step: Step): Promise<void> {
    const pauseMs = Math.max(restUntilMs - performance.now(), pages > 0 ? delayMs : 0);
    if (pauseMs > 0) await sleep(pauseMs, undefined, { signal });
    pages++;
    const { fresh, asksForRest, restMs = REST_MS } = await crawl.visit(step, signal);
    found += fresh;
    dry = fresh > 0 ? 0 : dry + 1;
    if (!asksForRest) return;
    refusals++;
    restUntilMs = Math.max(restUntilMs, performance.now() + Math.min(restMs, LONGEST_REST_MS));
    frontier.putBack(step);
  }

  try {
    for (;;) {
      const reason = endReason();
      // A slow page may lead to all that is missing, so those under way are waited for.
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
    // What the end of its time cuts off fails in its own words.
    if (crawl.signal.aborted) return 'time';
    throw error;
  } finally {
    stop.abort();
    await Promise.allSettled(running);
  }
}
