import { ServiceError } from '../errors.ts';

/**
 * A signal that fires when a page has had its time, or when another one does.
 * @param outer e.g. the cancellation of the activity
 */
export function startDeadline(
  { url, timeout: timeoutMs }: { url: string; timeout: number },
  outer: AbortSignal,
) {
  const timeout = new AbortController();
  const timer = setTimeout(() => {
    const message = `${url} took longer than the timeout of ${timeoutMs} ms. Try again with a larger timeout.`;
    timeout.abort(new ServiceError('SCRAPE_TIMEOUT', message));
  }, timeoutMs);
  return {
    signal: AbortSignal.any([timeout.signal, outer]),
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
