import { createHash } from 'node:crypto';
import type { NewPage } from '../db/pages.ts';
import type { SkippedUrls } from '../db/skipped-urls.ts';
import type { CrawlRequest } from '../schemas/crawl.ts';
import { type CanonicalOptions, canonicalKey } from './canonical.ts';
import { createMemory } from './memory.ts';
import type { RobotsBook } from './robots-book.ts';
import { createScope, type DenialReason, type Verdict } from './scope.ts';
import { siteOf } from './site.ts';
import { createTrapGuard } from './traps.ts';

/** Pages of a crawl and URLs that it skips, each the first time it is met. */
interface Findings extends SkippedUrls {
  found: NewPage[];
}

/** Tells which of the addresses that a crawl meets are pages of it. */
export interface Guide {
  /** What addresses of the same page share. */
  keyOf(url: string): Buffer;
  /** Whether robots.txt lets us fetch it. */
  mayVisit(url: string, signal: AbortSignal): Promise<boolean>;
  /** What links of a page lead to. */
  follow(links: string[], from: { url: string; depth: number }, signal: AbortSignal): Promise<Findings>;
  /** The same for addresses that stand in a sitemap. */
  adopt(urls: string[], signal: AbortSignal): Promise<Findings>;
  /** Why a page's redirect leads out of the crawl; `undefined` when it does not. */
  whyNot(url: string): DenialReason | undefined;
  /** Milliseconds between two pages that robots.txt of the crawl's host asks for; `undefined` where it asks for none. */
  paceMs(signal: AbortSignal): Promise<number | undefined>;
  /** Address patterns without end, and how many addresses of each were left out. */
  readonly trapped: ReadonlyMap<string, number>;
}

/** Addresses remembered. The job's table is what decides. */
const MOST_REMEMBERED = 50_000;

/** A crawl as its guide knows it. */
export interface Crawl {
  jobId: string;
  request: CrawlRequest;
  /** The URL that it starts at. */
  start: string;
  /** The URL that its start page answered from; its host is the crawl's. `undefined` until it has answered. */
  base?: string | undefined;
}

export function createGuide({ jobId, request, start, base = start }: Crawl, robots: RobotsBook): Guide {
  const scope = createScope({ ...request, startUrl: siteOf(start, base) });
  const traps = createTrapGuard();
  const isNew = createMemory(MOST_REMEMBERED);

  async function mayVisit(url: string, signal: AbortSignal): Promise<boolean> {
    if (request.ignoreRobotsTxt) return true;
    const rules = await robots.of(new URL(url).origin, request.robotsUserAgent, signal);
    // One attempt at the start does no harm, and tells why the host is silent.
    return rules.allows(url) || (rules.isSilent === true && (url === base || url === start));
  }

  /** @param from the page, or the site, that the links are of */
  async function sort(judged: (readonly [string, Verdict])[], from: URL, signal: AbortSignal) {
    const findings: Findings = { found: [], blocked: [], homepages: [] };
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
      // Rules of other hosts are asked for when their turn comes.
      if (origin === from.origin && !(await mayVisit(url, signal))) findings.blocked.push(url);
      else findings.found.push({ url, host, key: hashOf(`${jobId} ${key}`), depth });
    }
    return findings;
  }

  return {
    keyOf: (url) => pageKey(jobId, url, request),
    mayVisit,
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
      if (request.ignoreRobotsTxt) return undefined;
      return (await robots.of(new URL(base).origin, request.robotsUserAgent, signal)).crawlDelayMs;
    },
    trapped: traps.trapped,
  };
}

/** What addresses of the same page of a crawl share, and pages of other crawls do not. */
export const pageKey = (jobId: string, url: string, options: CanonicalOptions) =>
  hashOf(`${jobId} ${canonicalKey(url, options)}`);

/** Half of a SHA-256: short, and still nobody's address is another one's. */
const hashOf = (key: string) => createHash('sha256').update(key).digest().subarray(0, 16);
