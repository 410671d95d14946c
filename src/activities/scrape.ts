import { STATUS_CODES } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { Blobs } from '../blobs.ts';
import { priceOf, priceOfFailure } from '../credits.ts';
import type { Database, StoredError } from '../db/client.ts';
import { completeJob, failJob, findJob, findOutcome } from '../db/jobs.ts';
import { acquireSlot, releaseSlot, renewSlot } from '../db/slots.ts';
import type { Engines, Obtained } from '../engines/index.ts';
import { isErrorCode, ServiceError } from '../errors.ts';
import type { RenderPool } from '../formats/pool.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';

/** What a scrape needs from outside. */
export interface ScrapeDoors {
  db: Database;
  blobs: Blobs;
  engines: Engines;
  renderer: RenderPool;
}

/** Between two tries for a slot, growing. */
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 500;
const HEARTBEAT_MS = 2_000;
/** A renewal each few beats keeps the lease of a slot well ahead of its end. */
const BEATS_PER_RENEWAL = 4;

/** The activities of a scrape. */
export function scrapeActivities({ db, blobs, engines, renderer }: ScrapeDoors) {
  /**
   * Takes one of the team's slots, waiting for at most two thirds of the timeout.
   * @returns milliseconds waited; `undefined` when one was free
   */
  async function takeSlot(slot: Parameters<typeof acquireSlot>[1], timeoutMs: number, signal: AbortSignal) {
    const start = performance.now();
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const waitedMs = performance.now() - start;
      if (await acquireSlot(db, slot)) return pauseMs === FIRST_PAUSE_MS ? undefined : Math.round(waitedMs);
      if (waitedMs > (timeoutMs * 2) / 3) {
        throw new ServiceError(
          'CONCURRENCY_QUEUE_TIMEOUT',
          `All ${slot.limit} slots of the team stayed taken. Send fewer requests at once, or raise the timeout.`,
        );
      }
      await sleep(pauseMs, undefined, { signal });
    }
  }

  async function storeDocument(
    jobId: string,
    request: ScrapeRequest,
    obtained: Obtained,
    queuedMs: number | undefined,
    signal: AbortSignal,
  ) {
    const { snapshot, cacheState } = obtained;
    const { formats, onlyMainContent, includeTags, excludeTags, removeBase64Images } = request;
    const clean = { onlyMainContent, includeTags, excludeTags, removeBase64Images };
    const { fields, metadata } = await renderer.render({ snapshot, clean, formats }, { signal });
    const credits = priceOf(request);
    const document = {
      ...fields,
      metadata: {
        ...metadata,
        scrapeId: jobId,
        sourceURL: snapshot.sourceUrl,
        url: snapshot.url,
        statusCode: snapshot.statusCode,
        error: snapshot.statusCode >= 400 ? (STATUS_CODES[snapshot.statusCode] ?? 'HTTP error') : undefined,
        contentType: snapshot.contentType || undefined,
        proxyUsed: 'basic',
        cacheState,
        cachedAt: cacheState === 'hit' ? new Date(snapshot.fetchedAt).toISOString() : undefined,
        timezone: snapshot.timezone,
        creditsUsed: credits,
        concurrencyLimited: queuedMs !== undefined,
        concurrencyQueueDurationMs: queuedMs,
      },
    };
    return { credits, blob: await blobs.put(Buffer.from(JSON.stringify(document))) };
  }

  return {
    /**
     * Scrapes the page of a job and stores its document. Attempts may repeat: done already, it does nothing.
     * @returns the blob with the document; `undefined` when the job ended without one
     */
    async scrapePage(jobId: string): Promise<string | undefined> {
      const job = await findJob(db, jobId);
      if (job?.status !== 'scraping') return (await findOutcome(db, jobId))?.blob ?? undefined;
      // The API validated it before it was written down.
      const request = job.request as ScrapeRequest;
      const slot = { teamId: job.team_id, holder: jobId, limit: job.concurrency };
      // What an attempt before this one held, it will not give back any more.
      if (Context.current().info.attempt > 1) await releaseSlot(db, slot.teamId, slot.holder);
      using deadline = startDeadline(request);
      using _ = startHeartbeat(() => renewSlot(db, slot.teamId, slot.holder));
      const queuedMs = await takeSlot(slot, request.timeout, deadline.signal);
      try {
        const obtained = await engines.obtain(request, deadline.signal);
        const [{ credits, blob }] = await Promise.all([
          storeDocument(jobId, request, obtained, queuedMs, deadline.signal),
          obtained.cached,
        ]);
        await completeJob(db, { jobId, credits, blob });
        return blob;
      } catch (error) {
        await releaseSlot(db, slot.teamId, slot.holder);
        // An aborted step may fail in its own words; the reason for the abort is the truth.
        deadline.signal.throwIfAborted();
        throw error;
      }
    },

    /** Writes down why a job failed, and what it costs all the same. */
    async recordFailure(jobId: string, error: StoredError): Promise<void> {
      const credits = isErrorCode(error.code) ? priceOfFailure(error.code) : 0;
      await failJob(db, { jobId, credits, error });
    },
  };
}

/** A signal that fires at the request's timeout, or when Temporal cancels the activity. */
function startDeadline(request: ScrapeRequest) {
  const { cancellationSignal } = Context.current();
  const timeout = new AbortController();
  const timer = setTimeout(() => {
    const message = `${request.url} took longer than the timeout of ${request.timeout} ms. Try again with a larger timeout.`;
    timeout.abort(new ServiceError('SCRAPE_TIMEOUT', message));
  }, request.timeout);
  return {
    signal: AbortSignal.any([timeout.signal, cancellationSignal]),
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

/** Tells Temporal every two seconds that this process lives, and renews the slot's lease now and then. */
function startHeartbeat(renew: () => Promise<void>) {
  const context = Context.current();
  let beats = 0;
  const timer = setInterval(() => {
    context.heartbeat();
    if (++beats % BEATS_PER_RENEWAL === 0) {
      renew().catch((error) => context.log.warn('slot not renewed', { error: String(error) }));
    }
  }, HEARTBEAT_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
