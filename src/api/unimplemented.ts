import { excerpt, ServiceError } from '../errors.ts';

/** What this version does not implement: the paths, what messages call it, and what does almost the same. */
interface Unimplemented {
  path: RegExp;
  name: string;
  /** A whole sentence. */
  instead?: string;
}

const UNIMPLEMENTED: readonly Unimplemented[] = [
  { path: /^\/v2\/(browser|interact)\/[^/]+\/replay\//, name: 'parts of a recording of a browser session' },
  { path: /^\/v2\/keyless(\/|$)/, name: 'access without an API key' },
  { path: /^\/v2\/monitor\/slack(\/|$)/, name: 'Slack messages of monitors' },
  {
    path: /^\/v2\/search\/developer(\/|$)/,
    name: 'the developer search',
    instead: 'POST /v2/search with {"categories": ["developer"]} searches documentation, code and questions.',
  },
  {
    path: /^\/v2\/search\/gov(\/|$)/,
    name: 'the search of governments',
    instead: 'POST /v2/search with {"includeDomains": ["gov"]} searches their sites.',
  },
  {
    path: /^\/v2\/search\/research(\/|$)/,
    name: 'the research search',
    instead: 'POST /v2/search with {"categories": ["research"]} searches sites of science.',
  },
  { path: /^\/v2\/team\/threat-protection(\/|$)/, name: 'threat protection' },
  { path: /^\/v2\/team\/siem(\/|$)/, name: 'the export of events to a SIEM' },
  {
    path: /^\/v1\/deep-research(\/|$)/,
    name: 'deep research',
    instead: 'POST /v2/agent with {"prompt": …} searches the web and answers with its sources.',
  },
  {
    path: /^\/v1\/llmstxt(\/|$)/,
    name: 'the generation of llms.txt',
    instead:
      'POST /v2/map lists the pages of a site with their titles, and POST /v2/crawl returns them as markdown.',
  },
  {
    path: /^\/v0(\/|$)/,
    name: 'version 0 of the API',
    instead: 'Use a client of version 2 (/v2), or of version 1 (/v1), which is answered as well.',
  },
];

/**
 * Distinguishes paths of resources that this version does not implement from unknown paths.
 * @throws ServiceError `FEATURE_NOT_AVAILABLE` if the path belongs to a resource that is not implemented
 */
export function rejectUnimplemented(path: string): void {
  const resource = UNIMPLEMENTED.find((each) => each.path.test(path));
  if (!resource) return;
  const { name, instead = 'The API reference at /docs lists the available endpoints.' } = resource;
  const message = `${excerpt(path)} is not available: Winnow does not have ${name}. ${instead}`;
  // The research clients of the official SDKs show the text of this member only (RFC 9457).
  throw new ServiceError('FEATURE_NOT_AVAILABLE', message, { partialResult: { detail: message } });
}
