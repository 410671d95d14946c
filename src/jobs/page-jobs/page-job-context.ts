import type { ScrapeRequest } from '../../schemas/scrape.ts';
import type { LinkFilter } from '../crawl/link-filter.ts';

/** The context that all pages of a job share. */
export interface PageJobContext {
  jobId: string;
  teamId: string;
  /** The scrape options of all pages; the URL comes from the claim. */
  request: ScrapeRequest;
  /** The link filter of a crawl; `undefined` for a batch. */
  linkFilter: LinkFilter | undefined;
  /**
   * Returns the link filter that a crawl has if its start page leads to this URL; `undefined` for a batch.
   */
  linkFilterAt: ((url: string) => LinkFilter) | undefined;
  /** The start URL of a crawl; `undefined` for a batch. */
  crawlStart: string | undefined;
  /** Whether links on the pages lead to more pages of the job. */
  followsLinks: boolean;
  /** Whether the job has zero data retention, so that the log may contain nothing of its pages. */
  zeroDataRetention: boolean;
  /**
   * Whether a host gets its next request only when a page has been read, because the job has a delay.
   * Otherwise a page that the browser only watches for late changes no longer counts, even if one of these
   * changes is another request.
   */
  requestsOneByOne: boolean;
  /** Whether the responses of the site are kept. */
  archive: boolean;
}
