import { setTimeout as sleep } from 'node:timers/promises';

/** How often and until when a condition is checked. */
export interface PollOptions {
  /** Milliseconds between two checks; default 50. */
  intervalMs?: number;
  /** Ends the polling with the reason of the abort. */
  signal?: AbortSignal;
}

/**
 * Calls a function until it returns a value that is not `undefined`, `null` or `false`. It has no timeout of its own:
 * the timeout of the test ends it.
 * @returns that value
 */
export async function pollUntil<T>(
  read: () => T | Promise<T>,
  { intervalMs = 50, signal }: PollOptions = {},
): Promise<Exclude<T, undefined | null | false>> {
  for (;;) {
    signal?.throwIfAborted();
    const value = await read();
    // The cast repeats the three comparisons, which TypeScript cannot narrow for a type parameter.
    if (value !== undefined && value !== null && value !== false)
      return value as Exclude<T, undefined | null | false>;
    await sleep(intervalMs, undefined, signal && { signal });
  }
}
