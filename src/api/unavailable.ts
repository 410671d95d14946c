import { ServiceError } from '../errors.ts';

/** Resources of the v2 API that this version does not serve. A resource that is served leaves this list. */
const UNAVAILABLE = [
  ...[
    'agent',
    'browser',
    'extract',
    'feedback',
    'interact',
    'keyless',
    'monitor',
    'parse',
    'search',
    'support',
  ],
  'scrape/[^/]+/interact',
  'team/threat-protection',
  'team/siem',
].map((pattern) => ({ pattern: new RegExp(`^/v2/${pattern}(/|$)`), name: pattern.split('/').at(-1) }));

/**
 * Tells a resource that is yet to come from a path that is wrong.
 * @throws ServiceError `FEATURE_NOT_AVAILABLE`
 */
export function requireAvailable(path: string): void {
  const resource = UNAVAILABLE.find(({ pattern }) => pattern.test(path));
  if (!resource) return;
  throw new ServiceError(
    'FEATURE_NOT_AVAILABLE',
    `${path} is not available in this version of Winnow: it has no ${resource.name} yet. The reference at /docs lists what there is.`,
  );
}
