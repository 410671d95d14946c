import type { Robots } from './robots.ts';
import type { RobotsBook } from './robots-book.ts';

/** What the robots.txt of the hosts that were met allows, for who needs an answer at once. */
export interface HostRules {
  /** The rules for an address; its host is met then. */
  of(url: string, signal: AbortSignal): Promise<Robots>;
  mayVisit(url: string, signal: AbortSignal): Promise<boolean>;
  /** False for what a host that was met forbids; the rules of others are asked for when their turn comes. */
  mayList(url: string): boolean;
}

/** Rules that are not obeyed; sitemaps are named for everybody. */
const waived = (robots: Robots): Robots => ({ ...robots, allows: () => true, crawlDelayMs: undefined });

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
      const robots = await book.of(origin, undefined, signal);
      const rules = ignoreRobotsTxt ? waived(robots) : robots;
      known.set(origin, rules);
      return rules;
    },
    mayVisit: async (url, signal) => (await rules.of(url, signal)).allows(url),
    mayList: (url) => known.get(new URL(url).origin)?.allows(url) ?? true,
  };
  return rules;
}
