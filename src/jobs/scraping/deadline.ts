import { ServiceError } from '../../errors.ts';

/** The time limit of a page. */
export interface Deadline extends Disposable {
  /** Fires when the time is over or when the outer signal fires. */
  signal: AbortSignal;
  /** Returns the milliseconds until the signal fires, unless the page begins or ends a wait. */
  remainingMs(): number;
  /** Milliseconds that the page has waited for its turn; see `duringWait`. */
  readonly waitedMs: number;
  /** Whether the conversion of a document has continued after the time limit. */
  readonly isOvertime: boolean;
  /**
   * Runs a wait that is not the page's own work. The time limit is suspended meanwhile.
   * @param maxMs the longest that it may take without a break; three minutes by default
   */
  duringWait<Result>(wait: () => Promise<Result>, maxMs?: number): Promise<Result>;
  /**
   * Runs the conversion of a document, which may continue after the time limit. If it does, the page gets
   * {@link FINISH_MS} for the rest of its work.
   * @param overtimeMs called when the time limit has passed; returns for how long the conversion may
   * continue, 0 to end it
   */
  duringConversion<Result>(convert: () => Promise<Result>, overtimeMs: () => number): Promise<Result>;
}

/** The longest that a page may wait for its turn without a break, in milliseconds. */
const MAX_WAIT_MS = 180_000;

/** Time for deriving the formats of a document that was converted after the time limit, in milliseconds. */
const FINISH_MS = 60_000;

/**
 * Starts the time limit of a page. When it is over, the signal's reason is a `SCRAPE_TIMEOUT` error; after a
 * wait that took too long, the reason is a `CONCURRENCY_QUEUE_TIMEOUT` error.
 * @param outer another signal that ends the page, such as the cancellation of the activity
 */
export function startDeadline(
  { url, timeout: timeoutMs }: { url: string; timeout: number },
  outer: AbortSignal,
): Deadline {
  const controller = new AbortController();
  const abortWork = () => {
    const message = `${url} took longer than the timeout of ${timeoutMs} ms. Try again with a larger timeout.`;
    controller.abort(new ServiceError('SCRAPE_TIMEOUT', message));
  };
  const abortWait = (maxMs: number) => {
    const message = `${url} waited longer than ${maxMs} ms for its turn in the browser or at the parsers of documents.`;
    controller.abort(new ServiceError('CONCURRENCY_QUEUE_TIMEOUT', message));
  };
  let remainingMs = timeoutMs;
  let switchedAt = performance.now();
  let endsAt = switchedAt + timeoutMs;
  let waitedMs = 0;
  let waits = 0;
  let isDisposed = false;
  let isOvertime = false;
  // Called at the end of the time limit. It is replaced when the conversion of a document may continue beyond
  // the limit.
  let atLimit = abortWork;
  let timer = setTimeout(() => atLimit(), timeoutMs);
  /**
   * Switches between work and waiting, and calls `next` after `ms` milliseconds without another switch.
   * @returns milliseconds since the previous switch
   */
  const switchTimer = (next: () => void, ms: number) => {
    clearTimeout(timer);
    if (!isDisposed) timer = setTimeout(next, ms);
    const now = performance.now();
    const elapsedMs = now - switchedAt;
    switchedAt = now;
    endsAt = now + ms;
    return elapsedMs;
  };
  return {
    signal: AbortSignal.any([controller.signal, outer]),
    remainingMs: () => Math.max(0, endsAt - performance.now()),
    get waitedMs() {
      return waitedMs;
    },
    get isOvertime() {
      return isOvertime;
    },
    async duringWait(wait, maxMs = MAX_WAIT_MS) {
      if (waits++ === 0) remainingMs -= switchTimer(() => abortWait(maxMs), maxMs);
      try {
        return await wait();
      } finally {
        if (--waits === 0) waitedMs += switchTimer(() => atLimit(), Math.max(0, remainingMs));
      }
    },
    async duringConversion(convert, overtimeMs) {
      atLimit = () => {
        const ms = overtimeMs();
        if (ms === 0) return abortWork();
        isOvertime = true;
        switchTimer(() => {
          const message = `${url} was not converted within ${ms / 60_000} minutes after its timeout. If it is a PDF, request fewer of its pages (maxPages), or leave out OCR (mode "fast").`;
          controller.abort(new ServiceError('SCRAPE_TIMEOUT', message));
        }, ms);
      };
      try {
        return await convert();
      } finally {
        atLimit = abortWork;
        if (isOvertime) switchTimer(abortWork, FINISH_MS);
      }
    },
    [Symbol.dispose]() {
      isDisposed = true;
      clearTimeout(timer);
    },
  };
}
