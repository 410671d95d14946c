import { setTimeout as sleep } from 'node:timers/promises';

/** How often and until when a condition is checked. */
export interface PollOptions {
  /**
   * Milliseconds between two checks. By default they grow from 50 to 1,000, to about a fifth of the time
   * waited so far, because each check costs the service work.
   */
  intervalMs?: number;
  /** Ends the polling with the reason of the abort. */
  signal?: AbortSignal;
}

const FIRST_INTERVAL_MS = 50;
const LAST_INTERVAL_MS = 1_000;
const GROWTH = 1.2;

/**
 * Calls a function until it returns a value that is not `undefined`, `null` or `false`. It has no timeout of
 * its own: the timeout of the test ends it.
 * @returns that value
 * @example
 * const status = await pollUntil(async () => {
 *   const { body } = await call(`/v2/crawl/${id}`);
 *   return body.status === 'completed' && body;
 * });
 */
export async function pollUntil<T>(
  read: () => T | Promise<T>,
  { intervalMs, signal }: PollOptions = {},
): Promise<Exclude<T, undefined | null | false>> {
  for (let waitMs = intervalMs ?? FIRST_INTERVAL_MS; ; ) {
    signal?.throwIfAborted();
    const value = await read();
    // The cast repeats the three comparisons, which TypeScript cannot narrow for a type parameter.
    if (value !== undefined && value !== null && value !== false)
      return value as Exclude<T, undefined | null | false>;
    await sleep(waitMs, undefined, signal && { signal });
    waitMs = intervalMs ?? Math.min(LAST_INTERVAL_MS, waitMs * GROWTH);
  }
}
