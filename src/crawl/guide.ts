import { createHash } from 'node:crypto';
import type { NewPage } from '../db/pages.ts';
import type { CrawlRequest } from '../schemas/crawl.ts';
import { type CanonicalOptions, canonicalKey } from './canonical.ts';
import { createMemory } from './memory.ts';
import type { RobotsBook } from './robots-book.ts';
import { createScope, type DenialReason } from './scope.ts';
import { siteOf } from './site.ts';
import { createTrapGuard } from './traps.ts';

/** Tells which of the addresses that a crawl meets are pages of it. */
export interface Guide {
  /** What addresses of the same page share. */
  keyOf(url: string): Buffer;
  /** Whether robots.txt lets us fetch it. */
  mayVisit(url: string, signal: AbortSignal): Promise<boolean>;
  /** Pages that links of a page lead to, and addresses that robots.txt keeps us from; each the first time it is met. */
  follow(
    links: string[],
    from: { url: string; depth: number },
    signal: AbortSignal,
  ): Promise<{ found: NewPage[]; blocked: string[] }>;
  /** The same for addresses that stand in a sitemap. */
  adopt(urls: string[], signal: AbortSignal): Promise<{ found: NewPage[]; blocked: string[] }>;
  /** Why a page's redirect leads out of the crawl; `undefined` when it does not. */
  whyNot(url: string): DenialReason | undefined;
  /** Milliseconds between two pages that robots.txt of the crawl's host asks for; `undefined` where it asks for none. */
  paceMs(signal: AbortSignal): Promise<number | undefined>;
  /** Address patterns without end, and how many addresses of each were left out. */
  readonly trapped: ReadonlyMap<string, number>;
}

/** Addresses remembered. The job's table is what decides. */
const MOST_REMEMBERED = 50_000;
const MOST_BLOCKED = 1_000;

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
  let blockedCount = 0;

  async function mayVisit(url: string, signal: AbortSignal): Promise<boolean> {
    if (request.ignoreRobotsTxt) return true;
    const rules = await robots.of(new URL(url).origin, request.robotsUserAgent, signal);
    // One attempt at the start does no harm, and tells why the host is silent.
    return rules.allows(url) || (rules.isSilent === true && (url === base || url === start));
  }

  async function sort(verdicts: { url: string; depth: number }[], origin: string, signal: AbortSignal) {
    const found: NewPage[] = [];
    const blocked: string[] = [];
    for (const { url, depth } of verdicts) {
      const key = canonicalKey(url, request);
      if (!isNew(key) || !traps.admits(url)) continue;
      const { origin: itsOrigin, host } = new URL(url);
      // Rules of other hosts are asked for when their turn comes.
      if (itsOrigin === origin && !(await mayVisit(url, signal))) {
        if (blockedCount++ < MOST_BLOCKED) blocked.push(url);
      } else {
        found.push({ url, host, key: hashOf(`${jobId} ${key}`), depth });
      }
    }
    return { found, blocked };
  }

  return {
    keyOf: (url) => pageKey(jobId, url, request),
    mayVisit,
    follow(links, from, signal) {
      const site = scope.judgePage(from.url);
      const isExternal = 'external' in site && site.external;
      const verdicts = links.flatMap((link) => {
        const verdict = scope.judge(link, { ...from, isExternal });
        return 'url' in verdict ? [verdict] : [];
      });
      return sort(verdicts, new URL(from.url).origin, signal);
    },
    adopt(urls, signal) {
      const verdicts = urls.flatMap((url) => {
        const verdict = scope.judgePage(url);
        return 'url' in verdict ? [verdict] : [];
      });
      return sort(verdicts, new URL(base).origin, signal);
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
