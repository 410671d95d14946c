import { policyOf, toServiceError } from '../../errors.ts';
import { isConnectionRefused } from '../../fetch/net/fetch-error.ts';
import { asksToSlowDown } from '../../fetch/net/response-status.ts';
import type { Claim } from '../../storage/db/pages/claims.ts';
import { EXTERNAL_HOMEPAGE_CODE } from '../../storage/db/pages/skipped-urls.ts';
import { SKIP_REASONS } from '../crawl/skip-reason.ts';
import type { FinishedDocument } from '../scraping/build-document.ts';
import type { ScrapedPage } from './finished-pages.ts';
import type { PageJobContext } from './page-job-context.ts';
import { readStartPage } from './read-start-page.ts';

/** Maximum number of attempts at a page whose failure may be temporary. */
const MAX_ATTEMPTS = 3;
/**
 * Maximum number of times that a page is lost with its worker. After that it fails, because the page may be
 * what ends the workers.
 */
export const MAX_LOSSES = 8;
/** Milliseconds before the second and the third attempt. */
const RETRY_DELAYS_MS = [2_000, 10_000];
/** The same after a refused connection: a server that restarts listens again within seconds. */
const REFUSED_RETRY_DELAYS_MS = [1_000, 3_000];
/** The longest that a page waits because its host asked for a pause, in milliseconds. */
export const MAX_RETRY_DELAY_MS = 120_000;
/** Status codes that describe the state of the host rather than the page. */
const TEMPORARY_STATUSES = new Set([429, 502, 503, 504]);

/** Whether a page with this status code gets another attempt. */
export const isRetriedStatus = (claim: Claim, statusCode: number) =>
  TEMPORARY_STATUSES.has(statusCode) && claim.attempts + 1 < MAX_ATTEMPTS;

/** What a page gets in place of its content. */
interface Refusal {
  statusCode?: number;
  retryAfterMs?: number | undefined;
  isRefused?: boolean;
}

/**
 * Postpones a page to its next attempt.
 * @param statusCode the status code of the response; `undefined` if there was none
 * @param retryAfterMs milliseconds that the host asked to wait
 * @param isRefused whether the host refused the connection
 */
export function retried(
  claim: Claim,
  { statusCode, retryAfterMs, isRefused = false }: Refusal = {},
): ScrapedPage {
  const { id, host, attempts } = claim;
  const delays = isRefused ? REFUSED_RETRY_DELAYS_MS : RETRY_DELAYS_MS;
  const delayMs = Math.max(retryAfterMs ?? 0, delays[attempts] ?? 10_000);
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
  const error = toServiceError(thrown);
  const { code, message, details } = error;
  const { isJobWide, retry, credits = 0 } = policyOf(code);
  if (isJobWide) throw error;
  // The browser was full all the time. Another worker may have capacity for the page, or this one later.
  if (code === 'CONCURRENCY_QUEUE_TIMEOUT') return { end: { id, host, outcome: 'unstarted' } };
  if (code === 'UNKNOWN_ERROR') onUnexpected(thrown);
  // Another page may be what ended the browser, so this page gets more attempts than after other errors.
  const maxAttempts = code === 'WORKER_LOST' ? MAX_LOSSES : MAX_ATTEMPTS;
  if (mayRetry && retry !== 'never' && attempts + 1 < maxAttempts)
    return retried(claim, { isRefused: isConnectionRefused(error) });
  return { end: { id, host, outcome: 'failed', credits, error: { code, message, details } } };
}

/**
 * Whether the links of a page are followed. Those of a hidden page are not, because the earlier crawl that
 * found it has followed them.
 */
export const followsLinksOf = ({ hidden }: Claim, { followsLinks }: PageJobContext) =>
  followsLinks && !hidden;

/**
 * Decides what becomes of a scraped page. In a crawl, that depends on its URL after redirects.
 * @param page.url the URL after redirects
 */
export async function outcomeOfDocument(
  claim: Claim,
  job: PageJobContext,
  { url, document, signal }: { url: string; document: FinishedDocument; signal: AbortSignal },
): Promise<ScrapedPage> {
  const { id, host } = claim;
  const { json, credits, discovered, entry } = document;
  const { linkFilterAt } = job;
  const startPage =
    linkFilterAt && claim.ordinal === 0
      ? await readStartPage(claim.url, url, { linkFilterAt, signal })
      : undefined;
  const linkFilter = startPage?.linkFilter ?? job.linkFilter;
  if (!linkFilter) return { end: { id, host, outcome: 'completed', credits, entry }, json };
  const isRedirected = url !== claim.url;
  const skipReason = startPage
    ? startPage.skipReason
    : isRedirected
      ? await linkFilter.findSkipReason(url, signal)
      : undefined;
  // The links of a start page are followed even if it is not a page of the crawl itself. The links of any
  // other page outside the crawl are not.
  const links =
    followsLinksOf(claim, job) && (startPage || !skipReason)
      ? await linkFilter.filterLinks(discovered, { url, depth: claim.depth }, signal)
      : undefined;
  const start = startPage && { start: startPage.start };
  if (skipReason) {
    const redirect = isRedirected ? ` redirects to ${url}, which` : '';
    const message = `${claim.url}${redirect} is not a page of the crawl. ${SKIP_REASONS[skipReason]}`;
    const error = {
      code: skipReason === 'externalHomepage' ? EXTERNAL_HOMEPAGE_CODE : 'CRAWL_DENIAL',
      message,
    };
    return { end: { id, host, outcome: 'failed', credits: 0, error }, ...links, ...start };
  }
  const finalKey = linkFilter.pageKey(url);
  const isOtherPage = isRedirected && !finalKey.equals(linkFilter.pageKey(claim.url));
  const redirectTarget = isOtherPage && { finalUrl: url, finalKey };
  return {
    end: { id, host, outcome: 'completed', credits, entry, ...redirectTarget },
    json,
    ...links,
    ...start,
  };
}
