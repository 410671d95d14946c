import type { PageCapacity } from './page-capacity.ts';

/** The capacity that one page worker uses. Disposing of it returns all that the page worker still holds. */
export interface WorkerCapacity extends PageCapacity, Disposable {
  reserve(wanted: number): number;
}

/** How long, in milliseconds, a job counts as short of capacity after it got less than it requested. */
const SHORTAGE_MS = 1_000;

/** The part of the capacity that one job uses. */
interface JobUse {
  pageWorkers: number;
  /** Number of pages for which the job has reserved capacity. */
  reserved: number;
  /** Time on the clock of `performance.now()` until which the job counts as short of capacity. */
  shortUntil: number;
}

/**
 * Divides the pages that the browser of this process may have open among the jobs, so that page workers do
 * not claim more pages than can be open. Jobs that are short of capacity get equal shares; other jobs may
 * use what a job leaves of its share.
 */
export class BrowserCapacity {
  readonly #maxPages: number;
  readonly #jobs = new Map<string, JobUse>();

  /** @param maxPages the maximum number of pages that the browser has open at once */
  constructor(maxPages: number) {
    this.#maxPages = maxPages;
  }

  /** Adds a page worker of a job, until the result is disposed of. */
  addPageWorker(jobId: string): WorkerCapacity {
    const job = this.#jobs.get(jobId) ?? { pageWorkers: 0, reserved: 0, shortUntil: 0 };
    this.#jobs.set(jobId, job);
    job.pageWorkers++;
    let reserved = 0;
    const change = (count: number) => {
      reserved += count;
      job.reserved += count;
    };
    return {
      reserve: (wanted) => {
        const granted = Math.max(0, Math.min(wanted, this.#availableTo(job)));
        job.shortUntil = granted < wanted ? performance.now() + SHORTAGE_MS : 0;
        change(granted);
        return granted;
      },
      returnUnused: (count) => {
        job.shortUntil = 0;
        change(-count);
      },
      release: (count) => change(-count),
      [Symbol.dispose]: () => {
        change(-reserved);
        if (--job.pageWorkers === 0) this.#jobs.delete(jobId);
      },
    };
  }

  #availableTo(job: JobUse): number {
    const jobs = [...this.#jobs.values()];
    const share = Math.max(1, Math.floor(this.#maxPages / jobs.length));
    const free = this.#maxPages - jobs.reduce((sum, { reserved }) => sum + reserved, 0);
    /** Capacity that other jobs may still claim, up to their shares. */
    const owed = jobs
      .filter((other) => other !== job && other.shortUntil > performance.now())
      .reduce((sum, { reserved }) => sum + Math.max(0, share - reserved), 0);
    return Math.min(free, Math.max(share - job.reserved, free - owed));
  }
}
