import type { Database } from '../db/client.ts';
import { type CrawlContext, createLinkFilter, type LinkFilter } from './link-filter.ts';
import { createCrawlRobots } from './robots/crawl-robots.ts';
import type { RobotsCache } from './robots/robots-cache.ts';

/**
 * The guides (link filters) of the crawls that this process works on. All lanes of a crawl share one guide.
 */
export interface LinkFilterCache {
  /**
   * Returns the guide of a crawl. The guide changes when a redirect of the start page changes the crawl's
   * base.
   */
  get(crawl: CrawlContext): LinkFilter;
  /**
   * Discards the guides of a crawl. They remember URLs as seen, which is wrong when those URLs may not have
   * been saved.
   */
  discard(jobId: string): void;
  readonly robots: RobotsCache;
}

/**
 * Maximum number of guides in memory. The guide that has been unused the longest is discarded and created
 * again when needed.
 */
const MAX_FILTERS = 50;

/**
 * @param doors.patienceMs milliseconds that a crawl waits for an unavailable robots.txt before it gives up
 *   the host
 */
export function createLinkFilterCache(deps: {
  db: Database;
  robotsCache: RobotsCache;
  patienceMs: number;
}): LinkFilterCache {
  const filters = new Map<string, LinkFilter>();
  const robotsOf = ({ jobId, cipher, request }: CrawlContext) =>
    createCrawlRobots({ jobId, cipher, token: request.robotsUserAgent }, deps);
  return {
    robots: deps.robotsCache,
    discard(jobId) {
      for (const name of filters.keys()) if (name.startsWith(jobId)) filters.delete(name);
    },
    get(crawl) {
      const name = `${crawl.jobId} ${crawl.base ?? crawl.start}`;
      const filter = filters.get(name) ?? createLinkFilter(crawl, robotsOf(crawl));
      // Inserting the guide again moves it to the end, so the first one in the map is the least recently
      // used.
      filters.delete(name);
      filters.set(name, filter);
      const [oldest] = filters.keys();
      if (filters.size > MAX_FILTERS && oldest !== undefined) filters.delete(oldest);
      return filter;
    },
  };
}
