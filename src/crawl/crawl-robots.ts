import type { Database } from '../db/client.ts';
import {
  endRobotsWait,
  findRobotsWait,
  noteRobotsWait,
  type RobotsReader,
  type RobotsWait,
} from '../db/robots.ts';
import { ServiceError } from '../errors.ts';
import { ExpiringMap } from '../net/expiring-map.ts';
import { type Robots, robotsFailure, UNLIMITED } from './robots.ts';
import type { RobotsBook } from './robots-book.ts';

/** The rules of a host, or in how many milliseconds it is asked for them again, or why it was given up. */
type RobotsOutcome = { rules: Robots } | { waitMs: number } | { error: ServiceError };

/** What the hosts of one crawl allow. How long it waits for hosts that cannot say is shared by all its workers. */
export interface CrawlRobots {
  /** Asks for the host's rules; while it cannot say, no page of it is claimed. */
  of(url: string, signal: AbortSignal): Promise<RobotsOutcome>;
  /** The host's rules for who can do without: `undefined` where it cannot say now, for which nothing waits. */
  peek(url: string, signal: AbortSignal): Promise<Robots | undefined>;
}

const HOSTS = 200;
/** A worker looks for a newer copy after this long. */
const TTL_MS = 300_000;
/** The longest rest that a host may ask for. */
const LONGEST_REST_MS = 120_000;

/**
 * @param crawl.token its name in robots.txt; the service's own where it is left out
 * @param doors.patienceMs so long a host is asked again and again before it is given up
 */
export function createCrawlRobots(
  crawl: RobotsReader & { token: string | undefined },
  { db, book, patienceMs }: { db: Database; book: RobotsBook; patienceMs: number },
): CrawlRobots {
  const { jobId, seal, token } = crawl;
  const reader = { jobId, seal };
  const known = new ExpiringMap<Robots>({ limit: HOSTS, ttlMs: TTL_MS });

  /** @returns a failure where the host was asked just now and could not say */
  async function read(url: URL, signal: AbortSignal): Promise<Robots | RobotsWait | ServiceError> {
    const { origin } = url;
    const found = known.get(origin);
    if (found) return found;
    const wait = await findRobotsWait(db, { ...reader, url });
    if (wait && (wait.isGivenUp || wait.waitMs > 0)) return wait;
    try {
      const rules = await book.of({ origin, token, reader }, signal);
      // What is assumed of a host without a connection holds for the moment only.
      if (rules !== UNLIMITED) known.set(origin, rules);
      if (wait) await endRobotsWait(db, { ...reader, url });
      return rules;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'ROBOTS_UNAVAILABLE') return error;
      throw error;
    }
  }

  /** Notes a failure. @returns how long the crawl waits now */
  async function waitFor(url: URL, { message, retryAfterSeconds = 0 }: ServiceError): Promise<RobotsWait> {
    const restMs = Math.min(retryAfterSeconds * 1000, LONGEST_REST_MS);
    await noteRobotsWait(db, { ...reader, url }, { reason: message, restMs, patienceMs });
    const wait = await findRobotsWait(db, { ...reader, url });
    // Another worker was answered meanwhile: what it read is there.
    return wait ?? { waitMs: 0, isGivenUp: false, tries: 0, reason: message };
  }

  return {
    async of(address, signal) {
      const url = new URL(address);
      const result = await read(url, signal);
      if ('allows' in result) return { rules: result };
      const wait = result instanceof ServiceError ? await waitFor(url, result) : result;
      return wait.isGivenUp ? { error: robotsFailure(wait.reason, wait.tries) } : { waitMs: wait.waitMs };
    },
    async peek(address, signal) {
      const result = await read(new URL(address), signal);
      return 'allows' in result ? result : undefined;
    },
  };
}
