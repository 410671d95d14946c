import type { HostTime } from '../db/job-summary.ts';
import { isEnded } from '../db/lanes.ts';
import type { ScrapedPage } from './lane.ts';

/** What one chunk of a job did, as its result shows it in Temporal. */
export interface ChunkReport {
  /** Ordinals of the pages that ended, e.g. `0-15, 18`. */
  pages: string;
  /** How many of them failed, by error code; absent where none did. */
  failed?: Record<string, number>;
  /** How many will be tried again; absent where none will. */
  retried?: number;
}

/** Notes what becomes of the pages of one chunk, and how long their hosts took. */
export class ChunkLog {
  readonly #ended: number[] = [];
  readonly #failed: Record<string, number> = {};
  #retried = 0;
  readonly #hosts = new Map<string, HostTime>();

  /**
   * Scrapes a page and notes it.
   * @param scrape is given what to call with the milliseconds that the host took for the page
   */
  async note(
    { ordinal, host }: { ordinal: number; host: string },
    scrape: (noteTime: (ms: number) => void) => Promise<ScrapedPage>,
  ): Promise<ScrapedPage> {
    const page = await scrape((ms) => this.#addTime(host, ms));
    const { outcome, error } = page.end;
    if (isEnded(page.end)) this.#ended.push(ordinal);
    if (outcome === 'retry') this.#retried++;
    if (outcome === 'failed' && error) this.#failed[error.code] = (this.#failed[error.code] ?? 0) + 1;
    return page;
  }

  #addTime(host: string, ms: number): void {
    const { requests, ms: before } = this.#hosts.get(host) ?? { requests: 0, ms: 0 };
    this.#hosts.set(host, { host, requests: requests + 1, ms: before + ms });
  }

  get report(): ChunkReport {
    return {
      pages: rangesOf(this.#ended),
      ...(Object.keys(this.#failed).length && { failed: this.#failed }),
      ...(this.#retried && { retried: this.#retried }),
    };
  }

  get hostTimes(): HostTime[] {
    return [...this.#hosts.values()];
  }
}

/** Numbers in few characters: `0-3, 7` for 0, 1, 2, 3 and 7 in any order. */
export function rangesOf(numbers: number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const current = ranges.at(-1);
    if (current && number <= current[1] + 1) current[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(', ');
}
