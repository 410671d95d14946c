import type { Database } from '../db/client.ts';
import { createCrawlRobots } from './crawl-robots.ts';
import { type Crawl, createGuide, type Guide } from './guide.ts';
import type { RobotsBook } from './robots-book.ts';

/** The guides of the crawls that this process works on: made once, shared by all its lanes. */
export interface Guides {
  /** A crawl that moved has another guide. */
  of(crawl: Crawl): Guide;
  /** What a crawl's guide remembers may not have been written down: it begins anew. */
  forget(jobId: string): void;
  readonly robots: RobotsBook;
}

/** Crawls beyond this are judged afresh when their turn comes. */
const MOST_GUIDES = 50;

/** @param doors.patienceMs how long a crawl waits for a robots.txt that is unavailable */
export function createGuides(doors: { db: Database; book: RobotsBook; patienceMs: number }): Guides {
  const guides = new Map<string, Guide>();
  const robotsOf = ({ jobId, seal, request }: Crawl) =>
    createCrawlRobots({ jobId, seal, token: request.robotsUserAgent }, doors);
  return {
    robots: doors.book,
    forget(jobId) {
      for (const name of guides.keys()) if (name.startsWith(jobId)) guides.delete(name);
    },
    of(crawl) {
      const name = `${crawl.jobId} ${crawl.base ?? crawl.start}`;
      const guide = guides.get(name) ?? createGuide(crawl, robotsOf(crawl));
      // Written anew each time, so that the first of the map is the one not used for longest.
      guides.delete(name);
      guides.set(name, guide);
      const [oldest] = guides.keys();
      if (guides.size > MOST_GUIDES && oldest !== undefined) guides.delete(oldest);
      return guide;
    },
  };
}
