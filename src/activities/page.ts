import { Context } from '@temporalio/activity';
import type { DuringWait } from '../browser/browser-pool.ts';
import type { Guide } from '../crawl/guide.ts';
import { DENIALS } from '../crawl/scope.ts';
import type { Claim } from '../db/claims.ts';
import { translateDatabaseError } from '../db/client.ts';
import { isEnded } from '../db/lanes.ts';
import type { Engines, FetchedPage } from '../engines/index.ts';
import { policyOf, ServiceError, toServiceError } from '../errors.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';
import { isCacheOnly } from '../schemas/scrape-options.ts';
import type { Snapshot } from '../snapshot.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { type DocumentHands, type FinishedDocument, makeDocument } from './document.ts';
import type { ScrapedPage } from './lane.ts';
import { readStart } from './start-page.ts';

/** What the pages of a job have in common. */
export interface PageJob {
  jobId: string;
  teamId: string;
  /** What is asked of each; the address is the claim's. */
  request: ScrapeRequest;
  /** Of a crawl. */
  guide: Guide | undefined;
  /** Of a crawl: its guide, were its start page answered from this URL. */
  guideAt: ((url: string) => Guide) | undefined;
  /** Where it started. */
  start: string | undefined;
  /** Links lead to more pages. */
  follow: boolean;
  /** Nothing is kept of its pages, and the log hears nothing of them. */
  isQuiet: boolean;
}

/** What a page is scraped with, until when. */
export interface PageHands extends DocumentHands {
  engines: Engines;
  /** Ends the work; its reason is thrown. */
  signal: AbortSignal;
  /**
   * To be called when the host is done with the page.
   * @param askedMs milliseconds that it took, without any wait for the browser; `undefined` where it was not asked
   */
  onFetched(askedMs: number | undefined): void;
  /** Around a wait for the browser. */
  duringWait: DuringWait;
}

/** A target is asked so often, where another time may go better. */
const MOST_ATTEMPTS = 3;
/** Before the second and the third time. */
const RETRY_MS = [2_000, 10_000];
/** No page waits longer for a target that says how long it wants to rest. */
export const LONGEST_REST_MS = 120_000;
/** A page whose worker was lost this often is given up: it may be what kills them. */
const MOST_LOSSES = 8;
/** A page that begins within this time has not waited. */
const AT_ONCE_MS = 1_000;
/** Answers that are the host's state rather than the page's. */
const PASSING_STATUSES = new Set([429, 502, 503, 504]);
/** Of these, those that ask us to slow down. */
const SLOW_DOWN = new Set([429, 503]);

/**
 * Scrapes one page of a batch or crawl; its failure is an end like another. The start page of a crawl tells where the
 * crawl is, even by its failure: then it is where it was asked for.
 * @throws ServiceError where one of our own parts is at fault, or where the host of a crawl's start cannot say what it
 *   allows; and the reason of the signal
 */
export async function scrapeOne(claim: Claim, job: PageJob, hands: PageHands): Promise<ScrapedPage> {
  // Before the deadline starts: a host that is slow to say what it allows takes nothing from the page's time.
  const page = (await bar(claim, job, hands.signal)) ?? (await scrapeClaim(claim, job, hands));
  const isPlaced = !job.guide || claim.ordinal > 0 || !isEnded(page.end) || page.start;
  return isPlaced ? page : { ...page, start: { base: claim.url } };
}

