import type { LinkFilterCache } from '../crawl/link-filter-cache.ts';
import type { DiscoveryCrawlEnd } from '../crawl/map/discovery-crawl.ts';
import { createMapLinks, type MapLinks } from '../crawl/map/map-links.ts';
import { createMapScope } from '../crawl/map/map-scope.ts';
import { createMapRobots, type MapRobots } from '../crawl/robots/map-robots.ts';
import type { SitemapReport } from '../crawl/sitemaps/walk-sitemaps.ts';
import { startUrlAfterRedirect } from '../crawl/start-url.ts';
import type { Database } from '../db/client.ts';
import { ServiceError } from '../errors.ts';
import { followLinks } from './follow-links.ts';
import { addIndexedLinks, addSitemapLinks } from './listed-links.ts';
import { isGone, type MapContext, type MapInput, mayList } from './map-context.ts';
import {
  createMapPageFetcher,
  type MapFetcherDeps,
  type MapPage,
  type MapPageFetcher,
} from './page-fetcher.ts';

/** Dependencies of a survey. */
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
  sitemaps?: SitemapReport | 'cut' | undefined;
  crawl?: DiscoveryCrawlEnd;
}

async function openStart(
  pages: MapPageFetcher,
  rules: MapRobots,
  { request, enough }: MapInput,
): Promise<DiscoveredLinks['start']> {
  const robots = await rules.readRules(request.url, enough);
  if (!robots.allows(request.url)) return 'forbidden';
  // With `sitemap: 'only'`, the start page only shows where the site is, so it needs no browser.
  if (request.sitemap === 'only') return pages.plain(request.url, enough);
  try {
    return await pages.start(request.url, enough);
  } catch (error) {
    enough.throwIfAborted();
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/**
 * Finds the links of a site: first the start page, then the URLs in its sitemaps, then known pages, and last
 * the links that pages contain, as far as there are not enough yet and time is left.
 * @throws the reason of `enough` if it fires before the start page has been fetched
 */
export async function discoverLinks(order: MapInput, deps: LinkDiscoveryDeps): Promise<DiscoveredLinks> {
  const { request, limit, enough } = order;
  const { sitemap, ignoreQueryParameters } = request;
  const { requestsPerHost } = deps;
  const rules = createMapRobots(deps.linkFilters.robots, request);
  const pages = createMapPageFetcher(deps, request, order.over);
  const start = await openStart(pages, rules, order);
  const page = start instanceof ServiceError || start === 'forbidden' ? undefined : start;
  const base = page?.url ?? request.url;
  const scope = createMapScope(startUrlAfterRedirect(request.url, base), request);
  const links = createMapLinks({ limit, ignoreQueryParameters });
  const ground: MapContext = { ...order, base, scope, rules, links };
  await rules.readRules(base, enough);

  const first = scope.acceptPage(base);
  if (sitemap !== 'only' && page && first && !isGone(page.statusCode) && mayList(ground, first))
    links.add(first, page.facts);
  const survey: DiscoveredLinks = { links, base, folder: scope.folder, start };
  const before = links.size;
  if (sitemap !== 'skip') survey.sitemaps = await addSitemapLinks(ground, deps);
  if (sitemap === 'only') return survey;
  const mayEndEarly = links.size > before;
  if (request.useIndex && !request.ignoreCache) await addIndexedLinks(ground, deps.db);
  if (page && !links.isFull) {
    survey.crawl = await followLinks(ground, pages, { start: page, mayEndEarly, requestsPerHost });
  }
  return survey;
}
