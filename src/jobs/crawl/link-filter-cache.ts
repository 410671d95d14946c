import type { RenderPool } from '../../content/rendering/render-pool.ts';
import type { Database } from '../../storage/db/client.ts';
import { type CrawlContext, createLinkFilter, type LinkFilter } from './link-filter.ts';
import { createCrawlRobots } from './robots/crawl-robots.ts';
import type { RobotsCache } from './robots/robots-cache.ts';

/**
 * The link filters of the crawls that this process works on. All page workers of a crawl share one filter.
 */
export interface LinkFilterCache {
  /**
   * Returns the link filter of a crawl. After a redirect of the start page has changed the crawl's base, this
   * is a different filter.
   */
  get(crawl: CrawlContext): LinkFilter;
  /**
   * Discards the link filters of a crawl. They remember URLs as seen, which is wrong when those URLs may not
   * have been saved.
   */
  discard(jobId: string): void;
  readonly robots: RobotsCache;
}

/**
 * Maximum number of link filters in memory. The least recently used one is discarded, and created again when
 * it is needed.
 */
const MAX_FILTERS = 50;

/**
 * @param deps.maxRobotsWaitMs milliseconds that a crawl waits for an unavailable robots.txt before it gives
 * up
 *   the host
 */
export function createLinkFilterCache(deps: {
  db: Database;
  robotsCache: RobotsCache;
  maxRobotsWaitMs: number;
  renderer: Pick<RenderPool, 'match'>;
}): LinkFilterCache {
  const filters = new Map<string, LinkFilter>();
  const createRobots = ({ jobId, cipher, request }: CrawlContext) =>
    createCrawlRobots({ jobId, cipher, token: request.robotsUserAgent }, deps);
  return {
    robots: deps.robotsCache,
    discard(jobId) {
      for (const name of filters.keys()) if (name.startsWith(jobId)) filters.delete(name);
    },
    get(crawl) {
      const name = `${crawl.jobId} ${crawl.base ?? crawl.start}`;
      const filter =
        filters.get(name) ??
        createLinkFilter(crawl, { robots: createRobots(crawl), renderer: deps.renderer });
      // Inserting the filter again moves it to the end, so the first one in the map is the least recently
      // used.
      filters.delete(name);
      filters.set(name, filter);
      const [oldest] = filters.keys();
      if (filters.size > MAX_FILTERS && oldest !== undefined) filters.delete(oldest);
      return filter;
    },
  };
}
