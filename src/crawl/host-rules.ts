import { ServiceError } from '../errors.ts';
import { pause } from '../pause.ts';
import { type Robots, robotsFailure, UNLIMITED } from './robots.ts';
import type { RobotsBook } from './robots-book.ts';

/** What the robots.txt of the hosts that were met allows, for who needs an answer at once. */
export interface HostRules {
  /**
   * The rules for an address; its host is met then.
   * @throws ServiceError `ROBOTS_UNAVAILABLE` where the host cannot say, there is no copy, and its rules are obeyed
   */
  of(url: string, signal: AbortSignal): Promise<Robots>;
  /** False for what a host forbids, and where it cannot say what it allows. */
  mayVisit(url: string, signal: AbortSignal): Promise<boolean>;
  /** False for what a host that was met forbids; the rules of others are asked for when their turn comes. */
  mayList(url: string): boolean;
}

/** Rules that are not obeyed; sitemaps are named for everybody. */
const waived = (robots: Robots): Robots => ({ ...robots, allows: () => true, crawlDelayMs: undefined });
/** Before a host that cannot say is asked again: somebody waits for the answer. */
const PAUSES_MS = [1_000, 3_000];
const NOTHING: Robots = { allows: () => false, crawlDelayMs: undefined, sitemaps: [] };

const isUnavailable = (error: unknown) =>
  error instanceof ServiceError && error.code === 'ROBOTS_UNAVAILABLE';

/** Asks a host three times within seconds. @throws ServiceError `ROBOTS_UNAVAILABLE` */
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

/** Asks a host whose rules are not obeyed: it is asked once, for its sitemaps, and may stay silent. */
async function askWaived(book: RobotsBook, origin: string, signal: AbortSignal): Promise<Robots> {
  try {
    return waived(await book.of({ origin }, signal));
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return UNLIMITED;
  }
}

/** Starts with no host met. */
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
