/** A job's part of the browser of a worker. */
export interface JobPlaces extends Disposable {
  /** Takes places for as many pages as may be opened now. @returns how many, `want` at most */
  take(want: number): number;
  /** Gives places back that the job has no pages for. */
  decline(count: number): void;
  /** Gives places back whose pages have ended. */
  release(count: number): void;
}

/** A job asks again within this time, or lacks no more places. */
const LACK_MS = 1_000;

/** What a job has of the places. */
interface Share {
  lanes: number;
  taken: number;
  /** Until when it counts as one that would have taken more. */
  lacksUntil: number;
}

/**
 * Places for pages that jobs open in the browser of this worker: no more pages are claimed than can be open. Jobs that
 * lack places share them equally; what one does not use, the others may.
 */
export class BrowserPlaces {
  readonly #count: number;
  readonly #jobs = new Map<string, Share>();

  /** @param count pages that the browser has open at once */
  constructor(count: number) {
    this.#count = count;
  }

  /** Takes part for a lane of a job, until it is disposed of; what the lane still holds then is free. */
  join(jobId: string): JobPlaces {
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
