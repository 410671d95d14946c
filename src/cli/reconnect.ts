import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, ServiceError } from '../errors.ts';

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 8_000;

/** Options of {@link retryWhileUnreachable}. */
export interface ReconnectOptions {
  /** Called with messages that the service became unreachable or reachable. */
  note(text: string): void;
  /** Stops the retries. */
  signal: AbortSignal;
  /** How long after the first failure work is repeated, in milliseconds; default 60,000. */
  timeoutMs?: number;
}

/** Repeats work with growing delays while the service is unreachable, because it may be restarting. */
export async function retryWhileUnreachable<T>(
  work: () => Promise<T>,
  options: ReconnectOptions,
): Promise<T> {
  const { note, signal, timeoutMs = 60_000 } = options;
  let lostAt: number | undefined;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
    try {
      const result = await work();
      if (lostAt !== undefined) note('Winnow is reachable again.');
      return result;
    } catch (error) {
      if (!isUnreachable(error) || signal.aborted) throw error;
      if (lostAt === undefined) {
        lostAt = Date.now();
        const reason = messageOf(error.cause ?? error);
        note(`Winnow is not reachable (${reason}); trying again for ${Math.round(timeoutMs / 1000)} s.`);
      }
      const leftMs = lostAt + timeoutMs - Date.now();
      if (leftMs <= 0) throw error;
      // When the wait is aborted, the failure is thrown.
      await sleep(Math.min(waitMs, leftMs), undefined, { signal }).catch(() => Promise.reject(error));
    }
  }
}

function isUnreachable(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'SERVICE_UNAVAILABLE';
}
