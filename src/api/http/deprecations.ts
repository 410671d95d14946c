/** What is deprecated: since when, and from which version on it may be gone. */
export interface Deprecated {
  /** The date on which it became deprecated, in UTC. */
  since: `${number}-${number}-${number}`;
  /**
   * The end that has been decided. The date is that of the earliest release without it; the version is that release, at least
   * one after the one that announces it. Without it, no end is decided.
   */
  sunset?: { date: `${number}-${number}-${number}`; version: `${number}.${number}.${number}` };
}

/**
 * Everything that is deprecated. Responses say so in their headers, and the API reference marks it. `scripts/release.ts`
 * refuses a version that still has what was to end before it.
 */
export const DEPRECATIONS = {
  /** Agents do the same and more. The interface gives no date, so it is that of its version. */
  extract: { since: '2026-01-01' },
  /** Version 1 of the API stays for the programs that were written for it; new ones should use version 2. */
  version1: { since: '2026-01-01' },
} satisfies Record<string, Deprecated>;

/** That a route is deprecated, and the path that takes its place. */
export interface RouteDeprecation {
  of: keyof typeof DEPRECATIONS;
  replacement: string;
}

/**
 * The headers of a deprecated route: since when (RFC 9745), until when (RFC 8594), and what takes its place (RFC 5829).
 */
export function deprecationHeaders(deprecated: Deprecated, replacement: string): Record<string, string> {
  return {
    Deprecation: `@${Date.parse(deprecated.since) / 1000}`,
    ...(deprecated.sunset && { Sunset: new Date(deprecated.sunset.date).toUTCString() }),
    Link: `<${replacement}>; rel="successor-version"`,
  };
}

/** The names of what was to end with a version or before, and is still there. */
export function overdueDeprecations(
  version: string,
  deprecations: Record<string, Deprecated> = DEPRECATIONS,
): string[] {
  return Object.entries(deprecations)
    .filter(([, { sunset }]) => sunset && compareVersions(sunset.version, version) <= 0)
    .map(([name]) => name);
}

/** Compares two versions without suffixes, such as 1.10.0 and 1.9.3, by their numbers. */
function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
