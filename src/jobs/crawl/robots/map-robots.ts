import { ServiceError } from '../../../errors.ts';
import { pause } from '../../../system/pause.ts';
import { ALLOW_ALL, type RobotsRules, robotsUnavailableError } from './fetch-robots-txt.ts';
import type { RobotsCache } from './robots-cache.ts';

/**
 * The robots.txt rules of the hosts that one map visits. A map needs the rules within seconds. A crawl, which
 * can wait for them, uses `crawl-robots.ts` instead.
 */
export interface MapRobots {
  /**
   * Returns the rules of a URL's host and remembers them.
   * @throws ServiceError `ROBOTS_UNAVAILABLE` when rules are obeyed, the file is unavailable and no copy is
   *   stored
   */
  readRules(url: string, signal: AbortSignal): Promise<RobotsRules>;
  /** Whether a URL may be fetched; false also when the robots.txt of its host is unavailable. */
  mayFetch(url: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Whether a URL may be listed. It reads no robots.txt, so all URLs of hosts without known rules may be
   * listed.
   */
  mayList(url: string): boolean;
}

/** Removes the limits from rules that are not obeyed, but keeps the sitemaps. */
const withoutLimits = (robots: RobotsRules): RobotsRules => ({
  ...robots,
  allows: () => true,
  crawlDelayMs: undefined,
});
/**
 * Milliseconds before each new attempt for an unavailable robots.txt. They are short, because a request is
 * waiting.
 */
const RETRY_PAUSES_MS = [1_000, 3_000];
const ALLOW_NOTHING: RobotsRules = { allows: () => false, crawlDelayMs: undefined, sitemaps: [] };

const isUnavailable = (error: unknown) =>
  error instanceof ServiceError && error.code === 'ROBOTS_UNAVAILABLE';

/** Reads the rules of a host in at most three attempts. @throws ServiceError `ROBOTS_UNAVAILABLE` */
async function readWithRetries(
  robotsCache: RobotsCache,
  origin: string,
  signal: AbortSignal,
): Promise<RobotsRules> {
  for (let tries = 1; ; tries++) {
    try {
      return await robotsCache.readRules({ origin }, signal);
    } catch (error) {
      if (!(error instanceof ServiceError) || !isUnavailable(error)) throw error;
      const pauseMs = RETRY_PAUSES_MS[tries - 1];
      if (pauseMs === undefined) throw robotsUnavailableError(error.message, tries);
      await pause(pauseMs, signal);
      signal.throwIfAborted();
    }
  }
}

/**
 * Reads the robots.txt of a host whose rules are not obeyed, for its sitemaps. It makes one attempt, which
 * may fail.
 */
async function readSitemapsOnly(
  robotsCache: RobotsCache,
  origin: string,
  signal: AbortSignal,
): Promise<RobotsRules> {
  try {
    return withoutLimits(await robotsCache.readRules({ origin }, signal));
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return ALLOW_ALL;
  }
}

/** Creates the robots.txt rules of one map. Each host's file is read when it is first needed. */
export function createMapRobots(
  robotsCache: RobotsCache,
  { ignoreRobotsTxt }: { ignoreRobotsTxt: boolean },
): MapRobots {
  const known = new Map<string, RobotsRules>();
  const mapRobots: MapRobots = {
    async readRules(url, signal) {
      const { origin } = new URL(url);
      const knownRules = known.get(origin);
      if (knownRules) return knownRules;
      const rules = await (ignoreRobotsTxt ? readSitemapsOnly : readWithRetries)(robotsCache, origin, signal);
      known.set(origin, rules);
      return rules;
    },
    async mayFetch(url, signal) {
      try {
        return (await mapRobots.readRules(url, signal)).allows(url);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        known.set(new URL(url).origin, ALLOW_NOTHING);
        return false;
      }
    },
    mayList: (url) => known.get(new URL(url).origin)?.allows(url) ?? true,
  };
  return mapRobots;
}
