import { setCurrentDetails, sleep } from '@temporalio/workflow';
import { discovery } from './activities.ts';
import { type PageJobInput, runPageJob } from './page-jobs.ts';

/**
 * Scrapes a site: reads its robots.txt, then scrapes its start page, then its other pages while its sitemaps
 * are read.
 */
export const crawl = (input: PageJobInput) =>
  runPageJob(input, async () => {
    let prepared = await discovery.prepareCrawl(input.jobId);
    // No page of the crawl may be fetched while the robots.txt of the host is unavailable.
    while (prepared.waitMs !== undefined) {
      setCurrentDetails('The robots.txt of the site is unavailable. It will be requested again.');
      await sleep(prepared.waitMs);
      prepared = await discovery.prepareCrawl(input.jobId);
    }
    return prepared.sitemaps ? () => discovery.readSitemaps(input.jobId) : undefined;
  });
