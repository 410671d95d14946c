import { createHash } from 'node:crypto';
import type { NewPage } from '../db/pages/pages.ts';
import type { SkippedUrls } from '../db/pages/skipped-urls.ts';
import type { JobCipher } from '../encryption/job-cipher.ts';
import type { ServiceError } from '../errors.ts';
import type { CrawlRequest } from '../schemas/crawl.ts';
import { type CanonicalOptions, canonicalKey } from './canonical-key.ts';
import type { CrawlRobots } from './robots/crawl-robots.ts';
import { createScope, type ScopeDecision } from './scope.ts';
import { createMemory } from './seen-urls.ts';
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
 * Number of URLs remembered in memory, only to save work. The job's table in the database prevents
 * duplicates.
 */
const MAX_SEEN_URLS = 50_000;

/** The data of a crawl that its guide needs. */
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

/** Creates the guide of a crawl. @param robots the robots.txt rules of the crawl's hosts */
export function createLinkFilter(
  { jobId, request, start, base = start }: CrawlContext,
  robots: CrawlRobots,
): LinkFilter {
  const scope = createScope({ ...request, startUrl: startUrlAfterRedirect(start, base) });
  const traps = createTrapGuard();
  const origins = new Set([start, base].map((url) => new URL(url).origin));
  const isNew = createMemory(MAX_SEEN_URLS);

  async function checkRobots(url: string, signal: AbortSignal): Promise<FetchPermission> {
    if (request.ignoreRobotsTxt) return 'granted';
    const outcome = await robots.readRules(url, signal);
    if ('rules' in outcome) return outcome.rules.allows(url) ? 'granted' : 'refused';
    if ('error' in outcome && origins.has(new URL(url).origin)) throw outcome.error;
    return outcome;
  }

  /** Sorts links into new pages and skipped URLs. @param from the page or site that the links come from */
  async function sortLinks(judged: (readonly [string, ScopeDecision])[], from: URL, signal: AbortSignal) {
    const findings: FilteredLinks = { found: [], blocked: [], homepages: [] };
    // Only the rules of this host are checked here, if they are available. `permit` checks all other rules
    // before it allows a page to be fetched.
    const isNear = judged.some(
      ([, verdict]) => 'url' in verdict && new URL(verdict.url).origin === from.origin,
    );
    const rules =
      isNear && !request.ignoreRobotsTxt ? await robots.readRulesIfAvailable(from.origin, signal) : undefined;
    for (const [link, verdict] of judged) {
      if ('denied' in verdict) {
        if (verdict.denied !== 'externalHomepage') continue;
        const { origin } = new URL(link, from); // the scope has already parsed it
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
    pageKey: (url) => pageKey(jobId, url, request),
    checkRobots,
    robots,
    filterLinks(links, from, signal) {
      const site = scope.checkPage(from.url);
      // Links on a page of another site are not followed, however the crawl reached that page.
      if ('external' in site && site.external)
        return Promise.resolve({ found: [], blocked: [], homepages: [] });
      const verdicts = links.map((link) => [link, scope.checkLink(link, from)] as const);
      return sortLinks(verdicts, new URL(from.url), signal);
    },
    filterSitemapUrls(urls, signal) {
      const verdicts = urls.map((url) => [url, scope.checkPage(url)] as const);
      return sortLinks(verdicts, new URL(base), signal);
    },
    findSkipReason(url) {
      const verdict = scope.checkPage(url);
      return 'denied' in verdict ? verdict.denied : undefined;
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
  hashOf(`${jobId} ${canonicalKey(url, options)}`);

/** The first 128 bits of a SHA-256 hash, which are enough to avoid collisions. */
const hashOf = (key: string) => createHash('sha256').update(key).digest().subarray(0, 16);
