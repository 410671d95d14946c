import type { DuringWait } from '../browser/chromium/browser-pool.ts';
import type { LinkFilter } from '../crawl/link-filter.ts';
import { SKIP_REASONS } from '../crawl/skip-reason.ts';
import { translateDatabaseError } from '../db/client.ts';
import type { Claim } from '../db/pages/claims.ts';
import { hasEnded } from '../db/pages/record-and-claim.ts';
import { EXTERNAL_HOMEPAGE_CODE } from '../db/pages/skipped-urls.ts';
import type { Engines, FetchedPage } from '../engines/index.ts';
import { policyOf, ServiceError, toServiceError } from '../errors.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';
import { isCacheOnly } from '../schemas/scrape-options.ts';
import {
  buildDocument,
  type DocumentDeps,
  type DocumentInput,
  type FinishedDocument,
} from '../scraping/build-document.ts';
import { type Deadline, startDeadline } from '../scraping/deadline.ts';
import type { Snapshot } from '../snapshot.ts';
import type { ScrapedPage } from './page-worker.ts';
import { readStartPage } from './start-page.ts';

/** The context that all pages of a job share. */
export interface PageJobContext {
  jobId: string;
  teamId: string;
  /** The scrape options of all pages; the URL comes from the claim. */
  request: ScrapeRequest;
  /** The link filter of a crawl; `undefined` for a batch. */
  guide: LinkFilter | undefined;
  /**
   * Returns the link filter that a crawl has if its start page leads to this URL; `undefined` for a batch.
   */
  guideAt: ((url: string) => LinkFilter) | undefined;
  /** The start URL of a crawl; `undefined` for a batch. */
  start: string | undefined;
  /** Whether links on the pages lead to more pages of the job. */
  follow: boolean;
  /** Whether the job has zero data retention, so that the log may contain nothing of its pages. */
  isQuiet: boolean;
}

/** Dependencies for scraping a page, and the signal that ends it. */
export interface PageDeps extends DocumentDeps {
  engines: Engines;
  /** Aborts the work; its reason is thrown. */
  signal: AbortSignal;
  /**
   * To be called when the host is done with the page.
   * @param askedMs milliseconds that the host took, without waits for the browser; `undefined` if it got no
   *   request
   */
  onFetched(askedMs: number | undefined): void;
  /** Wraps every wait for the browser. */
  duringWait: DuringWait;
  /** Logs an unexpected error of a page. */
  onFault: DocumentInput['onFault'];
}

/** Maximum number of attempts at a page whose failure may be temporary. */
const MOST_ATTEMPTS = 3;
/** Milliseconds before the second and the third attempt. */
const RETRY_MS = [2_000, 10_000];
/** The longest that a page waits because its host asked for a pause, in milliseconds. */
export const MAX_POSTPONEMENT_MS = 120_000;
/**
 * A page is given up after it was lost with its worker this often, because it may be what ends the workers.
 */
const MOST_LOSSES = 8;
/** A page that waited for no more than this many milliseconds counts as one that did not wait. */
const AT_ONCE_MS = 1_000;
/** Status codes that describe the state of the host rather than the page. */
const PASSING_STATUSES = new Set([429, 502, 503, 504]);
/** Status codes by which a host asks us to slow down. */
const SLOW_DOWN = new Set([429, 503]);

/**
 * Scrapes one page of a batch or crawl. A failure of the page is a result, not an exception. When the start
 * page of a crawl ends, the result also says where the crawl is: if the page failed, that is its requested
 * URL.
 * @throws ServiceError for an error that no single page is to blame for, or if the robots.txt of a crawl's
 *   own host stays unavailable; the reason of the signal
 */
export async function scrapeClaimedPage(
  claim: Claim,
  job: PageJobContext,
  deps: PageDeps,
): Promise<ScrapedPage> {
  // This comes before the deadline starts, so that a slow robots.txt does not use up the page's time.
  const page = (await bar(claim, job, deps)) ?? (await scrapeClaim(claim, job, deps));
  const isPlaced = !job.guide || claim.ordinal > 0 || !hasEnded(page.end) || page.start;
  return isPlaced ? page : { ...page, start: { base: claim.url } };
}

