import { Context } from '@temporalio/activity';
import type { Blobs } from '../blobs.ts';
import type { Guide } from '../crawl/guide.ts';
import type { Guides } from '../crawl/guides.ts';
import { DENIALS } from '../crawl/scope.ts';
import { priceOfFailure } from '../credits.ts';
import { type Claim, REQUESTS_PER_HOST, releaseLanes, renewLane, surveyJob } from '../db/claims.ts';
import { type Database, translateDatabaseError } from '../db/client.ts';
import type { Advanced } from '../db/lanes.ts';
import { findPageJob } from '../db/page-jobs.ts';
import { note } from '../db/progress.ts';
import type { Engines } from '../engines/index.ts';
import { isTransient, ServiceError, toServiceError } from '../errors.ts';
import type { RenderPool } from '../formats/pool.ts';
import type { CrawlRequest } from '../schemas/crawl.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';
import type { Storage } from '../storage.ts';
import { startDeadline } from './deadline.ts';
import { makeDocument } from './document.ts';
import { startHeartbeat } from './heartbeat.ts';
import { LANE_WIDTH, Lane, type ScrapedPage } from './lane.ts';

/** What lanes need from outside. */
export interface PageDoors {
  db: Database;
  blobs: Blobs;
  engines: Engines;
  renderer: RenderPool;
  guides: Guides;
  storage: Storage;
}

/** Which lane of which job. */
export interface LaneInput {
  jobId: string;
  lane: number;
}

/** What a lane says when it stops. */
export interface LaneReport {
  /** Pages that it finished. */
  done: number;
  status: string;
  total: number;
  completed: number;
  failed: number;
  credits: number;
  /** Pages of the job that are not finished. */
  open: number;
  /** The limit is reached: what else could be found would be left out. */
  full: boolean;
  /** The team has nothing left to pay for them. */
  outOfCredits: boolean;
  /** How many lanes the job can use now. */
  lanes: number;
  /** When to come back, with nothing to do until then. */
  waitMs: number;
}

/** A target is asked so often, where another time may go better. */
const MOST_ATTEMPTS = 3;
/** Before the second and the third time. */
const RETRY_MS = [2_000, 10_000];
/** No page waits longer for a target that says how long it wants to rest. */
const LONGEST_REST_MS = 120_000;
/** A page whose worker was lost this often is given up: it may be what kills them. */
const MOST_LOSSES = 8;
/** Answers that are the host's state rather than the page's. */
const PASSING_STATUSES = new Set([429, 502, 503, 504]);
/** Of these, those that ask us to slow down. */
const SLOW_DOWN = new Set([429, 503]);
/** With nothing to do, though nothing says when there will be. */
const IDLE_WAIT_MS = 1_000;
const LEAST_WAIT_MS = 200;
const PAUSED_WAIT_MS = 5_000;

/** Faults of our own parts: no page is to blame, the whole lane starts over. */
const OURS = new Set(['SERVICE_UNAVAILABLE', 'INSUFFICIENT_STORAGE']);

