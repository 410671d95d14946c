import { asksToSlowDown, isGone } from '../../../fetch/net/response-status.ts';
import { SeenUrls } from '../seen-urls.ts';
import { createTrapGuard } from '../traps/trap-guard.ts';
import { type DiscoveryCrawlEnd, type PageVisit, runDiscoveryCrawl } from './discovery-crawl.ts';
import { createFrontier, type FrontierUrl } from './frontier.ts';
import { type MapContext, mayList } from './map-context.ts';
import type { MapPage, MapPageFetcher } from './page-fetcher.ts';

/** How many links are remembered, so that each one is checked only once. */
const MAX_REMEMBERED_LINKS = 200_000;
/** Extensions of files that are not HTML pages. They are listed, but not fetched. */
const NOT_A_PAGE = /\.(?:pdf|docx?|odt|rtf|epub|xml|rss|atom|json|txt|csv|md|ps)$/i;

/**
 * Adds the links on the pages of the site, starting with the start page.
 * @param options.start the start page
 * @param options.mayEndEarly and `requestsPerHost`: as in {@link runDiscoveryCrawl}
 */
export async function followLinks(
  context: MapContext,
  pages: MapPageFetcher,
  { start, ...options }: { start: MapPage; mayEndEarly: boolean; requestsPerHost: number },
): Promise<DiscoveryCrawlEnd> {
  const { scope, links, robots, discoveryDeadline } = context;
  const frontier = createFrontier([start.url]);
  const traps = createTrapGuard();
  const seen = new SeenUrls(MAX_REMEMBERED_LINKS);

  /** Adds the links of a page. @returns how many of them are new to the map */
  async function addLinksOf(page: MapPage, depth: number): Promise<number> {
    const before = links.size;
    const newLinks = page.links.filter((link) => seen.add(link));
    for (const url of await scope.acceptLinks(newLinks, page.url)) {
      if (!traps.admits(url) || !mayList(context, url)) continue;
      links.add(url);
      if (!NOT_A_PAGE.test(new URL(url).pathname)) frontier.add({ url, depth: depth + 1 });
    }
    return links.size - before;
  }

  async function visit({ url, depth }: FrontierUrl, signal: AbortSignal): Promise<PageVisit> {
    if (!(await robots.mayFetch(url, signal))) {
      links.remove(url);
      links.addExcluded(url);
      return { newLinks: 0 };
    }
    const page = await pages.fetchPage(url, signal);
    if (page && isGone(page.statusCode)) links.remove(url);
    if (page && asksToSlowDown(page.statusCode))
      return { newLinks: 0, isThrottled: true, retryAfterMs: page.retryAfterMs };
    if (!page || page.statusCode >= 400) return { newLinks: 0 };
    links.describe(url, page.facts);
    if (page.url === url) return { newLinks: await addLinksOf(page, depth) };
    const [target] = await scope.acceptPages([page.url]);
    // The page redirects out of the site, so its links do not belong to the map.
    if (!target || !mayList(context, target)) return { newLinks: 0 };
    const isNewTarget = links.add(target, page.facts);
    return { newLinks: Number(isNewTarget) + (await addLinksOf(page, depth)) };
  }

  await addLinksOf(start, 0);
  const { crawlDelayMs: delayMs } = await robots.readRules(start.url, discoveryDeadline);
  const isEnough = () => links.isFull;
  return runDiscoveryCrawl({ frontier, visit, isEnough, signal: discoveryDeadline, ...options, delayMs });
}
