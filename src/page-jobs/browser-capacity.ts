/** A job's access to the browser of this worker, as one lane of the job uses it. */
export interface JobBrowserCapacity extends Disposable {
  /** Takes places for up to `want` pages. @returns the number of places taken, which may be 0 */
  take(want: number): number;
  /** Returns places that were taken, but for which the job has no pages. */
  decline(count: number): void;
  /** Returns places whose pages have ended. */
  release(count: number): void;
}

/** How long, in milliseconds, a job counts as short of places after it got fewer than it requested. */
const LACK_MS = 1_000;

/** The places of one job. */
interface Share {
  lanes: number;
  taken: number;
  /** Time on the clock of `performance.now()` until which the job counts as short of places. */
  lacksUntil: number;
}

/**
 * Divides the pages that the browser of this worker may have open among the jobs, so that lanes do not claim
 * more pages than can be open. Jobs that are short of places get equal shares; other jobs may use what a job
 * leaves of its share.
 */
export class BrowserCapacity {
  readonly #count: number;
  readonly #jobs = new Map<string, Share>();

  /** @param count the maximum number of pages that the browser has open at once */
  constructor(count: number) {
    this.#count = count;
  }

  /**
   * Adds a lane of a job. Disposing of the result removes the lane and returns all places that it still
   * holds.
   */
  join(jobId: string): JobBrowserCapacity {
    const job = this.#jobs.get(jobId) ?? { lanes: 0, taken: 0, lacksUntil: 0 };
    this.#jobs.set(jobId, job);
    job.lanes++;
    let held = 0;
    const change = (count: number) => {
      held += count;
      job.taken += count;
    };
    return {
      take: (want) => {
        const allowed = Math.max(0, Math.min(want, this.#allowedTo(job)));
        job.lacksUntil = allowed < want ? performance.now() + LACK_MS : 0;
        change(allowed);
        return allowed;
      },
      decline: (count) => {
        job.lacksUntil = 0;
        change(-count);
      },
      release: (count) => change(-count),
      [Symbol.dispose]: () => {
        change(-held);
        if (--job.lanes === 0) this.#jobs.delete(jobId);
      },
    };
  }

  #allowedTo(job: Share): number {
    const jobs = [...this.#jobs.values()];
    const share = Math.max(1, Math.floor(this.#count / jobs.length));
    const free = this.#count - jobs.reduce((sum, { taken }) => sum + taken, 0);
    const owed = jobs
      .filter((other) => other !== job && other.lacksUntil > performance.now())
      .reduce((sum, { taken }) => sum + Math.max(0, share - taken), 0);
    return Math.min(free, Math.max(share - job.taken, free - owed));
  }
}
