import { ServiceError } from '../errors.ts';

/** Resources of the v2 API that this version does not implement. */
const UNIMPLEMENTED = [
  '(browser|interact)/[^/]+/replay',
  'keyless',
  'monitor',
  'search/(developer|research)',
  'team/threat-protection',
  'team/siem',
].map((pattern) => ({ pattern: new RegExp(`^/v2/${pattern}(/|$)`), name: pattern.split('/').at(-1) }));

/**
 * Distinguishes paths of resources that this version does not implement from unknown paths.
 * @throws ServiceError `FEATURE_NOT_AVAILABLE` if the path belongs to a resource that is not implemented
 */
export function rejectUnimplemented(path: string): void {
  const resource = UNIMPLEMENTED.find(({ pattern }) => pattern.test(path));
  if (!resource) return;
  throw new ServiceError(
    'FEATURE_NOT_AVAILABLE',
    `${path} is not available: this version of Winnow does not implement ${resource.name} yet. The API reference at /docs lists the available endpoints.`,
  );
}
