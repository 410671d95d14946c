import { Context } from '@temporalio/activity';
import type { Blobs } from '../blobs/index.ts';
import { rankLinks } from '../crawl/map/rank-links.ts';
import { MAP_CREDITS } from '../credits.ts';
import { completeJob, findJob, findOutcome } from '../db/jobs/jobs.ts';
import { releaseSlot, renewSlot } from '../db/teams/slots.ts';
import { ServiceError } from '../errors.ts';
import { type DiscoveredLinks, discoverLinks, type LinkDiscoveryDeps } from '../mapping/discover-links.ts';
import { warningOf } from '../mapping/map-warning.ts';
import { MAP_TIMEOUT_MS, type MapRequest, type MapResult } from '../schemas/map.ts';
import { parseTarget } from '../url/url.ts';
import { startHeartbeat } from './heartbeat.ts';
import { waitForSlot } from './wait-for-slot.ts';

/** Dependencies of maps. */
export interface MapDeps extends LinkDiscoveryDeps {
  blobs: Blobs;
}

/** A fifth of the timeout, but at most five seconds, is reserved for sorting and storing the links. */
const END_PART = 5;
const LONGEST_END_MS = 5_000;
/** Minimum number of links that are collected for a search, even if the user wants fewer. */
const LEAST_SEARCHED = 5_000;

/**
 * Creates the timers of a map. `half` fires after half of the time for finding links, `enough` at the end of
 * that time, and `over` when the timeout is over.
 */
function startClock({ url, timeout: timeoutMs = MAP_TIMEOUT_MS }: MapRequest, outer: AbortSignal) {
  const enoughMs = timeoutMs - Math.min(timeoutMs / END_PART, LONGEST_END_MS);
  const timers: NodeJS.Timeout[] = [];
  const signalAfter = (ms: number) => {
    const controller = new AbortController();
    const message = `Map timed out: the links of ${url} were not found within ${timeoutMs} ms. Try again with a larger timeout.`;
    timers.push(setTimeout(() => controller.abort(new ServiceError('MAP_TIMEOUT', message)), ms));
    return AbortSignal.any([controller.signal, outer]);
  };
  return {
    timeoutMs,
    half: signalAfter(enoughMs / 2),
    enough: signalAfter(enoughMs),
    over: signalAfter(timeoutMs),
    [Symbol.dispose]: () => timers.forEach(clearTimeout),
  };
}

/** Throws the reason why no links were found, if that is an error. */
function throwReason({ start, sitemaps }: DiscoveredLinks): void {
  if (start instanceof ServiceError) throw start;
  const failed = typeof sitemaps === 'object' ? sitemaps.failed[0] : undefined;
  if (start === undefined && failed) throw new ServiceError(failed.code, failed.error);
}

/**
 * Creates the result of a map.
 * @throws the reason why no links were found, if that is an error
 */
function resultOf(survey: DiscoveredLinks, request: MapRequest): MapResult {
  const { search, limit } = request;
  const found = survey.links.list();
  if (found.length === 0) throwReason(survey);
  const ordered = search === undefined ? found : rankLinks(found, search);
  const warning = warningOf(survey, request);
  return { links: ordered.slice(0, limit), ...(warning && { warning }) };
}

/** The activities of a map. */
export function mapActivities(deps: MapDeps) {
  const { db, blobs } = deps;
  return {
    /**
     * Finds the links of a site and stores them. The activity may be repeated: if the job has already ended,
     * it only returns the result.
     * @returns the key of the blob with the links; `undefined` if the job ended without them
     */
    async mapSite(jobId: string): Promise<string | undefined> {
      const job = await findJob(db, jobId);
      if (job?.status !== 'scraping') return (await findOutcome(db, jobId))?.blob ?? undefined;
      // The API validated the request before it stored it.
      const asked = job.request as MapRequest;
      const request = { ...asked, url: parseTarget(asked.url, true).href };
      const { info, cancellationSignal } = Context.current();
      const slot = { teamId: job.team_id, holder: jobId, limit: job.concurrency };
      // An earlier attempt that was lost may still hold its slot.
      if (info.attempt > 1) await releaseSlot(db, slot.teamId, slot.holder);
      using clock = startClock(request, cancellationSignal);
      using _ = startHeartbeat(() => renewSlot(db, slot.teamId, slot.holder));
      await waitForSlot(db, slot, { timeoutMs: clock.timeoutMs, signal: clock.over });
      try {
        clock.over.throwIfAborted();
        const limit = request.search === undefined ? request.limit : Math.max(request.limit, LEAST_SEARCHED);
        const { half, enough, over } = clock;
        const order = { request, teamId: job.team_id, limit, half, enough, over };
        const result = resultOf(await discoverLinks(order, deps), request);
        const blob = await blobs.put(Buffer.from(JSON.stringify(result)));
        clock.over.throwIfAborted();
        await completeJob(db, { jobId, credits: MAP_CREDITS, blob });
        return blob;
      } catch (error) {
        await releaseSlot(db, slot.teamId, slot.holder);
        // A step that was aborted may throw an error of its own, but the reason for the abort is the real
        // cause.
        if (!(error instanceof ServiceError)) clock.enough.throwIfAborted();
        throw error;
      }
    },
  };
}
