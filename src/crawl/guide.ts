import { createHash } from 'node:crypto';
import type { NewPage } from '../db/pages.ts';
import type { ServiceError } from '../errors.ts';
import type { CrawlRequest } from '../schemas/crawl.ts';
import type { Seal } from '../seal.ts';
import { type CanonicalOptions, canonicalKey } from './canonical.ts';
import type { CrawlRobots } from './crawl-robots.ts';
import { createMemory } from './memory.ts';
import { createScope, type DenialReason } from './scope.ts';
import { createTrapGuard } from './traps.ts';

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
  /** Address patterns without end, and how many addresses of each were left out. */
  readonly trapped: ReadonlyMap<string, number>;
}

/** Addresses remembered. The job's table is what decides. */
const MOST_REMEMBERED = 50_000;
const MOST_BLOCKED = 1_000;

/** A crawl as its guide knows it. */
export interface Crawl {
  jobId: string;
  /** How it is written down. */
  seal: Seal;
  request: CrawlRequest;
  /** Where it is: the address that its start answered from. */
  base: string;
}

/** @param robots what the hosts of this crawl allow */
export function createGuide({ jobId, request, base }: Crawl, robots: CrawlRobots): Guide {
  const scope = createScope({ ...request, startUrl: base });
  const traps = createTrapGuard();
  const origins = new Set([request.url, base].flatMap((url) => URL.parse(url)?.origin ?? []));
  const isNew = createMemory(MOST_REMEMBERED);
  let blockedCount = 0;

  async function permit(url: string, signal: AbortSignal): Promise<Permit> {
    if (request.ignoreRobotsTxt) return 'granted';
    const outcome = await robots.of(url, signal);
    if ('rules' in outcome) return outcome.rules.allows(url) ? 'granted' : 'refused';
    if ('error' in outcome && origins.has(new URL(url).origin)) throw outcome.error;
    return outcome;
  }

  async function sort(verdicts: { url: string; depth: number }[], origin: string, signal: AbortSignal) {
    const found: NewPage[] = [];
    const blocked: string[] = [];
    // Rules of other hosts, and of one that cannot say now, are asked for when the turn of their pages comes.
    const isNear = verdicts.some(({ url }) => new URL(url).origin === origin);
    const rules = isNear && !request.ignoreRobotsTxt ? await robots.peek(origin, signal) : undefined;
    for (const { url, depth } of verdicts) {
      const key = canonicalKey(url, request);
      if (!isNew(key) || !traps.admits(url)) continue;
      const { origin: itsOrigin, host } = new URL(url);
      if (rules && itsOrigin === origin && !rules.allows(url)) {
        if (blockedCount++ < MOST_BLOCKED) blocked.push(url);
      } else {
        found.push({ url, host, key: hashOf(`${jobId} ${key}`), depth });
      }
    }
    return { found, blocked };
  }

  return {
    keyOf: (url) => pageKey(jobId, url, request),
    permit,
    robots,
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
    trapped: traps.trapped,
  };
}

/** What addresses of the same page of a crawl share, and pages of other crawls do not. */
export const pageKey = (jobId: string, url: string, options: CanonicalOptions) =>
  hashOf(`${jobId} ${canonicalKey(url, options)}`);

/** Half of a SHA-256: short, and still nobody's address is another one's. */
const hashOf = (key: string) => createHash('sha256').update(key).digest().subarray(0, 16);
