import { policyOf, toServiceError } from '../../errors.ts';
import { asksToSlowDown } from '../../fetch/net/response-status.ts';
import { translateDatabaseError } from '../../storage/db/client.ts';
import type { Claim } from '../../storage/db/pages/claims.ts';
import type { ScrapedPage } from './finished-pages.ts';

/** Maximum number of attempts at a page whose failure may be temporary. */
const MAX_ATTEMPTS = 3;
/**
 * Maximum number of times that a page is lost with its worker. After that it fails, because the page may be
 * what ends the workers.
 */
export const MAX_LOSSES = 8;
/** Milliseconds before the second and the third attempt. */
const RETRY_DELAYS_MS = [2_000, 10_000];
/** The longest that a page waits because its host asked for a pause, in milliseconds. */
export const MAX_RETRY_DELAY_MS = 120_000;
/** Status codes that describe the state of the host rather than the page. */
const TEMPORARY_STATUSES = new Set([429, 502, 503, 504]);

/** Whether a page with this status code gets another attempt. */
export const isRetriedStatus = (claim: Claim, statusCode: number) =>
  TEMPORARY_STATUSES.has(statusCode) && claim.attempts + 1 < MAX_ATTEMPTS;

/**
 * Postpones a page to its next attempt.
 * @param statusCode the status code of the response; `undefined` if there was none
 * @param retryAfterMs milliseconds that the host asked to wait
 */
export function retried(
  claim: Claim,
  { statusCode, retryAfterMs }: { statusCode?: number; retryAfterMs?: number | undefined } = {},
): ScrapedPage {
  const { id, host, attempts } = claim;
  const delayMs = Math.max(retryAfterMs ?? 0, RETRY_DELAYS_MS[attempts] ?? 10_000);
  const retryInMs = Math.min(delayMs, MAX_RETRY_DELAY_MS);
  const page: ScrapedPage = { end: { id, host, outcome: 'retry', retryInMs } };
  if (statusCode !== undefined && asksToSlowDown(statusCode)) {
    page.restMs = Math.min(retryAfterMs ?? retryInMs, MAX_RETRY_DELAY_MS);
  }
  return page;
}

/** Postpones a page until a robots.txt is available. This does not count as an attempt. */
export const postponed = ({ id, host }: Claim, retryInMs: number): ScrapedPage => ({
  end: { id, host, outcome: 'retry', isUncounted: true, retryInMs },
});

/**
 * Decides what becomes of a page that could not be scraped: it is tried again or it fails.
 * @param options.mayRetry whether another attempt may be made if the error allows it
 * @param options.onUnexpected called with an error that is not one of the service's own
 * @throws ServiceError for an error that no single page is to blame for. Its policy decides whether the
 *   activity is retried or the job fails
 */
export function outcomeOfError(
  claim: Claim,
  thrown: unknown,
  { mayRetry, onUnexpected }: { mayRetry: boolean; onUnexpected: (error: unknown) => void },
): ScrapedPage {
  const { id, host, attempts } = claim;
  const error = toServiceError(translateDatabaseError(thrown));
  const { code, message, details } = error;
  const { isJobWide, retry, credits = 0 } = policyOf(code);
  if (isJobWide) throw error;
  // The browser was full all the time. Another worker may have capacity for the page, or this one later.
  if (code === 'CONCURRENCY_QUEUE_TIMEOUT') return { end: { id, host, outcome: 'unstarted' } };
  if (code === 'UNKNOWN_ERROR') onUnexpected(thrown);
  // Another page may be what ended the browser, so this page gets more attempts than after other errors.
  const maxAttempts = code === 'WORKER_LOST' ? MAX_LOSSES : MAX_ATTEMPTS;
  if (mayRetry && retry !== 'never' && attempts + 1 < maxAttempts) return retried(claim);
  return { end: { id, host, outcome: 'failed', credits, error: { code, message, details } } };
}
