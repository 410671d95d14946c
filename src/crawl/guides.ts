import type { Database } from '../db/client.ts';
import { createCrawlRobots } from './crawl-robots.ts';
import { type Crawl, createGuide, type Guide } from './guide.ts';
import type { RobotsBook } from './robots-book.ts';

/**
 * The guides (link filters) of the crawls that this process works on. All lanes of a crawl share one guide.
 */
export interface Guides {
  /**
   * Returns the guide of a crawl. The guide changes when a redirect of the start page changes the crawl's
   * base.
   */
  of(crawl: Crawl): Guide;
  /**
   * Discards the guides of a crawl. They remember URLs as seen, which is wrong when those URLs may not have
   * been saved.
   */
  forget(jobId: string): void;
  readonly robots: RobotsBook;
}

/**
 * Maximum number of guides in memory. The guide that has been unused the longest is discarded and created
 * again when needed.
 */
const MOST_GUIDES = 50;

/**
 * @param doors.patienceMs milliseconds that a crawl waits for an unavailable robots.txt before it gives up
 *   the host
 */
export function createGuides(doors: { db: Database; book: RobotsBook; patienceMs: number }): Guides {
  const guides = new Map<string, Guide>();
  const robotsOf = ({ jobId, cipher, request }: Crawl) =>
    createCrawlRobots({ jobId, cipher, token: request.robotsUserAgent }, doors);
  return {
    robots: doors.book,
    forget(jobId) {
      for (const name of guides.keys()) if (name.startsWith(jobId)) guides.delete(name);
    },
    of(crawl) {
      const name = `${crawl.jobId} ${crawl.base ?? crawl.start}`;
      const guide = guides.get(name) ?? createGuide(crawl, robotsOf(crawl));
      // Inserting the guide again moves it to the end, so the first one in the map is the least recently
      // used.
      guides.delete(name);
      guides.set(name, guide);
      const [oldest] = guides.keys();
      if (guides.size > MOST_GUIDES && oldest !== undefined) guides.delete(oldest);
      return guide;
    },
  };
}