async function scrapeClaim(claim: Claim, job: PageJobContext, deps: PageDeps): Promise<ScrapedPage> {
  const { id, url } = claim;
  using deadline = startDeadline({ ...job.request, url }, deps.signal);
  try {
    if (claim.losses >= MOST_LOSSES) {
      throw new ServiceError(
        'SCRAPE_RETRY_LIMIT',
        `${url} was given up: ${MOST_LOSSES} times the process that scraped it was lost.`,
      );
    }
    const request = { ...job.request, url };
    const { profile } = request;
    const fetched = await timed(deps, { request, deadline }, () =>
      deps.engines.fetchPage(request, deadline.signal, {
        profile: profile && { teamId: job.teamId, name: profile.name },
        duringWait: (wait) => deps.duringWait(() => deadline.duringWait(wait)),
      }),
    );
    const { statusCode, retryAfterMs } = fetched.snapshot;
    if (PASSING_STATUSES.has(statusCode) && claim.attempts + 1 < MOST_ATTEMPTS) {
      return askAgain(claim, statusCode, retryAfterMs);
    }
    if (isMovedStart(claim, job, fetched)) {
      const { url: answered } = fetched.snapshot;
      // If the page has to wait, its next attempt can take it from the cache, if the request allows that.
      await fetched.cached;
      // The crawl moves to the host that its start page leads to, so that host's robots.txt decides about
      // its pace and its sitemaps.
      const guide = job.guideAt?.(answered);
      const permit = await deadline.duringWait(async () => guide?.checkRobots(answered, deps.signal));
      if (typeof permit === 'object' && 'waitMs' in permit) return postponed(claim, permit.waitMs);
    }
    const waitedMs = claim.waitedMs + deadline.waitedMs;
    const queuedMs = waitedMs > AT_ONCE_MS ? Math.round(waitedMs) : undefined;
    const { teamId, jobId, start } = job;
    const history = job.isQuiet ? undefined : { teamId, jobId, crawlStart: start, hidden: claim.hidden };
    const discover = isFollowed(claim, job);
    const order = {
      scrapeId: id,
      request,
      fetched,
      queuedMs,
      history,
      discover,
      isCrawled: job.guide !== undefined,
    };
    if (profile?.saveChanges) warn(fetched.snapshot, profile.name);
    const [document] = await Promise.all([
      buildDocument(deps, { ...order, urgent: false, signal: deadline.signal, onFault: deps.onFault }),
      fetched.cached,
    ]);
    return await placed(claim, job, { fetched, document, signal: deps.signal });
  } catch (thrown) {
    deps.signal.throwIfAborted();
    // A step that was aborted may throw an error of its own, but the reason for the abort is the real cause.
    return failed(claim, job, {
      thrown: deadline.signal.aborted ? deadline.signal.reason : thrown,
      onFault: deps.onFault,
    });
  }
}

/**
 * Fetches a page and reports how long its host took. The time that the page waited for the browser is not
 * included.
 */
async function timed(
  { onFetched }: PageDeps,
  { request, deadline }: { request: ScrapeRequest; deadline: Deadline },
  obtain: () => Promise<FetchedPage>,
): Promise<FetchedPage> {
  const startedAt = performance.now();
  let isAsked = !isCacheOnly(request);
  try {
    const fetched = await obtain();
    isAsked &&= fetched.cacheState !== 'hit';
    return fetched;
  } finally {
    onFetched(isAsked ? performance.now() - startedAt - deadline.waitedMs : undefined);
  }
}

/** Whether a page is the start page of a crawl and leads to another host. */
const isMovedStart = ({ ordinal, url }: Claim, { guideAt }: PageJobContext, { snapshot }: FetchedPage) =>
  guideAt !== undefined && ordinal === 0 && new URL(snapshot.url).origin !== new URL(url).origin;

/** Postpones a page until a robots.txt is available. This does not count as an attempt. */
const postponed = ({ id, host }: Claim, retryInMs: number): ScrapedPage => ({
  end: { id, host, outcome: 'retry', isUncounted: true, retryInMs },
});

/**
 * Checks whether robots.txt allows a page to be fetched now.
 * @returns what becomes of the page if it may not be fetched now; `undefined` if it may
 */
async function bar(claim: Claim, job: PageJobContext, deps: PageDeps): Promise<ScrapedPage | undefined> {
  const { id, host, url } = claim;
  try {
    const permit = (await job.guide?.checkRobots(url, deps.signal)) ?? 'granted';
    if (permit === 'granted') return undefined;
    if (permit === 'refused') return { end: { id, host, outcome: 'dropped' }, blocked: [url] };
    if ('waitMs' in permit) return postponed(claim, permit.waitMs);
    const { code, message } = permit.error;
    return { end: { id, host, outcome: 'failed', credits: 0, error: { code, message } } };
  } catch (thrown) {
    deps.signal.throwIfAborted();
    return failed(claim, job, { thrown, onFault: deps.onFault });
  }
}

