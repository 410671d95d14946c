import type { Database } from '../db/client.ts';
import { findRobotsFile, keepRobotsFile, type RobotsReader } from '../db/robots.ts';
import { ServiceError } from '../errors.ts';
import type { Egress } from '../net/egress.ts';
import {
  fetchRobots,
  parseRobots,
  type Robots,
  type RobotsAnswer,
  type RobotsFile,
  UNLIMITED,
} from './robots.ts';

/**
 * Reads robots.txt rules. Stored copies are shared by all workers and are used while a host's file is
 * unavailable (RFC 9309 2.4).
 */
export interface RobotsBook {
  /**
   * Reads the rules of an origin. If the host cannot be reached and no copy is stored, the rules are
   * `UNLIMITED`: its pages cannot be fetched either, and their errors give the reason.
   * @throws ServiceError `ROBOTS_UNAVAILABLE` if the file is unavailable and no copy is stored. Its message
   *   is a clause without a full stop; its `retryAfterSeconds` is the host's `Retry-After`.
   */
  of(question: RobotsQuestion, signal: AbortSignal): Promise<Robots>;
}

/** Which rules to read, and for which reader. */
interface RobotsQuestion {
  origin: string;
  /** The crawler's name in robots.txt; the default is the name of the service. */
  token?: string | undefined;
  /**
   * The crawl that reads the rules. It reuses copies that are less than an hour old and were fetched after
   * the crawl began. Without a crawl, the file is always fetched again.
   */
  reader?: RobotsReader | undefined;
}

/** @param doors.token the name of the service in robots.txt */
export function createRobotsBook(doors: {
  db: Database;
  egress: Egress;
  userAgent: string;
  token: string;
}): RobotsBook {
  const { db } = doors;
  const asked = new Map<string, Promise<RobotsAnswer>>();

  /**
   * Fetches the file of an origin. Concurrent callers share one request. If the caller that made it aborts
   * it, each of the others makes a new request.
   */
  async function ask(origin: string, signal: AbortSignal): Promise<RobotsAnswer> {
    const shared = await asked.get(origin)?.catch(() => undefined);
    if (shared) return shared;
    const answer = fetchRobots({ ...doors, origin, signal });
    asked.set(origin, answer);
    return answer.finally(() => asked.delete(origin));
  }

  async function fileOf({ origin, reader }: RobotsQuestion, signal: AbortSignal) {
    const copy = await findRobotsFile(db, origin, reader);
    // The file was serialized by `keepRobotsFile` below.
    const last = copy && (JSON.parse(copy.file.toString()) as RobotsFile);
    if (copy?.isFresh) return last;
    const answer = await ask(origin, signal);
    if (answer === 'unconnected') return last;
    if (answer instanceof ServiceError) {
      if (last) return last;
      throw answer;
    }
    await keepRobotsFile(db, { origin, reader, file: Buffer.from(JSON.stringify(answer)) });
    return answer;
  }

  return {
    async of(question, signal) {
      const file = await fileOf(question, signal);
      return file ? parseRobots(file, question.token ?? doors.token) : UNLIMITED;
    },
  };
}
