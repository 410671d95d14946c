import { ServiceError } from '../../../errors.ts';
import { isGone } from '../../../fetch/net/response-status.ts';
import type { Database } from '../../../storage/db/client.ts';
import type { LinkFilterCache } from '../link-filter-cache.ts';
import { createMapRobots, type MapRobots } from '../robots/map-robots.ts';
import type { SitemapReport } from '../sitemaps/fetch-sitemaps.ts';
import { startUrlAfterRedirect } from '../start-url.ts';
import type { DiscoveryCrawlEnd } from './discovery-crawl.ts';
import { followLinks } from './follow-links.ts';
import { addIndexedLinks, addSitemapLinks } from './listed-links.ts';
import { type MapContext, type MapInput, mayList } from './map-context.ts';
import { createMapLinks, type MapLinks } from './map-links.ts';
import { createMapScope } from './map-scope.ts';
import {
  createMapPageFetcher,
  type MapFetcherDeps,
  type MapPage,
  type MapPageFetcher,
} from './page-fetcher.ts';

/** Dependencies of link discovery. */
export interface LinkDiscoveryDeps extends MapFetcherDeps {
  db: Database;
  linkFilters: LinkFilterCache;
  /** Maximum number of requests that a host gets at once. */
  requestsPerHost: number;
}

/**
 * The links of a site, and the outcome of each way to find them. An outcome is absent if the way was not
 * used, or was left early because there were enough links.
 */
export interface DiscoveredLinks {
  links: MapLinks;
  /** The URL of the start page after redirects. */
  base: string;
  /** The path below which all links lie; empty for the whole site. */
  folder: string;
  /**
   * The start page, or why it could not be fetched; `undefined` if it could not be fetched, but is not
   * needed.
   */
  start: MapPage | ServiceError | 'forbidden' | undefined;
  sitemaps?: SitemapReport | 'timeout' | undefined;
  crawl?: DiscoveryCrawlEnd;
}

/**
 * Fetches the start page.
 * @returns the page, or why there is none
 * @throws the reason of the discovery deadline
 */
async function fetchStart(
  pages: MapPageFetcher,
  robots: MapRobots,
  { request, discoveryDeadline: signal }: MapInput,
): Promise<DiscoveredLinks['start']> {
  const rules = await robots.readRules(request.url, signal);
  if (!rules.allows(request.url)) return 'forbidden';
  // With `sitemap: 'only'`, the start page only shows where the site is, so it needs no browser.
  if (request.sitemap === 'only') return pages.fetchPage(request.url, signal);
  try {
    return await pages.fetchStartPage(request.url, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/**
 * Finds the links of a site: first the start page, then the URLs in its sitemaps, then known pages, and last
 * the links that pages contain, until there are enough links or the time is over.
 * @throws the reason of the discovery deadline if it fires before the start page has been fetched
 */
export async function discoverLinks(input: MapInput, deps: LinkDiscoveryDeps): Promise<DiscoveredLinks> {
  const { request, limit } = input;
  const { sitemap, ignoreQueryParameters } = request;
  const { requestsPerHost } = deps;
  const robots = createMapRobots(deps.linkFilters.robots, request);
  const pages = createMapPageFetcher(deps, request, {
    teamId: input.teamId,
    renderSignal: input.timeout,
  });
  const start = await fetchStart(pages, robots, input);
  const page = start instanceof ServiceError || start === 'forbidden' ? undefined : start;
  const base = page?.url ?? request.url;
  const scope = createMapScope(startUrlAfterRedirect(request.url, base), request, {
    renderer: deps.renderer,
    owner: input.teamId,
    signal: input.timeout,
  });
  const links = createMapLinks({ limit, ignoreQueryParameters });
  const context: MapContext = { ...input, base, scope, robots, links };
  await robots.readRules(base, input.discoveryDeadline);

  const [startLink] = await scope.acceptPages([base]);
  if (sitemap !== 'only' && page && startLink && !isGone(page.statusCode) && mayList(context, startLink))
    links.add(startLink, page.facts);
  const discovered: DiscoveredLinks = { links, base, folder: scope.folder, start };
  const before = links.size;
  if (sitemap !== 'skip') discovered.sitemaps = await addSitemapLinks(context, deps);
  if (sitemap === 'only') return discovered;
  // If the sitemaps list pages, following links may end as soon as further pages contain no new links.
  const mayEndEarly = links.size > before;
  if (request.useIndex && !request.ignoreCache) await addIndexedLinks(context, deps.db);
  if (page && !links.isFull) {
    discovered.crawl = await followLinks(context, pages, { start: page, mayEndEarly, requestsPerHost });
  }
  return discovered;
}
