import { JobAbandoned } from '../synchronous-job.ts';

/** Cancellations that are kept until their calls come; those of calls that have ended are among them. */
const MAX_EARLY = 1_000;

/**
 * The calls of clients of the protocol before 2026-07-28, which cancel a call by another request. Later clients close
 * the connection instead.
 */
export class RunningCalls {
  readonly #running = new Map<string, AbortController>();
  /** Calls that were cancelled before they ran, because one request may overtake another; the oldest first. */
  readonly #cancelled = new Set<string>();

  /**
   * Runs a call until it ends or is cancelled.
   * @param session the random id that the client got when it connected; calls without one cannot be cancelled
   * @param id that of the request
   * @param run gets the signal that fires when the call is cancelled
   */
  async run<Result>(
    session: string | undefined,
    id: unknown,
    run: (cancelled: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const cancellation = new AbortController();
    const key = keyOf(session, id);
    if (key !== undefined) this.#running.set(key, cancellation);
    if (key !== undefined && this.#cancelled.delete(key)) cancellation.abort(new JobAbandoned());
    try {
      return await run(cancellation.signal);
    } finally {
      if (key !== undefined && this.#running.get(key) === cancellation) this.#running.delete(key);
    }
  }

  /** Cancels a call, also one that has not come yet. One that has ended, or runs in another process, stays as it is. */
  cancel(session: string | undefined, id: unknown): void {
    const key = keyOf(session, id);
    if (key === undefined) return;
    const running = this.#running.get(key);
    if (running) running.abort(new JobAbandoned());
    else this.#keepCancelled(key);
  }

  #keepCancelled(key: string): void {
    this.#cancelled.add(key);
    const [oldest] = this.#cancelled;
    if (oldest !== undefined && this.#cancelled.size > MAX_EARLY) this.#cancelled.delete(oldest);
  }
}

/** Ids of requests are numbers or strings, and those of one kind differ from those of the other. */
const keyOf = (session: string | undefined, id: unknown) =>
  session === undefined || (typeof id !== 'number' && typeof id !== 'string')
    ? undefined
    : JSON.stringify([session, id]);