async function scrapeClaim(claim: Claim, job: PageJob, hands: PageHands): Promise<ScrapedPage> {
  const { id, url } = claim;
  using deadline = startDeadline({ ...job.request, url }, hands.signal);
  try {
    if (claim.losses >= MOST_LOSSES) {
      throw new ServiceError(
        'SCRAPE_RETRY_LIMIT',
        `${url} was given up: ${MOST_LOSSES} times the process that scraped it was lost.`,
      );
    }
    const request = { ...job.request, url };
    const { profile } = request;
    const obtained = await timed(hands, { request, deadline }, () =>
      hands.engines.fetchPage(request, deadline.signal, {
        profile: profile && { teamId: job.teamId, name: profile.name },
        duringWait: (wait) => hands.duringWait(() => deadline.duringWait(wait)),
      }),
    );
    const { statusCode, retryAfterMs } = obtained.snapshot;
    if (PASSING_STATUSES.has(statusCode) && claim.attempts + 1 < MOST_ATTEMPTS) {
      return askAgain(claim, statusCode, retryAfterMs);
    }
    if (isMovedStart(claim, job, obtained)) {
      const { url: answered } = obtained.snapshot;
      // A page that is left for later comes from there, if it may.
      await obtained.cached;
      // The pace and the sitemaps of the host that it leads to are those of the crawl.
      const guide = job.guideAt?.(answered);
      const permit = await deadline.duringWait(async () => guide?.permit(answered, hands.signal));
      if (typeof permit === 'object' && 'waitMs' in permit) return postponed(claim, permit.waitMs);
    }
    const waitedMs = claim.waitedMs + deadline.waitedMs;
    const queuedMs = waitedMs > AT_ONCE_MS ? Math.round(waitedMs) : undefined;
    const { teamId, jobId, start } = job;
    const history = job.isQuiet ? undefined : { teamId, jobId, start, hidden: claim.hidden };
    const discover = isFollowed(claim, job);
    const order = {
      scrapeId: id,
      request,
      obtained,
      queuedMs,
      history,
      discover,
      isFound: job.guide !== undefined,
    };
    if (profile?.saveChanges) warn(obtained.snapshot, profile.name);
    const [document] = await Promise.all([
      makeDocument(hands, { ...order, urgent: false, signal: deadline.signal }),
      obtained.cached,
    ]);
    return await placed(claim, job, { obtained, document, signal: hands.signal });
  } catch (thrown) {
    hands.signal.throwIfAborted();
    // A step that was cut off fails in its own words; the reason is the truth.
    return failed(claim, job, deadline.signal.aborted ? deadline.signal.reason : thrown);
  }
}

/** Obtains a page and tells how long its host took; the time in which the page waited for the browser is not the host's. */
async function timed(
  { onFetched }: PageHands,
  { request, deadline }: { request: ScrapeRequest; deadline: Deadline },
  obtain: () => Promise<FetchedPage>,
): Promise<FetchedPage> {
  const startedAt = performance.now();
  let isAsked = !isCacheOnly(request);
  try {
    const obtained = await obtain();
    isAsked &&= obtained.cacheState !== 'hit';
    return obtained;
  } finally {
    onFetched(isAsked ? performance.now() - startedAt - deadline.waitedMs : undefined);
  }
}

/** Whether a page is the start of a crawl and leads to another host. */
const isMovedStart = ({ ordinal, url }: Claim, { guideAt }: PageJob, { snapshot }: FetchedPage) =>
  guideAt !== undefined && ordinal === 0 && new URL(snapshot.url).origin !== new URL(url).origin;

/** Leaves a page for later, as one that was not tried: a robots.txt is waited for. */
const postponed = ({ id, host }: Claim, retryInMs: number): ScrapedPage => ({
  end: { id, host, outcome: 'retry', isUntried: true, retryInMs },
});

/** What becomes of a page that its host's robots.txt keeps from being fetched now; `undefined` for any other. */
async function bar(claim: Claim, job: PageJob, signal: AbortSignal): Promise<ScrapedPage | undefined> {
  const { id, host, url } = claim;
  try {
    const permit = (await job.guide?.permit(url, signal)) ?? 'granted';
    if (permit === 'granted') return undefined;
    if (permit === 'refused') return { end: { id, host, outcome: 'dropped' }, blocked: [url] };
    if ('waitMs' in permit) return postponed(claim, permit.waitMs);
    const { code, message } = permit.error;
    return { end: { id, host, outcome: 'failed', credits: 0, error: { code, message } } };
  } catch (thrown) {
    signal.throwIfAborted();
    return failed(claim, job, thrown);
  }
}

/** What a page leads to that nothing leads to, an earlier crawl knows as well. */
const isFollowed = ({ hidden }: Claim, { follow }: PageJob) => follow && !hidden;

