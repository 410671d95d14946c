import { type FailedPage, type HostTime, shownUrl } from '../../storage/db/jobs/job-summary.ts';
import { hasEnded } from '../../storage/db/pages/record-and-claim.ts';
import type { ScrapedPage } from './finished-pages.ts';

/**
 * The outcome of one chunk, i.e. of one run of the activity `scrapePages`. Temporal shows it as part of the
 * activity's result.
 */
export interface ChunkReport {
  /** Ordinals of the pages that ended, e.g. `0-15, 18`. */
  pages: string;
  /** Number of failed pages by error code; absent if no page failed. */
  failed?: Record<string, number>;
  /** The first pages that failed, at most five; absent if no page failed. */
  failedPages?: FailedPage[];
  /** Number of pages that will be tried again; absent if there are none. */
  retried?: number;
  /**
   * Number of pages that were put off without a request, because robots.txt was unavailable or the browser
   * was full; absent if there are none.
   */
  postponed?: number;
}

/** Failed pages that a chunk names at most, so that a history of thousands of chunks stays small. */
const MAX_FAILED_PAGES = 5;

/** Counts the outcomes of the pages of one chunk and measures how long their hosts took. */
export class ChunkLog {
  readonly #ended: number[] = [];
  readonly #failed: Record<string, number> = {};
  readonly #failedPages: FailedPage[] = [];
  #retried = 0;
  #postponed = 0;
  readonly #hosts = new Map<string, HostTime>();

  /**
   * Scrapes a page and counts its outcome.
   * @param scrape receives a function to be called when the host is done with the page, with the
   *   milliseconds that the host took
   */
  async observe(
    { ordinal, host, url }: { ordinal: number; host: string; url: string },
    scrape: (onFetched: (ms: number) => void) => Promise<ScrapedPage>,
  ): Promise<ScrapedPage> {
    const page = await scrape((ms) => this.#addTime(host, ms));
    const { outcome, error, isUncounted } = page.end;
    if (hasEnded(page.end)) this.#ended.push(ordinal);
    else if (outcome === 'retry' && !isUncounted) this.#retried++;
    else this.#postponed++;
    if (outcome === 'failed' && error) this.#addFailure(url, error.code);
    return page;
  }

  #addFailure(url: string, code: string): void {
    this.#failed[code] = (this.#failed[code] ?? 0) + 1;
    if (this.#failedPages.length < MAX_FAILED_PAGES) this.#failedPages.push({ url: shownUrl(url), code });
  }

  #addTime(host: string, ms: number): void {
    const { requests, ms: before } = this.#hosts.get(host) ?? { requests: 0, ms: 0 };
    this.#hosts.set(host, { host, requests: requests + 1, ms: before + ms });
  }

  get report(): ChunkReport {
    return {
      pages: rangesOf(this.#ended),
      ...(this.#failedPages.length && { failed: this.#failed, failedPages: this.#failedPages }),
      ...(this.#retried && { retried: this.#retried }),
      ...(this.#postponed && { postponed: this.#postponed }),
    };
  }

  get hostTimes(): HostTime[] {
    return [...this.#hosts.values()];
  }
}

/** Formats numbers as ranges: 0, 1, 2, 3 and 7, in any order, become `0-3, 7`. */
export function rangesOf(numbers: number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const current = ranges.at(-1);
    if (current && number <= current[1] + 1) current[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(', ');
}
