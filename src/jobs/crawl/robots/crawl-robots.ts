import { ServiceError } from '../../../errors.ts';
import { ExpiringMap } from '../../../fetch/net/expiring-map.ts';
import type { Database } from '../../../storage/db/client.ts';
import {
  endRobotsWait,
  findRobotsWait,
  type RobotsCrawl,
  type RobotsWait,
  recordRobotsFailure,
} from '../../../storage/db/robots.ts';
import { ALLOW_ALL, type RobotsRules, robotsUnavailableError } from './fetch-robots-txt.ts';
import type { RobotsCache } from './robots-cache.ts';

/**
 * The robots.txt rules of a host, the milliseconds until its robots.txt is requested again, or the error of a
 * host that was given up.
 */
type RobotsOutcome = { rules: RobotsRules } | { waitMs: number } | { error: ServiceError };

/**
 * The robots.txt rules of the hosts of one crawl. All workers share the waiting time of a host whose
 * robots.txt is unavailable, through the database.
 */
export interface CrawlRobots {
  /** Reads the rules of a host. While its robots.txt is unavailable, no page of the host is claimed. */
  readRules(url: string, signal: AbortSignal): Promise<RobotsOutcome>;
  /**
   * Reads the rules of a host for callers that can do without them: `undefined` while its robots.txt is
   * unavailable, and without making the crawl wait.
   */
  readRulesIfAvailable(url: string, signal: AbortSignal): Promise<RobotsRules | undefined>;
}

const MAX_HOSTS = 200;
/** Milliseconds for which a worker keeps rules in memory before it reads them again. */
const TTL_MS = 300_000;
/** Maximum `Retry-After` that is obeyed for a robots.txt, in milliseconds. */
const MAX_RETRY_AFTER_MS = 120_000;

/**
 * Creates the robots.txt rules of one crawl.
 * @param crawl.token the crawler's name in robots.txt; defaults to the name of the service
 * @param deps.maxRobotsWaitMs milliseconds for which an unavailable robots.txt is requested again before the
 * host
 *   is given up
 */
export function createCrawlRobots(
  crawl: RobotsCrawl & { token: string | undefined },
  { db, robotsCache, maxRobotsWaitMs }: { db: Database; robotsCache: RobotsCache; maxRobotsWaitMs: number },
): CrawlRobots {
  const { jobId, cipher, token } = crawl;
  const robotsCrawl = { jobId, cipher };
  const known = new ExpiringMap<RobotsRules>({ limit: MAX_HOSTS, ttlMs: TTL_MS });

  /** @returns the rules, the current wait of the host, or the error of a request that has just failed */
  async function read(url: URL, signal: AbortSignal): Promise<RobotsRules | RobotsWait | ServiceError> {
    const { origin } = url;
    const found = known.get(origin);
    if (found) return found;
    const wait = await findRobotsWait(db, { ...robotsCrawl, url });
    if (wait && (wait.isGivenUp || wait.waitMs > 0)) return wait;
    try {
      const rules = await robotsCache.readRules({ origin, token, crawl: robotsCrawl }, signal);
      // `ALLOW_ALL` means that the host could not be reached. The next call tries again.
      if (rules !== ALLOW_ALL) known.set(origin, rules);
      if (wait) await endRobotsWait(db, { ...robotsCrawl, url });
      return rules;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'ROBOTS_UNAVAILABLE') return error;
      throw error;
    }
  }

  /** Records a failed request. @returns how long the crawl waits before the next one */
  async function recordFailure(
    url: URL,
    { message, retryAfterSeconds = 0 }: ServiceError,
  ): Promise<RobotsWait> {
    const retryAfterMs = Math.min(retryAfterSeconds * 1000, MAX_RETRY_AFTER_MS);
    await recordRobotsFailure(
      db,
      { ...robotsCrawl, url },
      { reason: message, retryAfterMs, maxWaitMs: maxRobotsWaitMs },
    );
    const wait = await findRobotsWait(db, { ...robotsCrawl, url });
    // Without a wait, another worker has read the file in the meantime, so it can be read at once.
    return wait ?? { waitMs: 0, isGivenUp: false, tries: 0, reason: message };
  }

  return {
    async readRules(pageUrl, signal) {
      const url = new URL(pageUrl);
      const result = await read(url, signal);
      if ('allows' in result) return { rules: result };
      const wait = result instanceof ServiceError ? await recordFailure(url, result) : result;
      return wait.isGivenUp
        ? { error: robotsUnavailableError(wait.reason, wait.tries) }
        : { waitMs: wait.waitMs };
    },
    async readRulesIfAvailable(pageUrl, signal) {
      const result = await read(new URL(pageUrl), signal);
      return 'allows' in result ? result : undefined;
    },
  };
}
