import { JobAbandoned } from '../synchronous-job.ts';

/**
 * The calls of clients of the protocol before 2026-07-28, which cancel a call by another request. Later clients close
 * the connection instead.
 */
export class RunningCalls {
  readonly #running = new Map<string, AbortController>();

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
    try {
      return await run(cancellation.signal);
    } finally {
      if (key !== undefined && this.#running.get(key) === cancellation) this.#running.delete(key);
    }
  }

  /** Cancels a call. One that has ended, or runs in another process, stays as it is. */
  cancel(session: string | undefined, id: unknown): void {
    const key = keyOf(session, id);
    if (key !== undefined) this.#running.get(key)?.abort(new JobAbandoned());
  }
}

/** Ids of requests are numbers or strings, and those of one kind differ from those of the other. */
const keyOf = (session: string | undefined, id: unknown) =>
  session === undefined || (typeof id !== 'number' && typeof id !== 'string')
    ? undefined
    : JSON.stringify([session, id]);
