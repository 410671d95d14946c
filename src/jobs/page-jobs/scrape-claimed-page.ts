import type { FetchedSnapshot } from '../../content/snapshot.ts';
import { ServiceError } from '../../errors.ts';
import type { DuringWait } from '../../fetch/browser/chromium/browser-pool.ts';
import type { ExtraCredits } from '../../fetch/engines/extra-credits.ts';
import { type Engines, type FetchedPage, fetchPage } from '../../fetch/engines/fetch-page.ts';
import { PageTracer } from '../../fetch/engines/page-tracer.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import { isCacheOnly } from '../../schemas/scrape-options.ts';
import type { Claim } from '../../storage/db/pages/claims.ts';
import { hasEnded } from '../../storage/db/pages/record-and-claim.ts';
import { withoutCredentials } from '../../url/credentials.ts';
import { buildDocument, type DocumentDeps, type DocumentInput } from '../scraping/build-document.ts';
import { type Deadline, startDeadline } from '../scraping/deadline.ts';
import { tracePage } from '../scraping/trace-page.ts';
import type { ScrapedPage } from './finished-pages.ts';
import { pageConversion } from './page-conversion.ts';
import type { PageJobContext } from './page-job-context.ts';
import {
  followsLinksOf,
  isRetriedStatus,
  MAX_LOSSES,
  outcomeOfDocument,
  outcomeOfError,
  postponed,
  retried,
} from './page-outcome.ts';

/** Dependencies for scraping a page, and the signal that ends it. */
export interface PageDeps extends DocumentDeps {
  engines: Engines;
  /** Aborts the work; its reason is thrown. */
  signal: AbortSignal;
  /**
   * To be called when the host is done with the page, which the browser may still have open.
   * @param requestMs milliseconds that the host took, without waits for the browser; `undefined` if it got
   *   no request
   */
  onFetched(requestMs: number | undefined): void;
  /**
   * Returns the credits that a claimed page may cost beyond the expected price, which its claim has reserved.
   */
  extraCredits(pageId: string): ExtraCredits;
  /** Wraps every wait for the browser. */
  duringWait: DuringWait;
  /** Logs an unexpected error of a page. */
  onFault: DocumentInput['onFault'];
}

/** {@link PageDeps}, and the record of how the page goes. */
interface TracedDeps extends PageDeps {
  tracer: PageTracer;
}

/** A page that waited for no more than this many milliseconds counts as one that did not wait. */
const UNNOTICED_WAIT_MS = 1_000;

/**
 * Scrapes one page of a batch or crawl. A failure of the page is a result, not an exception. When the start
 * page of a crawl ends, the result also contains the base of the crawl. If the page failed, the base is its
 * requested URL.
 * @throws ServiceError for an error that no single page is to blame for, or if the robots.txt of a crawl's
 *   own host stays unavailable; the reason of the signal
 */
export function scrapeClaimedPage(claim: Claim, job: PageJobContext, deps: PageDeps): Promise<ScrapedPage> {
  const url = job.zeroDataRetention ? undefined : withoutCredentials(claim.url);
  return tracePage({ id: claim.id, url }, (begin) => {
    const tracer = beginTrace(claim, job);
    begin(tracer);
    return scrapeTraced(claim, job, { ...deps, tracer });
  });
}

async function scrapeTraced(claim: Claim, job: PageJobContext, deps: TracedDeps): Promise<ScrapedPage> {
  const { tracer } = deps;
  // This comes before the deadline starts, so that a slow robots.txt does not use up the page's time.
  const page =
    (await tracer.wait('robots', () => checkRobots(claim, job, deps))) ??
    (await fetchAndConvert(claim, job, deps));
  page.end.trace = tracer.trace;
  page.endedAt = performance.now();
  const lacksBase = job.linkFilter && claim.ordinal === 0 && hasEnded(page.end) && !page.start;
  return lacksBase ? { ...page, start: { base: claim.url } } : page;
}

function beginTrace({ attempts, waitedMs }: Claim, { linkFilter, requestsOneByOne }: PageJobContext) {
  const tracer = new PageTracer();
  tracer.setTries(attempts + 1);
  // A crawl with a delay requests its pages one by one, so that the pause of the host is what they wait for.
  tracer.addWait(requestsOneByOne ? 'host' : 'turn', waitedMs);
  if (linkFilter) tracer.begin('robots');
  return tracer;
}

/**
 * Checks whether robots.txt allows a page to be fetched now.
 * @returns what becomes of the page if it may not be fetched now; `undefined` if it may
 */
async function checkRobots(
  claim: Claim,
  job: PageJobContext,
  deps: PageDeps,
): Promise<ScrapedPage | undefined> {
  const { id, host, url } = claim;
  try {
    const permission = (await job.linkFilter?.checkRobots(url, deps.signal)) ?? 'granted';
    if (permission === 'granted') return undefined;
    if (permission === 'refused') return { end: { id, host, outcome: 'dropped' }, blocked: [url] };
    if ('waitMs' in permission) return postponed(claim, permission.waitMs);
    const { code, message } = permission.error;
    return { end: { id, host, outcome: 'failed', credits: 0, error: { code, message } } };
  } catch (thrown) {
    deps.signal.throwIfAborted();
    return failed(claim, thrown, { job, deps, mayRetry: true });
  }
}

