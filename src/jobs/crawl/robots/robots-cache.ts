import { ServiceError } from '../../../errors.ts';
import type { Egress } from '../../../fetch/net/checked-egress.ts';
import type { Database } from '../../../storage/db/client.ts';
import { findRobotsFile, type RobotsCrawl, storeRobotsFile } from '../../../storage/db/robots.ts';
import {
  ALLOW_ALL,
  fetchRobots,
  parseRobots,
  type RobotsFetchResult,
  type RobotsFile,
  type RobotsRules,
} from './fetch-robots-txt.ts';

/**
 * Reads robots.txt rules. Stored copies are shared by all workers and are used while a host's file is
 * unavailable (RFC 9309 2.4).
 */
export interface RobotsCache {
  /**
   * Reads the rules of an origin. If the host cannot be reached and no copy is stored, the result is
   * `ALLOW_ALL`: its pages cannot be fetched either, and their errors give the reason.
   * @throws ServiceError `ROBOTS_UNAVAILABLE` if the file is unavailable and no copy is stored. Its message
   *   is a clause without a full stop; its `retryAfterSeconds` is the host's `Retry-After`.
   */
  readRules(query: RobotsQuery, signal: AbortSignal): Promise<RobotsRules>;
}

/** Which rules to read, and for which crawl. */
interface RobotsQuery {
  origin: string;
  /** The crawler's name in robots.txt; the default is the name of the service. */
  token?: string | undefined;
  /**
   * The crawl that reads the rules. It reuses copies that are less than an hour old and were fetched after
   * the crawl began. Without a crawl, the file is always fetched again.
   */
  crawl?: RobotsCrawl | undefined;
}

/** @param deps.token the name of the service in robots.txt */
export function createRobotsCache(deps: {
  db: Database;
  egress: Egress;
  userAgent: string;
  token: string;
}): RobotsCache {
  const { db } = deps;
  const pending = new Map<string, Promise<RobotsFetchResult>>();

  /**
   * Fetches the file of an origin. Concurrent callers share one request. If the caller that made it aborts
   * it, each of the others makes a new request.
   */
  async function fetchShared(origin: string, signal: AbortSignal): Promise<RobotsFetchResult> {
    // The caller that made the request reports its failure.
    const shared = await pending.get(origin)?.catch(() => undefined);
    if (shared) return shared;
    const result = fetchRobots({ ...deps, origin, signal });
    pending.set(origin, result);
    return result.finally(() => pending.delete(origin));
  }

  async function readFile({ origin, crawl }: RobotsQuery, signal: AbortSignal) {
    const stored = await findRobotsFile(db, origin, crawl);
    // The file was serialized by `storeRobotsFile` below.
    const lastFile = stored && (JSON.parse(stored.file.toString()) as RobotsFile);
    if (stored?.isFresh) return lastFile;
    const result = await fetchShared(origin, signal);
    if (result === 'unreachable') return lastFile;
    if (result instanceof ServiceError) {
      if (lastFile) return lastFile;
      throw result;
    }
    await storeRobotsFile(db, { origin, crawl, file: Buffer.from(JSON.stringify(result)) });
    return result;
  }

  return {
    async readRules(query, signal) {
      const file = await readFile(query, signal);
      return file ? parseRobots(file, query.token ?? deps.token) : ALLOW_ALL;
    },
  };
}
