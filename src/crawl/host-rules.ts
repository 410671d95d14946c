import { ServiceError } from '../errors.ts';
import { pause } from '../pause.ts';
import { type Robots, robotsFailure, UNLIMITED } from './robots.ts';
import type { RobotsBook } from './robots-book.ts';

/**
 * The robots.txt rules of the hosts that one map visits. A map needs the rules within seconds. A crawl, which
 * can wait for them, uses `crawl-robots.ts` instead.
 */
export interface HostRules {
  /**
   * Returns the rules of a URL's host and remembers them.
   * @throws ServiceError `ROBOTS_UNAVAILABLE` when rules are obeyed, the file is unavailable and no copy is
   *   stored
   */
  of(url: string, signal: AbortSignal): Promise<Robots>;
  /** Whether a URL may be fetched; false also when the robots.txt of its host is unavailable. */
  mayVisit(url: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Whether a URL may be listed. It reads no robots.txt, so all URLs of hosts without known rules may be
   * listed.
   */
  mayList(url: string): boolean;
}

/** Removes the limits from rules that are not obeyed, but keeps the sitemaps. */
const waived = (robots: Robots): Robots => ({ ...robots, allows: () => true, crawlDelayMs: undefined });
/**
 * Milliseconds before each new attempt for an unavailable robots.txt. They are short, because a request is
 * waiting.
 */
const PAUSES_MS = [1_000, 3_000];
const NOTHING: Robots = { allows: () => false, crawlDelayMs: undefined, sitemaps: [] };

const isUnavailable = (error: unknown) =>
  error instanceof ServiceError && error.code === 'ROBOTS_UNAVAILABLE';

/** Reads the rules of a host in at most three attempts. @throws ServiceError `ROBOTS_UNAVAILABLE` */
async function ask(book: RobotsBook, origin: string, signal: AbortSignal): Promise<Robots> {
  for (let tries = 1; ; tries++) {
    try {
      return await book.of({ origin }, signal);
    } catch (error) {
      if (!(error instanceof ServiceError) || !isUnavailable(error)) throw error;
      const pauseMs = PAUSES_MS[tries - 1];
      if (pauseMs === undefined) throw robotsFailure(error.message, tries);
      await pause(pauseMs, signal);
      signal.throwIfAborted();
    }
  }
}

/**
 * Reads the robots.txt of a host whose rules are not obeyed, for its sitemaps. It makes one attempt, which
 * may fail.
 */
async function askWaived(book: RobotsBook, origin: string, signal: AbortSignal): Promise<Robots> {
  try {
    return waived(await book.of({ origin }, signal));
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return UNLIMITED;
  }
}

/** Creates the rules of one map, without any host at first. */
export function createHostRules(
  book: RobotsBook,
  { ignoreRobotsTxt }: { ignoreRobotsTxt: boolean },
): HostRules {
  const known = new Map<string, Robots>();
  const rules: HostRules = {
    async of(url, signal) {
      const { origin } = new URL(url);
      const met = known.get(origin);
      if (met) return met;
      const rules = await (ignoreRobotsTxt ? askWaived : ask)(book, origin, signal);
      known.set(origin, rules);
      return rules;
    },
    async mayVisit(url, signal) {
      try {
        return (await rules.of(url, signal)).allows(url);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        known.set(new URL(url).origin, NOTHING);
        return false;
      }
    },
    mayList: (url) => known.get(new URL(url).origin)?.allows(url) ?? true,
  };
  return rules;
}
