import type { RenderPool } from '../../content/rendering/render-pool.ts';
import type { ServiceError } from '../../errors.ts';
import type { CrawlRequest } from '../../schemas/crawl.ts';
import type { NewPage } from '../../storage/db/pages/pages.ts';
import type { SkippedUrls } from '../../storage/db/pages/skipped-urls.ts';
import type { JobCipher } from '../../system/encryption/job-cipher.ts';
import { canonicalKey } from './canonical-key.ts';
import { hashCanonicalKey, pageKey } from './page-key.ts';
import { PathPatterns } from './path-patterns.ts';
import type { CrawlRobots } from './robots/crawl-robots.ts';
import { createScope, type Scope, type ScopeDecision } from './scope.ts';
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
  findSkipReason(url: string, signal: AbortSignal): Promise<SkipReason | undefined>;
  /**
   * Milliseconds between two pages that the robots.txt of the crawl's host requires (`Crawl-delay`);
   * `undefined` if it requires none, if robots.txt is ignored, or if the request has its own delay.
   */
  readCrawlDelayMs(signal: AbortSignal): Promise<number | undefined>;
  /** Patterns of endless URL series, with the number of URLs of each that were left out. */
  readonly trapped: ReadonlyMap<string, number>;
  /** Number of links that were left out because comparing them with the patterns takes too many steps. */
  readonly unmatched: number;
}

/**
 * Maximum number of URLs that are remembered in memory to save work. The database prevents duplicates.
 */
const MAX_SEEN_URLS = 50_000;

/** The data of a crawl that its link filter needs. */
export interface CrawlContext {
  jobId: string;
  teamId: string;
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

/** What the link filter of a crawl uses. */
interface LinkFilterDeps {
  /** The robots.txt rules of the crawl's hosts. */
  robots: CrawlRobots;
  /** The threads for patterns that may take long. */
  renderer: Pick<RenderPool, 'match'>;
}

/** Creates the link filter of a crawl. */
export const createLinkFilter = (crawl: CrawlContext, deps: LinkFilterDeps): LinkFilter =>
  new CrawlLinkFilter(crawl, deps);

/** A URL as it was found, and whether it belongs to the crawl. */
type CheckedUrl = readonly [url: string, decision: ScopeDecision];

/** Pairs URLs with the decisions about them, of which there is one for each. */
const pair = (urls: string[], decisions: ScopeDecision[]): CheckedUrl[] =>
  decisions.map((decision, place) => [urls[place]!, decision]);

class CrawlLinkFilter implements LinkFilter {
  readonly robots: CrawlRobots;
  unmatched = 0;
  readonly #renderer: LinkFilterDeps['renderer'];
  readonly #teamId: string;
  readonly #patterns: PathPatterns;
  readonly #jobId: string;
  readonly #request: CrawlRequest;
  readonly #base: string;
  readonly #scope: Scope;
  readonly #traps = createTrapGuard();
  readonly #seen = new SeenUrls(MAX_SEEN_URLS);
  /** The origins of the start URL, before and after redirects. */
  readonly #startOrigins: Set<string>;

  constructor(crawl: CrawlContext, { robots, renderer }: LinkFilterDeps) {
    const { jobId, teamId, request, start, base = start } = crawl;
    this.robots = robots;
    this.#renderer = renderer;
    this.#teamId = teamId;
    this.#jobId = jobId;
    this.#request = request;
    this.#base = base;
    this.#scope = createScope({ ...request, startUrl: startUrlAfterRedirect(start, base) });
    this.#patterns = new PathPatterns(request);
    this.#startOrigins = new Set([start, base].map((url) => new URL(url).origin));
  }

  get trapped(): ReadonlyMap<string, number> {
    return this.#traps.trapped;
  }