async function fetchAndConvert(claim: Claim, job: PageJobContext, deps: TracedDeps): Promise<ScrapedPage> {
  const { url } = claim;
  const request = { ...job.request, url };
  using deadline = startDeadline(request, deps.signal);
  let storeCopy: ScrapedPage['storeCopy'];
  try {
    if (claim.losses >= MAX_LOSSES) {
      const message = `${url} was given up, because the process that scraped it was lost ${MAX_LOSSES} times.`;
      throw new ServiceError('SCRAPE_RETRY_LIMIT', message);
    }
    const fetched = await fetchClaim(request, job, { pageId: claim.id, deadline, deps });
    const { statusCode, retryAfterMs } = fetched.snapshot;
    if (isRetriedStatus(claim, statusCode)) return retried(claim, { statusCode, retryAfterMs });
    const waitMs = await waitForRobotsOfMovedStart(claim, job, { fetched, deadline, deps });
    if (waitMs !== undefined) return postponed(claim, waitMs);
    storeCopy = fetched.storeCopy;
    if (request.profile?.saveChanges) warnOfUnsavedProfile(fetched.snapshot, request.profile.name);
    const waitedMs = claim.waitedMs + deadline.waitedMs;
    const { teamId, jobId, crawlStart } = job;
    const document = await buildDocument(deps, {
      scrapeId: claim.id,
      request,
      fetched,
      queuedMs: waitedMs > UNNOTICED_WAIT_MS ? Math.round(waitedMs) : undefined,
      teamId,
      jobId,
      deadline,
      history: job.zeroDataRetention ? undefined : { crawlStart, hidden: claim.hidden },
      discover: followsLinksOf(claim, job),
      isCrawled: job.linkFilter !== undefined,
      urgent: false,
      tracer: deps.tracer,
      onFault: deps.onFault,
    });
    const page = await outcomeOfDocument(claim, job, {
      url: fetched.snapshot.url,
      document,
      signal: deps.signal,
    });
    return { ...page, storeCopy, exchanges: fetched.exchanges };
  } catch (thrown) {
    deps.signal.throwIfAborted();
    // A step that was aborted may throw an error of its own, but the reason for the abort is the real cause.
    const reason = deadline.signal.aborted ? deadline.signal.reason : thrown;
    // A document that took 20 minutes would take as long again.
    return { ...failed(claim, reason, { job, deps, mayRetry: !deadline.isOvertime }), storeCopy };
  }
}

/**
 * Fetches a page, and reports how long its host took, without the waits for the browser and the conversion of
 * a document.
 */
async function fetchClaim(
  request: ScrapeRequest,
  { teamId, jobId, zeroDataRetention, requestsOneByOne, archive }: PageJobContext,
  { pageId, deadline, deps }: { pageId: string; deadline: Deadline; deps: TracedDeps },
): Promise<FetchedPage> {
  const { profile } = request;
  const startedAt = performance.now();
  let wasRequested = !isCacheOnly(request);
  let isHostDone = false;
  const endRequest = () => {
    if (isHostDone) return;
    isHostDone = true;
    deps.onFetched(wasRequested ? performance.now() - startedAt - deadline.waitedMs : undefined);
  };
  const conversion = pageConversion(teamId, deadline);
  try {
    const fetched = await fetchPage(deps.engines, request, {
      ...conversion,
      teamId,
      signal: deadline.signal,
      tracer: deps.tracer,
      extraCredits: deps.extraCredits(pageId),
      profile: profile && { teamId, name: profile.name },
      archive,
      sharedBy: zeroDataRetention ? undefined : jobId,
      onRequestsEnded: requestsOneByOne ? undefined : endRequest,
      duringWait: (wait) => deps.duringWait(() => deadline.duringWait(wait)),
      duringConversion(convert, type) {
        endRequest();
        return conversion.duringConversion(convert, type);
      },
    });
    wasRequested &&= fetched.cacheState !== 'hit';
    return fetched;
  } finally {
    endRequest();
  }
}

/**
 * Reads the robots.txt of the host that a crawl moves to because its start page redirects there. That
 * file determines the crawl delay and the sitemaps of the crawl.
 * @returns milliseconds that the page has to wait for that robots.txt; `undefined` if it need not wait
 */
async function waitForRobotsOfMovedStart(
  claim: Claim,
  { linkFilterAt }: PageJobContext,
  { fetched, deadline, deps }: { fetched: FetchedPage; deadline: Deadline; deps: TracedDeps },
): Promise<number | undefined> {
  const { url } = fetched.snapshot;
  if (!linkFilterAt || claim.ordinal !== 0 || new URL(url).origin === new URL(claim.url).origin)
    return undefined;
  // If the page has to wait, its next attempt can take it from the cache, if the request allows that.
  await fetched.storeCopy();
  const permission = await deadline.duringWait(() =>
    deps.tracer.wait('robots', () => linkFilterAt(url).checkRobots(url, deps.signal)),
  );
  return typeof permission === 'object' && 'waitMs' in permission ? permission.waitMs : undefined;
}

/**
 * Warns that the profile is not saved. Several pages of a job are open at once, but only one page at a time
 * may save a profile.
 */
function warnOfUnsavedProfile(snapshot: FetchedSnapshot, profile: string): void {
  const warning = `The profile ${profile} was loaded, but not saved: only a single scrape saves one. Set saveChanges to false for pages of a batch or crawl.`;
  snapshot.warnings = [...(snapshot.warnings ?? []), warning];
}

function failed(
  claim: Claim,
  thrown: unknown,
  { job, deps, mayRetry }: { job: PageJobContext; deps: PageDeps; mayRetry: boolean },
): ScrapedPage {
  const onUnexpected = (error: unknown) => {
    const attributes = job.zeroDataRetention
      ? { id: claim.id }
      : { url: claim.url, error: String((error as Error)?.stack ?? error) };
    deps.onFault('page failed unexpectedly', attributes);
  };
  return outcomeOfError(claim, thrown, { mayRetry, onUnexpected });
}
