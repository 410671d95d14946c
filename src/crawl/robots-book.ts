import type { Egress } from '../net/egress.ts';
import { ExpiringMap } from '../net/expiring-map.ts';
import { fetchRobots, parseRobots, type Robots, type RobotsFile } from './robots.ts';

/** What hosts allow, asked for once an hour. */
export interface RobotsBook {
  /**
   * A host that gives no answer allows nothing (RFC 9309 2.3.1.4), and `isSilent`.
   * @param token the crawler's name in robots.txt; the service's own where it is left out
   */
  of(origin: string, token: string | undefined, signal: AbortSignal): Promise<Robots>;
}

const HOSTS = 1_000;
const TTL_MS = 3_600_000;
/** A host that gave no answer is asked again this soon. */
const UNREACHABLE_TTL_MS = 30_000;

/** @param doors.token the service's own name in robots.txt */
export function createRobotsBook(doors: { egress: Egress; userAgent: string; token: string }): RobotsBook {
  const rules = new ExpiringMap<Robots>({ limit: HOSTS, ttlMs: TTL_MS });
  const files = new ExpiringMap<RobotsFile>({ limit: HOSTS, ttlMs: TTL_MS });
  const unreachable = new ExpiringMap<true>({ limit: HOSTS, ttlMs: UNREACHABLE_TTL_MS });
  const asked = new Map<string, Promise<RobotsFile | 'unreachable'>>();

  /** Those who ask at once wait for one answer; whose signal ends it, the others ask anew. */
  async function fileOf(origin: string, signal: AbortSignal): Promise<RobotsFile | 'unreachable'> {
    const known = files.get(origin) ?? (unreachable.get(origin) && 'unreachable');
    if (known) return known;
    const underWay = asked.get(origin)?.catch(() => undefined);
    const shared = await underWay;
    if (shared) return shared;
    const answer = fetchRobots({ ...doors, origin, signal });
    asked.set(origin, answer);
    try {
      const file = await answer;
      if (file === 'unreachable') unreachable.set(origin, true);
      else files.set(origin, file);
      return file;
    } finally {
      asked.delete(origin);
    }
  }

  return {
    async of(origin, token = doors.token, signal) {
      const name = `${token} ${origin}`;
      const known = rules.get(name);
      if (known) return known;
      const file = await fileOf(origin, signal);
      if (file === 'unreachable') return parseRobots(file, token);
      const parsed = parseRobots(file, token);
      rules.set(name, parsed);
      return parsed;
    },
  };
}
