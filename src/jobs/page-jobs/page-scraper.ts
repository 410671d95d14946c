import type { Claim } from '../../storage/db/pages/claims.ts';
import type { RecordAndClaimResult } from '../../storage/db/pages/record-and-claim.ts';
import type { LinkFilter } from '../crawl/link-filter.ts';
import type { LinkFilterCache } from '../crawl/link-filter-cache.ts';
import { ChunkLog } from './chunk-log.ts';
import type { ScrapedPage } from './finished-pages.ts';
import type { LoadedPageJob } from './load-page-job.ts';
import { type PageDeps, scrapeClaimedPage } from './scrape-claimed-page.ts';

/** Scrapes the pages of one job for one page worker, and collects the figures for the report of the chunk. */
export class PageScraper {
  readonly chunk = new ChunkLog();
  readonly #jobId: string;
  readonly #job: LoadedPageJob;
  readonly #linkFilters: LinkFilterCache;
  readonly #deps: Omit<PageDeps, 'onFetched'>;
  readonly #maxArchiveBytes: number;
  #linkFilter: LinkFilter | undefined;

  constructor(
    jobId: string,
    job: LoadedPageJob,
    {
      linkFilters,
      maxArchiveBytes,
      ...deps
    }: Omit<PageDeps, 'onFetched'> & { linkFilters: LinkFilterCache; maxArchiveBytes: number },
  ) {
    this.#maxArchiveBytes = maxArchiveBytes;
    this.#jobId = jobId;
    this.#job = job;
    this.#linkFilters = linkFilters;
    this.#deps = deps;
  }

  /** Patterns of endless URL series, with the number of URLs of each that a crawl left out. */
  get trapped(): ReadonlyMap<string, number> {
    return this.#linkFilter?.trapped ?? new Map();
  }

  /** Number of links that a crawl left out because comparing them with its patterns takes too many steps. */
  get unmatched(): number {
    return this.#linkFilter?.unmatched ?? 0;
  }

  /**
   * Scrapes a claimed page.
   * @param state the state of the job after the last step of the page worker
   * @param onFetched called when the host is done with the page
   */
  scrape(claim: Claim, state: RecordAndClaimResult, onFetched: () => void): Promise<ScrapedPage> {
    const { teamId, cipher, options, crawl, archive } = this.#job;
    const linkFilterAt = crawl && ((base: string) => this.#linkFilterAt(crawl, base));
    const context = {
      jobId: this.#jobId,
      teamId,
      request: options,
      linkFilterAt,
      linkFilter: linkFilterAt?.(state.base ?? claim.url),
      crawlStart: crawl?.start,
      followsLinks: crawl !== undefined && crawl.request.sitemap !== 'only',
      zeroDataRetention: cipher.encrypts,
      requestsOneByOne: Boolean(state.delayMs),
      archive: archive && state.archivedBytes < this.#maxArchiveBytes,
    };
    return this.#countOpen(() =>
      this.chunk.observe(claim, (addHostTime) =>
        scrapeClaimedPage(claim, context, {
          ...this.#deps,
          onFetched(requestMs) {
            if (requestMs !== undefined) addHostTime(requestMs);
            onFetched();
          },
        }),
      ),
    );
  }

  /** Observes a page whose result is in the database. One that was not begun with has no record. */
  observe({ end: { trace, outcome }, endedAt }: ScrapedPage): void {
    if (!trace || endedAt === undefined) return;
    const { totalMs: startMs = 0, stages = [] } = trace;
    const store = { stage: 'store', startMs, ms: performance.now() - endedAt } as const;
    const { teamId } = this.#job;
    this.#deps.metrics.observePage(trace, { teamId, outcome, stages: [...stages, store] });
  }

  async #countOpen<Result>(scrape: () => Promise<Result>): Promise<Result> {
    const { open } = this.#deps.metrics;
    open.inc();
    try {
      return await scrape();
    } finally {
      open.dec();
    }
  }

  #linkFilterAt(crawl: NonNullable<LoadedPageJob['crawl']>, base: string): LinkFilter {
    const linkFilter = this.#linkFilters.get({
      ...crawl,
      jobId: this.#jobId,
      teamId: this.#job.teamId,
      cipher: this.#job.cipher,
      base,
    });
    this.#linkFilter = linkFilter;
    return linkFilter;
  }
}
