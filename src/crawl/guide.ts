import { createHash } from 'node:crypto';
import type { NewPage } from '../db/pages.ts';
import type { SkippedUrls } from '../db/skipped-urls.ts';
import type { ServiceError } from '../errors.ts';
import type { CrawlRequest } from '../schemas/crawl.ts';
import type { Seal } from '../seal.ts';
import { type CanonicalOptions, canonicalKey } from './canonical.ts';
import type { CrawlRobots } from './crawl-robots.ts';
import { createMemory } from './memory.ts';
import { createScope, type DenialReason, type Verdict } from './scope.ts';
import { siteOf } from './site.ts';
import { createTrapGuard } from './traps.ts';

/** Pages of a crawl and URLs that it skips, each the first time it is met. */
interface Findings extends SkippedUrls {
  found: NewPage[];
}

/**
 * Whether a page may be fetched, by the robots.txt of its host. Where that is unavailable: in how many milliseconds to
 * ask again, and in the end why the page fails.
 */
type Permit = 'granted' | 'refused' | { waitMs: number } | { error: ServiceError };

/** Tells which of the addresses that a crawl meets are pages of it. */
export interface Guide {
  /** What addresses of the same page share. */
  keyOf(url: string): Buffer;
  /**
   * Asks whether a page may be fetched.
   * @throws ServiceError `ROBOTS_UNAVAILABLE` where it is the host of the start that cannot say: the crawl cannot go on
   */
  permit(url: string, signal: AbortSignal): Promise<Permit>;
  /** What the hosts of the crawl allow, whether or not the crawl heeds it. */
  readonly robots: CrawlRobots;
  /** What links of a page lead to. */
  follow(links: string[], from: { url: string; depth: number }, signal: AbortSignal): Promise<Findings>;
  /** The same for addresses that stand in a sitemap. */
  adopt(urls: string[], signal: AbortSignal): Promise<Findings>;
  /** Why a page's redirect leads out of the crawl; `undefined` when it does not. */
  whyNot(url: string): DenialReason | undefined;
  /**
   * Milliseconds between two pages that robots.txt of the crawl's host asks for; `undefined` where it asks for none, or
   * the request has a delay of its own.
   */
  paceMs(signal: AbortSignal): Promise<number | undefined>;
  /** Address patterns without end, and how many addresses of each were left out. */
  readonly trapped: ReadonlyMap<string, number>;
}

/** Addresses remembered. The job's table is what decides. */
const MOST_REMEMBERED = 50_000;

/** A crawl as its guide knows it. */
export interface Crawl {
  jobId: string;
  /** How it is written down. */
  seal: Seal;
  request: CrawlRequest;
  /** The URL that it starts at. */
  start: string;
  /** The URL that its start page answered from; its host is the crawl's. `undefined` until it has answered. */
  base?: string | undefined;
}

/** @param robots what the hosts of this crawl allow */
export function createGuide({ jobId, request, start, base = start }: Crawl, robots: CrawlRobots): Guide {
  const scope = createScope({ ...request, startUrl: siteOf(start, base) });
  const traps = createTrapGuard();
  const origins = new Set([start, base].map((url) => new URL(url).origin));
  const isNew = createMemory(MOST_REMEMBERED);

  async function permit(url: string, signal: AbortSignal): Promise<Permit> {
    if (request.ignoreRobotsTxt) return 'granted';
    const outcome = await robots.of(url, signal);
    if ('rules' in outcome) return outcome.rules.allows(url) ? 'granted' : 'refused';
    if ('error' in outcome && origins.has(new URL(url).origin)) throw outcome.error;
    return outcome;
  }

  /** @param from the page, or the site, that the links are of */
  async function sort(judged: (readonly [string, Verdict])[], from: URL, signal: AbortSignal) {
    const findings: Findings = { found: [], blocked: [], homepages: [] };
    // Rules of other hosts, and of one that cannot say now, are asked for when the turn of their pages comes.
    const isNear = judged.some(
      ([, verdict]) => 'url' in verdict && new URL(verdict.url).origin === from.origin,
    );
    const rules = isNear && !request.ignoreRobotsTxt ? await robots.peek(from.origin, signal) : undefined;
    for (const [link, verdict] of judged) {
      if ('denied' in verdict) {
        if (verdict.denied !== 'externalHomepage') continue;
        const { origin } = new URL(link, from); // it was judged as a URL
        if (isNew(origin)) findings.homepages.push(`${origin}/`);
        continue;
      }
      const { url, depth } = verdict;
      const key = canonicalKey(url, request);
      if (!isNew(key) || !traps.admits(url)) continue;
      const { origin, host } = new URL(url);
      if (rules && origin === from.origin && !rules.allows(url)) findings.blocked.push(url);
      else findings.found.push({ url, host, key: hashOf(`${jobId} ${key}`), depth });
    }
    return findings;
  }

  return {
    keyOf: (url) => pageKey(jobId, url, request),
    permit,
    robots,
    follow(links, from, signal) {
      const site = scope.judgePage(from.url);
      // One hop: a page of another site is no way to more, however it was reached.
      if ('external' in site && site.external)
        return Promise.resolve({ found: [], blocked: [], homepages: [] });
      const verdicts = links.map((link) => [link, scope.judge(link, from)] as const);
      return sort(verdicts, new URL(from.url), signal);
    },
    adopt(urls, signal) {
      const verdicts = urls.map((url) => [url, scope.judgePage(url)] as const);
      return sort(verdicts, new URL(base), signal);
    },
    whyNot(url) {
      const verdict = scope.judgePage(url);
      return 'denied' in verdict ? verdict.denied : undefined;
    },
    async paceMs(signal) {
      if (request.ignoreRobotsTxt || request.delay !== undefined) return undefined;
      return (await robots.peek(base, signal))?.crawlDelayMs;
    },
    trapped: traps.trapped,
  };
}

/** What addresses of the same page of a crawl share, and pages of other crawls do not. */
export const pageKey = (jobId: string, url: string, options: CanonicalOptions) =>
  hashOf(`${jobId} ${canonicalKey(url, options)}`);

/** Half of a SHA-256: short, and still nobody's address is another one's. */
const hashOf = (key: string) => createHash('sha256').update(key).digest().subarray(0, 16);