/** The activities that scrape the pages of batches and crawls. */
export function pageActivities({ db, blobs, engines, renderer, guides, storage }: PageDoors) {
  /** Scrapes one page; its failure is an end like another, unless it is ours. */
  async function scrapePage(
    claim: Claim,
    job: { request: ScrapeRequest; guide: Guide | undefined; follow: boolean },
    signal: AbortSignal,
    onFetched: () => void,
  ): Promise<ScrapedPage> {
    const request = { ...job.request, url: claim.url };
    const { id, host } = claim;
    using deadline = startDeadline(request, signal);
    try {
      if (claim.losses >= MOST_LOSSES) {
        throw new ServiceError(
          'SCRAPE_RETRY_LIMIT',
          `${claim.url} was given up: ${MOST_LOSSES} times the process that scraped it was lost.`,
        );
      }
      if (job.guide && !(await job.guide.mayVisit(claim.url, deadline.signal))) {
        return { end: { id, host, outcome: 'dropped' }, blocked: [claim.url] };
      }
      const obtained = await engines.obtain(request, deadline.signal).finally(onFetched);
      const { snapshot } = obtained;
      if (PASSING_STATUSES.has(snapshot.statusCode) && claim.attempts + 1 < MOST_ATTEMPTS) {
        return askAgain(claim, snapshot.statusCode, snapshot.retryAfterMs);
      }
      const order = { scrapeId: claim.id, request, obtained, queuedMs: undefined, discover: job.follow };
      const [{ json, credits, discovered }] = await Promise.all([
        makeDocument(renderer, { ...order, urgent: false, signal: deadline.signal }),
        obtained.cached,
      ]);
      const moved = snapshot.url !== claim.url;
      const links = job.follow
        ? await job.guide?.follow(discovered, { url: snapshot.url, depth: claim.depth }, signal)
        : undefined;
      const denial = moved || claim.ordinal === 0 ? job.guide?.whyNot(snapshot.url) : undefined;
      if (denial) {
        const message = `${claim.url}${moved ? ` redirects to ${snapshot.url}` : ''} is no page of the crawl. ${DENIALS[denial]}`;
        // Its links count all the same: a start page may be out of bounds, and all it leads to within.
        return {
          end: { id, host, outcome: 'failed', credits: 0, error: { code: 'CRAWL_DENIAL', message } },
          ...links,
        };
      }
      const target =
        moved && job.guide ? { finalUrl: snapshot.url, finalKey: job.guide.keyOf(snapshot.url) } : {};
      const isOther = target.finalKey && !target.finalKey.equals(job.guide!.keyOf(claim.url));
      return {
        end: { id, host, outcome: 'completed', credits, ...(isOther && target) },
        json,
        ...links,
      };
    } catch (thrown) {
      signal.throwIfAborted();
      // A step that was cut off fails in its own words; the reason is the truth.
      const error = toServiceError(
        deadline.signal.aborted ? deadline.signal.reason : translateDatabaseError(thrown),
      );
      if (OURS.has(error.code)) throw error;
      if (error.code === 'UNKNOWN_ERROR')
        Context.current().log.error('page failed unexpectedly', {
          url: claim.url,
          error: String((thrown as Error)?.stack ?? thrown),
        });
      // A browser that died took the page with it, for which the page need not be to blame.
      const most = error.code === 'WORKER_LOST' ? MOST_LOSSES : MOST_ATTEMPTS;
      if (isTransient(error.code) && claim.attempts + 1 < most) return askAgain(claim, 0, undefined);
      const { code, message, details } = error;
      return {
        end: {
          id,
          host,
          outcome: 'failed',
          credits: priceOfFailure(code),
          error: { code, message, details },
        },
      };
    }
  }

  return {
    /**
     * Works on a job's pages for a few seconds. Attempts may repeat: what an earlier one held is freed, and what it
     * recorded stays.
     */
    async scrapePages({ jobId, lane }: LaneInput): Promise<LaneReport> {
      const { info, cancellationSignal } = Context.current();
      const job = await findPageJob(db, jobId);
      if (!job) throw new ServiceError('NOT_FOUND', `Job ${jobId} does not exist (any more).`);
      const prefix = `${jobId}/${lane}/`;
      const name = `${prefix}${info.attempt}`;
      if (info.attempt > 1) await releaseLanes(db, { jobId, lane: prefix, lost: true });
      using _ = startHeartbeat(() => renewLane(db, { jobId, lane: name }));
      // The API validated it before it was written down.
      const request = job.request as ScrapeRequest & CrawlRequest;
      const isCrawl = job.kind === 'crawl';
      const stop = new AbortController();
      const signal = AbortSignal.any([cancellationSignal, stop.signal]);
      let guide: Guide | undefined;
      try {
        const { done, job: state } = await new Lane({
          db,
          blobs,
          jobId,
          name,
          signal,
          pageEvents: wantsPages(job.webhook),
          mayClaim: () => storage.hasRoom(),
          scrape(claim, { base }, onFetched) {
            guide = isCrawl
              ? guides.of({ jobId, request, base: base ?? job.target ?? claim.url })
              : undefined;
            const follow = isCrawl && request.sitemap !== 'only';
            const options = isCrawl ? request.scrapeOptions : request;
            return scrapePage(claim, { request: options as ScrapeRequest, guide, follow }, signal, onFetched);
          },
        }).run();
        if (guide?.trapped.size) await note(db, jobId, 'traps', Object.fromEntries(guide.trapped));
        return await reportOf(jobId, done, state);
      } catch (error) {
        // Links that were found, but perhaps not written down, must count as new again.
        guides.forget(jobId);
        throw error;
      } finally {
        stop.abort(new ServiceError('SCRAPE_JOB_CANCELLED', 'The lane has ended.'));
        // On a lost database this fails too; the next attempt frees it then.
        await releaseLanes(db, { jobId, lane: name, lost: false }).catch((error) =>
          Context.current().log.warn('lane not freed', { error: String(error) }),
        );
      }
    },
  };

  async function reportOf(jobId: string, done: number, job: Advanced): Promise<LaneReport> {
    const { status, paused, total, completed, failed, credits, open, full, outOfCredits, delayMs } = job;
    const { dueInMs, hosts, maxConcurrency, teamConcurrency } = await surveyJob(db, jobId);
    const wide = delayMs
      ? 1
      : (maxConcurrency ?? Math.min(teamConcurrency, Math.max(hosts, 1) * REQUESTS_PER_HOST));
    const lanes = Math.max(1, Math.ceil(Math.min(open, wide) / LANE_WIDTH));
    const idleMs = paused ? PAUSED_WAIT_MS : Math.max(dueInMs ?? IDLE_WAIT_MS, LEAST_WAIT_MS);
    const waitMs = done > 0 || open === 0 ? 0 : Math.min(idleMs, LONGEST_REST_MS);
    return { done, status, total, completed, failed, credits, open, full, outOfCredits, lanes, waitMs };
  }
}

function askAgain(claim: Claim, statusCode: number, retryAfterMs: number | undefined): ScrapedPage {
  const { id, host, attempts } = claim;
  const retryInMs = Math.min(Math.max(retryAfterMs ?? 0, RETRY_MS[attempts] ?? 10_000), LONGEST_REST_MS);
  const restMs = SLOW_DOWN.has(statusCode) ? Math.min(retryAfterMs ?? retryInMs, LONGEST_REST_MS) : undefined;
  return { end: { id, host, outcome: 'retry', retryInMs }, ...(restMs !== undefined && { restMs }) };
}

function wantsPages(webhook: unknown): boolean {
  const events =
    typeof webhook === 'object' && webhook !== null && 'events' in webhook ? webhook.events : undefined;
  return Array.isArray(events) && events.includes('page');
}
