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

/** What hosts say in robots.txt. Copies are shared by all workers, and stand in where a host cannot say (RFC 9309 2.4). */
export interface RobotsBook {
  /**
   * Reads the rules of an origin. Of a host that cannot be connected to, without a copy, they are `UNLIMITED`: its pages
   * cannot be fetched either, and tell why.
   * @throws ServiceError `ROBOTS_UNAVAILABLE` where the host cannot say and there is no copy; its message is a clause
   *   without a full stop, its `retryAfterSeconds` what the host asks for
   */
  of(question: RobotsQuestion, signal: AbortSignal): Promise<Robots>;
}

/** Whose rules are wanted, by whom. */
interface RobotsQuestion {
  origin: string;
  /** The crawler's name in robots.txt; the service's own where it is left out. */
  token?: string | undefined;
  /** A crawl takes what was read since it began; anybody else reads anew. */
  reader?: RobotsReader | undefined;
}

/** @param doors.token the service's own name in robots.txt */
export function createRobotsBook(doors: {
  db: Database;
  egress: Egress;
  userAgent: string;
  token: string;
}): RobotsBook {
  const { db } = doors;
  const asked = new Map<string, Promise<RobotsAnswer>>();

  /** Those who ask at once wait for one answer; whose signal ends it, the others ask anew. */
  async function ask(origin: string, signal: AbortSignal): Promise<RobotsAnswer> {
    const shared = await asked.get(origin)?.catch(() => undefined);
    if (shared) return shared;
    const answer = fetchRobots({ ...doors, origin, signal });
    asked.set(origin, answer);
    return answer.finally(() => asked.delete(origin));
  }

  async function fileOf({ origin, reader }: RobotsQuestion, signal: AbortSignal) {
    const copy = await findRobotsFile(db, origin, reader);
    // Written below.
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
