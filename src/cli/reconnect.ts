import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, ServiceError } from '../errors.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;

/** How a lost connection is borne. */
export interface ReconnectOptions {
  /** Hears that the service is away, and that it is back. */
  note(text: string): void;
  /** Ends the waiting. */
  signal: AbortSignal;
  /** After so long without an answer the failure stands; default a minute. */
  longestMs?: number;
}

/** Repeats work with growing waits while the service does not answer: it may just be starting again. */
export async function retryWhileUnreachable<T>(
  work: () => Promise<T>,
  options: ReconnectOptions,
): Promise<T> {
  const { note, signal, longestMs = 60_000 } = options;
  let lostAt: number | undefined;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      const result = await work();
      if (lostAt !== undefined) note('Winnow answers again.');
      return result;
    } catch (error) {
      if (!isAway(error) || signal.aborted) throw error;
      if (lostAt === undefined) {
        lostAt = Date.now();
        const reason = messageOf(error.cause ?? error);
        note(`Winnow does not answer (${reason}); trying again for ${Math.round(longestMs / 1000)} s.`);
      }
      const leftMs = lostAt + longestMs - Date.now();
      if (leftMs <= 0) throw error;
      // Called off, the failure is what there is to say.
      await sleep(Math.min(waitMs, leftMs), undefined, { signal }).catch(() => Promise.reject(error));
    }
  }
}

function isAway(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'SERVICE_UNAVAILABLE';
}
