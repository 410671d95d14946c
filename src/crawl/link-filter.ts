import { createHash } from 'node:crypto';
import type { NewPage } from '../db/pages/pages.ts';
import type { SkippedUrls } from '../db/pages/skipped-urls.ts';
import type { JobCipher } from '../encryption/job-cipher.ts';
import type { ServiceError } from '../errors.ts';
import type { CrawlRequest } from '../schemas/crawl.ts';
import { type CanonicalOptions, canonicalKey } from './canonical-key.ts';
import type { CrawlRobots } from './robots/crawl-robots.ts';
import { createScope, type ScopeDecision } from './scope.ts';
import { SeenUrls } from './seen-urls.ts';
import type { SkipReason } from './skip-reason.ts';
import { startUrlAfterRedirect } from './start-url.ts';
import { createTrapGuard } from './traps/trap-guard.ts';

/** New pages of a crawl and URLs that it skips. Each is reported only the first time it is found. */
interface FilteredLinks extends SkippedUrls {
  found: NewPage[];
}

/**
 * Whether the robots.txt of a page's host allows the page. While robots.txt is unavailable, it is the
 * milliseconds until the next attempt; once the host is given up, it is the error of the page.
 */
type FetchPermission = 'granted' | 'refused' | { waitMs: number } | { error: ServiceError };

/** The link filter of a crawl: it decides which of the URLs that the crawl finds are pages of the crawl. */
export interface LinkFilter {
  /** The key of a URL's page. All URLs of the same page have the same key. */
  pageKey(url: string): Buffer;
  /**
   * Checks whether a page may be fetched.
   * @throws ServiceError `ROBOTS_UNAVAILABLE` if the robots.txt of the start page's host stays unavailable,
   *   because the crawl cannot continue without it
   */
  checkRobots(url: string, signal: AbortSignal): Promise<FetchPermission>;
  /** The robots.txt rules of the hosts of the crawl, even if the crawl ignores them. */
  readonly robots: CrawlRobots;
  /** Filters the links of a page. */
  filterLinks(
    links: string[],
    from: { url: string; depth: number },
    signal: AbortSignal,
  ): Promise<FilteredLinks>;
  /** Filters URLs from a sitemap. */
  filterSitemapUrls(urls: string[], signal: AbortSignal): Promise<FilteredLinks>;
  /** The reason why the target of a redirect is not part of the crawl; `undefined` if it is. */
  findSkipReason(url: string): SkipReason | undefined;
  /**
   * Milliseconds between two pages that the robots.txt of the crawl's host requires (`Crawl-delay`);
   * `undefined` if it requires none, if robots.txt is ignored, or if the request has its own delay.
   */
  readCrawlDelayMs(signal: AbortSignal): Promise<number | undefined>;
  /** Patterns of endless URL series, with the number of URLs of each that were left out. */
  readonly trapped: ReadonlyMap<string, number>;
}

/**
 * Maximum number of URLs that are remembered in memory to save work. The database prevents duplicates.
 */
const MAX_SEEN_URLS = 50_000;

/** The data of a crawl that its link filter needs. */
export interface CrawlContext {
  jobId: string;
  /** The encryption of the crawl's data. */
  cipher: JobCipher;
  request: CrawlRequest;
  /** The start URL of the request. */
  start: string;
  /**
   * The URL of the start page after redirects; its host is the host of the crawl. `undefined` until the page
   * responds.
   */
  base?: string | undefined;
}

/** Creates the link filter of a crawl. @param robots the robots.txt rules of the crawl's hosts */
export function createLinkFilter(
  { jobId, request, start, base = start }: CrawlContext,
  robots: CrawlRobots,
): LinkFilter {
  const scope = createScope({ ...request, startUrl: startUrlAfterRedirect(start, base) });
  const traps = createTrapGuard();
  const origins = new Set([start, base].map((url) => new URL(url).origin));
  const seen = new SeenUrls(MAX_SEEN_URLS);

  async function checkRobots(url: string, signal: AbortSignal): Promise<FetchPermission> {
    if (request.ignoreRobotsTxt) return 'granted';
    const outcome = await robots.readRules(url, signal);
    if ('rules' in outcome) return outcome.rules.allows(url) ? 'granted' : 'refused';
    if ('error' in outcome && origins.has(new URL(url).origin)) throw outcome.error;
    return outcome;
  }

  /** Sorts links into new pages and skipped URLs. @param from the page or site that the links come from */
  async function sortLinks(decisions: (readonly [string, ScopeDecision])[], from: URL, signal: AbortSignal) {
    const filtered: FilteredLinks = { found: [], blocked: [], homepages: [] };
    // Only the rules of this host are checked here, if they are available. `checkRobots` checks all other rules
    // before it allows a page to be fetched.
    const isNear = decisions.some(
      ([, decision]) => 'url' in decision && new URL(decision.url).origin === from.origin,
    );
    const rules =
      isNear && !request.ignoreRobotsTxt ? await robots.readRulesIfAvailable(from.origin, signal) : undefined;
    for (const [link, decision] of decisions) {
      if ('skipReason' in decision) {
        if (decision.skipReason !== 'externalHomepage') continue;
        const { origin } = new URL(link, from); // the scope has already parsed it
        if (seen.add(origin)) filtered.homepages.push(`${origin}/`);
        continue;
      }
      const { url, depth } = decision;
      const key = canonicalKey(url, request);
      if (!seen.add(key) || !traps.admits(url)) continue;
      const { origin, host } = new URL(url);
      if (rules && origin === from.origin && !rules.allows(url)) filtered.blocked.push(url);
      else filtered.found.push({ url, host, key: hashKey(`${jobId} ${key}`), depth });
    }
    return filtered;
  }

  return {
    pageKey: (url) => pageKey(jobId, url, request),
    checkRobots,
    robots,
    filterLinks(links, from, signal) {
      const site = scope.checkPage(from.url);
      // Links on a page of another site are not followed, however the crawl reached that page.
      if ('external' in site && site.external)
        return Promise.resolve({ found: [], blocked: [], homepages: [] });
      const decisions = links.map((link) => [link, scope.checkLink(link, from)] as const);
      return sortLinks(decisions, new URL(from.url), signal);
    },
    filterSitemapUrls(urls, signal) {
      const decisions = urls.map((url) => [url, scope.checkPage(url)] as const);
      return sortLinks(decisions, new URL(base), signal);
    },
    findSkipReason(url) {
      const decision = scope.checkPage(url);
      return 'skipReason' in decision ? decision.skipReason : undefined;
    },
    async readCrawlDelayMs(signal) {
      if (request.ignoreRobotsTxt || request.delay !== undefined) return undefined;
      return (await robots.readRulesIfAvailable(base, signal))?.crawlDelayMs;
    },
    trapped: traps.trapped,
  };
}

/** The key of a page of a crawl: equal for all URLs of the page, different in each crawl. */
export const pageKey = (jobId: string, url: string, options: CanonicalOptions) =>
  hashKey(`${jobId} ${canonicalKey(url, options)}`);

/** The first 128 bits of a SHA-256 hash, which are enough to avoid collisions. */
const hashKey = (key: string) => createHash('sha256').update(key).digest().subarray(0, 16);