/**
 * Whether the links of a page are followed. Those of a hidden page are not, because the earlier crawl that
 * found it has followed them.
 */
const isFollowed = ({ hidden }: Claim, { follow }: PageJobContext) => follow && !hidden;

/**
 * Warns that the profile is not saved. Several pages of a job are open at once, but only one page at a time
 * may save a profile.
 */
function warn(snapshot: Snapshot, profile: string): void {
  const warning = `The profile ${profile} was loaded, but not saved: only a single scrape saves one. Set saveChanges to false for pages of a batch or crawl.`;
  snapshot.warnings = [...(snapshot.warnings ?? []), warning];
}

/** Decides what becomes of a scraped page. In a crawl, that depends on its URL after redirects. */
async function placed(
  claim: Claim,
  job: PageJobContext,
  page: { fetched: FetchedPage; document: FinishedDocument; signal: AbortSignal },
): Promise<ScrapedPage> {
  const { id, host } = claim;
  const { json, credits, discovered } = page.document;
  const { url } = page.fetched.snapshot;
  const { guideAt } = job;
  const place =
    guideAt && claim.ordinal === 0
      ? await readStartPage(claim.url, url, { guideAt, signal: page.signal })
      : undefined;
  const guide = place?.guide ?? job.guide;
  if (!guide) return { end: { id, host, outcome: 'completed', credits }, json };
  const moved = url !== claim.url;
  const denial = place ? place.denial : moved ? guide.findSkipReason(url) : undefined;
  // The links of a start page are followed even if it is not a page of the crawl itself. Any other page
  // outside the crawl leads to nothing.
  const links =
    isFollowed(claim, job) && (place || !denial)
      ? await guide.filterLinks(discovered, { url, depth: claim.depth }, page.signal)
      : undefined;
  const start = place && { start: place.start };
  if (denial) {
    const target = moved ? ` redirects to ${url}, which` : '';
    const message = `${claim.url}${target} is no page of the crawl. ${SKIP_REASONS[denial]}`;
    const error = { code: denial === 'externalHomepage' ? EXTERNAL_HOMEPAGE_CODE : 'CRAWL_DENIAL', message };
    return { end: { id, host, outcome: 'failed', credits: 0, error }, ...links, ...start };
  }
  const finalKey = guide.pageKey(url);
  const isOther = moved && !finalKey.equals(guide.pageKey(claim.url));
  const target = isOther && { finalUrl: url, finalKey };
  return { end: { id, host, outcome: 'completed', credits, ...target }, json, ...links, ...start };
}

/** Decides what becomes of a page without a document: it is tried again or it fails. */
function failed(
  claim: Claim,
  { isQuiet }: PageJobContext,
  { thrown, onFault }: { thrown: unknown; onFault: PageDeps['onFault'] },
): ScrapedPage {
  const { id, host, url } = claim;
  const error = toServiceError(translateDatabaseError(thrown));
  const { code, message, details } = error;
  const { isJobWide, retry, credits = 0 } = policyOf(code);
  // No single page is to blame. The policy of the error decides whether the activity is retried or the job
  // fails.
  if (isJobWide) throw error;
  // The browser was full all the time. Another worker may have room for the page, or this one later.
  if (code === 'CONCURRENCY_QUEUE_TIMEOUT') return { end: { id, host, outcome: 'unbegun' } };
  if (code === 'UNKNOWN_ERROR') {
    const stack = String((thrown as Error)?.stack ?? thrown);
    onFault('page failed unexpectedly', isQuiet ? { id } : { url, error: stack });
  }
  // Another page may be what ended the browser, so this page gets more attempts than after other errors.
  const most = code === 'WORKER_LOST' ? MOST_LOSSES : MOST_ATTEMPTS;
  if (retry !== 'never' && claim.attempts + 1 < most) return askAgain(claim, 0, undefined);
  return { end: { id, host, outcome: 'failed', credits, error: { code, message, details } } };
}

function askAgain(claim: Claim, statusCode: number, retryAfterMs: number | undefined): ScrapedPage {
  const { id, host, attempts } = claim;
  const retryInMs = Math.min(Math.max(retryAfterMs ?? 0, RETRY_MS[attempts] ?? 10_000), MAX_POSTPONEMENT_MS);
  const restMs = SLOW_DOWN.has(statusCode)
    ? Math.min(retryAfterMs ?? retryInMs, MAX_POSTPONEMENT_MS)
    : undefined;
  return { end: { id, host, outcome: 'retry', retryInMs }, ...(restMs !== undefined && { restMs }) };
}
