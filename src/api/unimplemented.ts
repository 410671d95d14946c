import { excerpt, ServiceError } from '../errors.ts';

/** Resources of the v2 API that this version does not implement: their paths, and what messages call them. */
const UNIMPLEMENTED = [
  { path: /^\/v2\/(browser|interact)\/[^/]+\/replay\//, name: 'parts of a recording of a browser session' },
  { path: /^\/v2\/keyless(\/|$)/, name: 'access without an API key' },
  { path: /^\/v2\/monitor\/(email|slack)(\/|$)/, name: 'mails and Slack messages of monitors' },
  { path: /^\/v2\/search\/developer(\/|$)/, name: 'the developer search' },
  { path: /^\/v2\/search\/research(\/|$)/, name: 'the research search' },
  { path: /^\/v2\/team\/threat-protection(\/|$)/, name: 'threat protection' },
  { path: /^\/v2\/team\/siem(\/|$)/, name: 'the export of events to a SIEM' },
];

/**
 * Distinguishes paths of resources that this version does not implement from unknown paths.
 * @throws ServiceError `FEATURE_NOT_AVAILABLE` if the path belongs to a resource that is not implemented
 */
export function rejectUnimplemented(path: string): void {
  const resource = UNIMPLEMENTED.find((each) => each.path.test(path));
  if (!resource) return;
  throw new ServiceError(
    'FEATURE_NOT_AVAILABLE',
    `${excerpt(path)} is not available: this version of Winnow does not implement ${resource.name} yet. The API reference at /docs lists the available endpoints.`,
  );
}
