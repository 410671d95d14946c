import { Context } from '@temporalio/activity';
import { MAP_CREDITS } from '../credits.ts';
import { ServiceError } from '../errors.ts';
import {
  type DiscoveredLinks,
  discoverLinks,
  type LinkDiscoveryDeps,
} from '../jobs/crawl/map/discover-links.ts';
import { mapWarning } from '../jobs/crawl/map/map-warning.ts';
import { rankLinks } from '../jobs/crawl/map/rank-links.ts';
import { MAP_TIMEOUT_MS, type MapRequest, type MapResult } from '../schemas/map.ts';
import { findJob, findOutcome } from '../storage/db/jobs/jobs.ts';
import { completeJob } from '../storage/db/jobs/take-credits.ts';
import { releaseSlot, renewSlot } from '../storage/db/teams/slots.ts';
import type { JobResults } from '../storage/job-results.ts';
import { parseTarget } from '../url/url.ts';
import { startHeartbeat } from './heartbeat.ts';
import { waitForSlot } from './wait-for-slot.ts';

/** Dependencies of maps. */
export interface MapDeps extends LinkDiscoveryDeps {
  results: JobResults;
}

/** A fifth of the timeout, but at most five seconds, is reserved for sorting and storing the links. */
const STORING_FRACTION = 1 / 5;
const MAX_STORING_MS = 5_000;
/** Minimum number of links that are collected for a search, even if the user wants fewer. */
const MIN_SEARCHED_LINKS = 5_000;

/** Starts the timers of a map. The first half of the time for finding links is for the sitemaps. */
function startDeadlines({ url, timeout: timeoutMs = MAP_TIMEOUT_MS }: MapRequest, outer: AbortSignal) {
  const discoveryMs = timeoutMs - Math.min(timeoutMs * STORING_FRACTION, MAX_STORING_MS);
  const timers: NodeJS.Timeout[] = [];
  const signalAfter = (ms: number) => {
    const controller = new AbortController();
    const message = `Map timed out: the links of ${url} were not found within ${timeoutMs} ms. Try again with a larger timeout.`;
    timers.push(setTimeout(() => controller.abort(new ServiceError('MAP_TIMEOUT', message)), ms));
    return AbortSignal.any([controller.signal, outer]);
  };
  return {
    timeoutMs,
    sitemapDeadline: signalAfter(discoveryMs / 2),
    discoveryDeadline: signalAfter(discoveryMs),
    timeout: signalAfter(timeoutMs),
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
function createResult(discovered: DiscoveredLinks, request: MapRequest): MapResult {
  const { search, limit } = request;
  const links = discovered.links.list();
  if (links.length === 0) throwReason(discovered);
  const ranked = search === undefined ? links : rankLinks(links, search);
  const warning = mapWarning(discovered, request);
  return { links: ranked.slice(0, limit), ...(warning && { warning }) };
}

/** The activities of a map. */
export function mapActivities(deps: MapDeps) {
  const { db, results } = deps;
  return {
    /**
     * Finds the links of a site and stores them. The activity may be repeated: if the job has already ended,
     * it only returns the result.
     * @returns the key of the links; `undefined` if the job ended without them
     */
    async mapSite(jobId: string): Promise<string | undefined> {
      const job = await findJob(db, jobId);
      if (job?.status !== 'scraping') return (await findOutcome(db, jobId))?.blob ?? undefined;
      // The API validated the request before it stored it.
      const asked = job.request as MapRequest;
      const request = { ...asked, url: parseTarget(asked.url, true).href };
      const { search } = request;
      const limit = search === undefined ? request.limit : Math.max(request.limit, MIN_SEARCHED_LINKS);
      const { cancellationSignal } = Context.current();
      const teamId = job.team_id;
      const slot = { teamId, holder: jobId, limit: job.concurrency };
      using deadlines = startDeadlines(request, cancellationSignal);
      const { timeoutMs, sitemapDeadline, discoveryDeadline, timeout } = deadlines;
      using _ = startHeartbeat(() => renewSlot(db, teamId, jobId));
      await waitForSlot(db, slot, { timeoutMs, signal: timeout });
      try {
        timeout.throwIfAborted();
        const input = { request, teamId, limit, sitemapDeadline, discoveryDeadline, timeout };
        const result = createResult(await discoverLinks(input, deps), request);
        const stored = await results.putResult(jobId, Buffer.from(JSON.stringify(result)));
        timeout.throwIfAborted();
        await completeJob(db, { jobId, credits: MAP_CREDITS, ...stored });
        return stored.blob;
      } catch (error) {
        await releaseSlot(db, teamId, jobId);
        // A step that was aborted may throw an error of its own, but the reason for the abort is the real
        // cause.
        if (!(error instanceof ServiceError)) discoveryDeadline.throwIfAborted();
        throw error;
      }
    },
  };
}