/** Pages of a job are open at once, and one may save a profile at a time. */
function warn(snapshot: Snapshot, profile: string): void {
  const warning = `The profile ${profile} was loaded, but not saved: only a single scrape saves one. Set saveChanges to false for pages of a batch or crawl.`;
  snapshot.warnings = [...(snapshot.warnings ?? []), warning];
}

/** What becomes of a document: in a crawl, where it was found decides. */
async function placed(
  claim: Claim,
  job: PageJob,
  page: { obtained: FetchedPage; document: FinishedDocument; signal: AbortSignal },
): Promise<ScrapedPage> {
  const { id, host } = claim;
  const { json, credits, discovered } = page.document;
  const { url } = page.obtained.snapshot;
  const { guideAt } = job;
  const place =
    guideAt && claim.ordinal === 0
      ? await readStart(claim.url, url, { guideAt, signal: page.signal })
      : undefined;
  const guide = place?.guide ?? job.guide;
  if (!guide) return { end: { id, host, outcome: 'completed', credits }, json };
  const moved = url !== claim.url;
  const denial = place ? place.denial : moved ? guide.whyNot(url) : undefined;
  // A start page may be out of bounds, and all it leads to within; any other page that is out leads to nothing.
  const links =
    isFollowed(claim, job) && (place || !denial)
      ? await guide.follow(discovered, { url, depth: claim.depth }, page.signal)
      : undefined;
  const start = place && { start: place.start };
  if (denial) {
    const target = moved ? ` redirects to ${url}, which` : '';
    const message = `${claim.url}${target} is no page of the crawl. ${DENIALS[denial]}`;
    const error = { code: denial === 'externalHomepage' ? 'EXTERNAL_LINK' : 'CRAWL_DENIAL', message };
    return { end: { id, host, outcome: 'failed', credits: 0, error }, ...links, ...start };
  }
  const finalKey = guide.keyOf(url);
  const isOther = moved && !finalKey.equals(guide.keyOf(claim.url));
  const target = isOther && { finalUrl: url, finalKey };
  return { end: { id, host, outcome: 'completed', credits, ...target }, json, ...links, ...start };
}

/** What becomes of a page without a document: another try, or an error. */
function failed(claim: Claim, { isQuiet }: PageJob, thrown: unknown): ScrapedPage {
  const { id, host, url } = claim;
  const error = toServiceError(translateDatabaseError(thrown));
  const { code, message, details } = error;
  const { isJobWide, retry, credits = 0 } = policyOf(code);
  // No page is to blame: after a fault of our own parts the lane starts over, otherwise the job fails.
  if (isJobWide) throw error;
  // The browser was taken all the time: another worker may have room for the page, or this one later.
  if (code === 'CONCURRENCY_QUEUE_TIMEOUT') return { end: { id, host, outcome: 'unbegun' } };
  if (code === 'UNKNOWN_ERROR') {
    const stack = String((thrown as Error)?.stack ?? thrown);
    Context.current().log.error('page failed unexpectedly', isQuiet ? { id } : { url, error: stack });
  }
  // A browser that died took the page with it, for which the page need not be to blame.
  const most = code === 'WORKER_LOST' ? MOST_LOSSES : MOST_ATTEMPTS;
  if (retry !== 'never' && claim.attempts + 1 < most) return askAgain(claim, 0, undefined);
  return { end: { id, host, outcome: 'failed', credits, error: { code, message, details } } };
}

function askAgain(claim: Claim, statusCode: number, retryAfterMs: number | undefined): ScrapedPage {
  const { id, host, attempts } = claim;
  const retryInMs = Math.min(Math.max(retryAfterMs ?? 0, RETRY_MS[attempts] ?? 10_000), LONGEST_REST_MS);
  const restMs = SLOW_DOWN.has(statusCode) ? Math.min(retryAfterMs ?? retryInMs, LONGEST_REST_MS) : undefined;
  return { end: { id, host, outcome: 'retry', retryInMs }, ...(restMs !== undefined && { restMs }) };
}
