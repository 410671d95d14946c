import { ServiceError } from '../errors.ts';

/** The time limit of a page. */
export interface Deadline extends Disposable {
  /** Fires when the time is over or when the outer signal fires. */
  signal: AbortSignal;
  /** Milliseconds that the page has waited for its turn; see `duringWait`. */
  readonly waitedMs: number;
  /** Runs a wait that is not the page's own work. The time limit is suspended meanwhile. */
  duringWait<Result>(wait: () => Promise<Result>): Promise<Result>;
}

/** The longest that a page may wait for its turn without a break, in milliseconds. */
const LONGEST_WAIT_MS = 180_000;

/**
 * Starts the time limit of a page. When it is over, the signal's reason is a `SCRAPE_TIMEOUT` error; after a
 * wait that took too long, the reason is a `CONCURRENCY_QUEUE_TIMEOUT` error.
 * @param outer another signal that ends the page, such as the cancellation of the activity
 */
export function startDeadline(
  { url, timeout: timeoutMs }: { url: string; timeout: number },
  outer: AbortSignal,
): Deadline {
  const over = new AbortController();
  const end = () => {
    const message = `${url} took longer than the timeout of ${timeoutMs} ms. Try again with a larger timeout.`;
    over.abort(new ServiceError('SCRAPE_TIMEOUT', message));
  };
  const giveUp = () => {
    const message = `${url} waited longer than ${LONGEST_WAIT_MS} ms for its turn in the browser.`;
    over.abort(new ServiceError('CONCURRENCY_QUEUE_TIMEOUT', message));
  };
  let leftMs = timeoutMs;
  let since = performance.now();
  let waitedMs = 0;
  let waits = 0;
  let isDisposed = false;
  let timer = setTimeout(end, timeoutMs);
  /**
   * Switches between work and waiting, and calls `next` after `ms` milliseconds without another switch.
   * @returns milliseconds since the previous switch
   */
  const turn = (next: () => void, ms: number) => {
    clearTimeout(timer);
    if (!isDisposed) timer = setTimeout(next, ms);
    const now = performance.now();
    const passedMs = now - since;
    since = now;
    return passedMs;
  };
  return {
    signal: AbortSignal.any([over.signal, outer]),
    get waitedMs() {
      return waitedMs;
    },
    async duringWait(wait) {
      if (waits++ === 0) leftMs -= turn(giveUp, LONGEST_WAIT_MS);
      try {
        return await wait();
      } finally {
        if (--waits === 0) waitedMs += turn(end, Math.max(0, leftMs));
      }
    },
    [Symbol.dispose]() {
      isDisposed = true;
      clearTimeout(timer);
    },
  };
}
