import type { CrawlStart } from '../../storage/db/jobs/job-progress.ts';
import type { LinkFilter } from '../crawl/link-filter.ts';
import type { SkipReason } from '../crawl/skip-reason.ts';
import { folderPath } from '../crawl/url-path.ts';

/** The facts about a crawl that its start page reveals. */
export interface StartPage {
  start: CrawlStart;
  /** The link filter of the crawl from now on. */
  linkFilter: LinkFilter;
  /**
   * Why the start page is not a page of the crawl itself. Set only if its requested URL and its URL after
   * redirects are both excluded, so a redirect out of the requested path is no reason.
   */
  skipReason: SkipReason | undefined;
}

/**
 * Determines the base of a crawl, and the link filter that follows from it.
 * @param requested the requested URL of the start page
 * @param url the URL of the start page after redirects
 * @param options.linkFilterAt returns the link filter that the crawl has if its start page leads to a URL
 */
export async function readStartPage(
  requested: string,
  url: string,
  { linkFilterAt, signal }: { linkFilterAt: (url: string) => LinkFilter; signal: AbortSignal },
): Promise<StartPage> {
  const skipReasonOfRequested = await linkFilterAt(requested).findSkipReason(requested, signal);
  const linkFilter = linkFilterAt(url);
  const skipReason = await linkFilter.findSkipReason(url, signal);
  // The crawl delay of the requested host was stored before the first page, see `prepareCrawl`.
  const hasMoved = new URL(url).origin !== new URL(requested).origin;
  const crawlDelayMs = hasMoved ? await linkFilter.readCrawlDelayMs(signal) : undefined;
  const strayed = skipReason === 'startPath' && { strayed: { url, folder: folderPath(new URL(requested)) } };
  return {
    start: { base: url, crawlDelayMs, ...strayed },
    linkFilter,
    skipReason: skipReason && skipReasonOfRequested,
  };
}
