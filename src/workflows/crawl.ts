import { discovery } from './activities.ts';
import { type PageJobInput, runPageJob } from './pages.ts';

/** Scrapes a site: first where it is and what it allows, then its pages, while its sitemaps are read. */
export const crawl = (input: PageJobInput) =>
  runPageJob(input, async () => {
    const { sitemaps } = await discovery.prepareCrawl(input.jobId);
    return sitemaps ? () => discovery.readSitemaps(input.jobId) : undefined;
  });
