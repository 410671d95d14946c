import { type DiscoveryCrawlEnd, type PageVisit, runDiscoveryCrawl } from '../crawl/map/discovery-crawl.ts';
import { createFrontier, type FrontierUrl } from '../crawl/map/frontier.ts';
import { createMemory } from '../crawl/seen-urls.ts';
import { createTrapGuard } from '../crawl/traps/trap-guard.ts';
import { isGone, type MapContext, mayList } from './map-context.ts';
import type { MapPage, MapPageFetcher } from './page-fetcher.ts';

/** How many links are remembered, so that each one is judged only once. */
const MOST_REMEMBERED = 200_000;
const ASKS_FOR_REST = new Set([429, 503]);
/** Extensions of files that are no HTML pages. They are listed, but not fetched. */
const NO_PAGE = /\.(?:pdf|docx?|odt|rtf|epub|xml|rss|atom|json|txt|csv|md|ps)$/i;

/**
 * Adds the links on the pages of the site, starting with the start page.
 * @param from.start the start page
 * @param from.mayEndEarly and `requestsPerHost`: as in {@link runDiscoveryCrawl}
 */
export async function followLinks(
  ground: MapContext,
  pages: MapPageFetcher,
  { start, ...light }: { start: MapPage; mayEndEarly: boolean; requestsPerHost: number },
): Promise<DiscoveryCrawlEnd> {
  const { scope, links, rules, enough } = ground;
  const frontier = createFrontier([start.url]);
  const traps = createTrapGuard();
  const isNew = createMemory(MOST_REMEMBERED);

  /** Adds the links of a page. @returns how many of them are new to the map */
  function follow(page: MapPage, depth: number): number {
    const before = links.size;
    for (const link of page.links) {
      const url = isNew(link) ? scope.acceptLink(link, page.url) : undefined;
      if (!url || !traps.admits(url) || !mayList(ground, url)) continue;
      links.add(url);
      if (!NO_PAGE.test(new URL(url).pathname)) frontier.add({ url, depth: depth + 1 });
    }
    return links.size - before;
  }

  async function visit({ url, depth }: FrontierUrl, signal: AbortSignal): Promise<PageVisit> {
    if (!(await rules.mayFetch(url, signal))) {
      links.remove(url);
      links.addExcluded(url);
      return { newLinks: 0 };
    }
    const page = await pages.plain(url, signal);
    if (page && isGone(page.statusCode)) links.remove(url);
    if (page && ASKS_FOR_REST.has(page.statusCode))
      return { newLinks: 0, isThrottled: true, retryAfterMs: page.retryAfterMs };
    if (!page || page.statusCode >= 400) return { newLinks: 0 };
    links.describe(url, page.facts);
    if (page.url === url) return { newLinks: follow(page, depth) };
    const target = scope.acceptPage(page.url);
    // The page leads out of the site, so its links do not belong to the map.
    if (!target || !mayList(ground, target)) return { newLinks: 0 };
    const isNewTarget = links.add(target, page.facts);
    return { newLinks: Number(isNewTarget) + follow(page, depth) };
  }

  follow(start, 0);
  const { crawlDelayMs: delayMs } = await rules.readRules(start.url, enough);
  const isEnough = () => links.isFull;
  return runDiscoveryCrawl({ frontier, visit, isEnough, signal: enough, ...light, delayMs });
}