  pageKey(url: string): Buffer {
    return pageKey(this.#jobId, url, this.#request);
  }

  async checkRobots(url: string, signal: AbortSignal): Promise<FetchPermission> {
    if (this.#request.ignoreRobotsTxt) return 'granted';
    const outcome = await this.robots.readRules(url, signal);
    if ('rules' in outcome) return outcome.rules.allows(url) ? 'granted' : 'refused';
    if ('error' in outcome && this.#startOrigins.has(new URL(url).origin)) throw outcome.error;
    return outcome;
  }

  async filterLinks(
    links: string[],
    from: { url: string; depth: number },
    signal: AbortSignal,
  ): Promise<FilteredLinks> {
    const page = this.#scope.checkPage(from.url);
    // Links on a page of another site are not followed, however the crawl reached that page.
    if ('external' in page && page.external) return { found: [], blocked: [], homepages: [] };
    const decisions = links.map((link) => this.#scope.checkLink(link, from));
    const checked = await this.#applyPatterns(decisions, signal);
    return this.#filter(pair(links, checked), new URL(from.url), signal);
  }

  async filterSitemapUrls(urls: string[], signal: AbortSignal): Promise<FilteredLinks> {
    const decisions = urls.map((url) => this.#scope.checkPage(url));
    const checked = await this.#applyPatterns(decisions, signal);
    return this.#filter(pair(urls, checked), new URL(this.#base), signal);
  }

  async findSkipReason(url: string, signal: AbortSignal): Promise<SkipReason | undefined> {
    const [decision] = await this.#applyPatterns([this.#scope.checkPage(url)], signal);
    return decision && 'skipReason' in decision ? decision.skipReason : undefined;
  }

  async #applyPatterns(decisions: ScopeDecision[], signal: AbortSignal): Promise<ScopeDecision[]> {
    const options = { owner: this.#teamId, urgent: false, signal };
    const applied = await this.#patterns.apply(decisions, this.#renderer, options);
    this.unmatched += applied.filter(
      (decision) => 'skipReason' in decision && decision.skipReason === 'unmatched',
    ).length;
    return applied;
  }

  async readCrawlDelayMs(signal: AbortSignal): Promise<number | undefined> {
    if (this.#request.ignoreRobotsTxt || this.#request.delay !== undefined) return undefined;
    return (await this.robots.readRulesIfAvailable(this.#base, signal))?.crawlDelayMs;
  }

  /** Sorts URLs into new pages and skipped URLs. @param from the page or site that the URLs come from */
  async #filter(checkedUrls: CheckedUrl[], from: URL, signal: AbortSignal): Promise<FilteredLinks> {
    const filtered: FilteredLinks = { found: [], blocked: [], homepages: [] };
    const rules = await this.#readRulesOf(from.origin, checkedUrls, signal);
    for (const [link, decision] of checkedUrls) {
      if ('skipReason' in decision) {
        if (decision.skipReason !== 'externalHomepage') continue;
        const { origin } = new URL(link, from); // the scope has already parsed it
        if (this.#seen.add(origin)) filtered.homepages.push(`${origin}/`);
        continue;
      }
      const { url, depth } = decision;
      const key = canonicalKey(url, this.#request);
      if (!this.#seen.add(key) || !this.#traps.admits(url)) continue;
      const { origin, host } = new URL(url);
      if (rules && origin === from.origin && !rules.allows(url)) filtered.blocked.push(url);
      else filtered.found.push({ url, host, key: hashCanonicalKey(this.#jobId, key), depth });
    }
    return filtered;
  }

  /**
   * Reads the robots.txt rules of an origin if they are available and needed: if one of the URLs is a page of
   * that origin. The rules of other origins are not read here, because `checkRobots` checks every page before
   * it is fetched.
   */
  async #readRulesOf(origin: string, checkedUrls: CheckedUrl[], signal: AbortSignal) {
    if (this.#request.ignoreRobotsTxt) return undefined;
    const isNeeded = checkedUrls.some(
      ([, decision]) => 'url' in decision && new URL(decision.url).origin === origin,
    );
    return isNeeded ? this.robots.readRulesIfAvailable(origin, signal) : undefined;
  }
}
