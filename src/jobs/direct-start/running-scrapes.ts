import { setTimeout as sleep } from 'node:timers/promises';
import { JOINABLE_MS } from './timeline.ts';

/** The work of a scrape. It must end soon after the signal of the scrape has fired. */
type ScrapeWork<Result> = (scrape: RunningScrape<Result>) => Promise<Result>;

/**
 * A scrape that runs in this process. It may outlive the activity that started it, and be joined by the next
 * one.
 */
export class RunningScrape<Result> {
  /**
   * Whether Temporal keeps no track of it, so that it does not count the scrape as an attempt if the process
   * dies.
   */
  readonly isUntracked: boolean;
  /** Whether no attempt follows it, so that an error which the next one may not meet is final. */
  isLast = false;
  /** Returns what the Temporal UI shows while the scrape runs. */
  progress: () => unknown = () => undefined;
  /** The bytes of the document once it is stored, for whoever waits in this process. */
  document: Uint8Array | undefined;
  readonly #aborter = new AbortController();
  readonly #result: Promise<Result>;
  readonly #forget: () => void;
  #waiting = 0;
  #unattended: NodeJS.Timeout | undefined;

  /** @param options.forget called when the scrape can no longer be joined */
  constructor(work: ScrapeWork<Result>, options: { isUntracked: boolean; forget: () => void }) {
    this.isUntracked = options.isUntracked;
    this.#forget = options.forget;
    this.#result = work(this);
    // A failure is reported by the activity that waits. If none does, the work is repeated.
    this.#result.catch(() => undefined);
  }

  /** Fires when the scrape must end: an activity that waited for it was cancelled, or none waits any more. */
  get signal(): AbortSignal {
    return this.#aborter.signal;
  }

  /**
   * Waits for the result before the first activity does, which still gets it, or the error, if it comes
   * within five seconds.
   * @param maxMs the milliseconds to wait; without them, until the end
   * @returns the result; `undefined` if the scrape still runs then
   */
  async waitUntracked(maxMs?: number): Promise<{ result: Result } | undefined> {
    using _ = this.attend();
    return await this.#endWithin(maxMs);
  }

  /** Keeps the scrape running and joinable until five seconds after what it returns is disposed of. */
  attend(): Disposable {
    this.#attend();
    return { [Symbol.dispose]: () => this.#leave() };
  }

  /**
   * Waits for the result.
   * @param signal ends the scrape
   * @param maxMs the milliseconds to wait
   * @returns the result; `undefined` if the scrape still runs then
   */
  async wait(signal: AbortSignal, maxMs?: number): Promise<{ result: Result } | undefined> {
    this.#attend();
    const abort = () => this.#aborter.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    try {
      const ended = await this.#endWithin(maxMs);
      if (ended) this.#forget();
      return ended;
    } catch (error) {
      this.#forget();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#leave();
    }
  }

  async #endWithin(maxMs: number | undefined): Promise<{ result: Result } | undefined> {
    const timer = new AbortController();
    const result = this.#result.then((value) => ({ result: value }));
    const late = maxMs === undefined ? [] : [sleep(maxMs, undefined, { signal: timer.signal })];
    try {
      return await Promise.race([result, ...late]);
    } finally {
      timer.abort();
    }
  }

  #attend(): void {
    clearTimeout(this.#unattended);
    this.#waiting++;
  }

  #leave(): void {
    if (--this.#waiting === 0) this.#abortUnlessAttended();
  }

  #abortUnlessAttended(): void {
    this.#unattended = setTimeout(() => {
      this.#forget();
      this.#aborter.abort(new Error('no activity waits for the scrape any more'));
    }, JOINABLE_MS);
    this.#unattended.unref();
  }
}

/** The scrapes that run in this process, by the ids of their jobs. */
export class RunningScrapes<Result> {
  readonly #running = new Map<string, RunningScrape<Result>>();

  /** Returns the running scrape of a job, or starts it. */
  join(
    jobId: string,
    { isUntracked, work }: { isUntracked: boolean; work: ScrapeWork<Result> },
  ): RunningScrape<Result> {
    const running = this.#running.get(jobId);
    if (running) return running;
    const scrape = new RunningScrape(work, {
      isUntracked,
      forget: () => {
        if (this.#running.get(jobId) === scrape) this.#running.delete(jobId);
      },
    });
    this.#running.set(jobId, scrape);
    return scrape;
  }
}
