import { ServiceError } from '../errors.ts';

/** The host of a URL with its port, without `www.`, by which hosts are compared. */
export const comparableHost = (url: URL): string => url.host.replace(/^www\./, '');

/**
 * Whether a URL is on one of the hosts.
 * @param hosts hosts with their ports, without `www.`; one that begins with `*.` stands for itself and all
 * hosts below it
 */
export function isOnAllowedHost(text: string, hosts: readonly string[]): boolean {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return false;
  const host = comparableHost(url);
  return hosts.some((each) =>
    each.startsWith('*.') ? host === each.slice(2) || host.endsWith(each.slice(1)) : host === each,
  );
}

/**
 * Refuses a URL that a page leads to.
 * @param hosts see {@link isOnAllowedHost}; without them every host is allowed
 * @throws ServiceError `CRAWL_DENIAL`
 */
export function requireAllowedHost(url: URL, hosts: readonly string[] | undefined): void {
  if (!hosts || isOnAllowedHost(url.href, hosts)) return;
  throw new ServiceError(
    'CRAWL_DENIAL',
    `The page leads to ${url.host}, which is not among the hosts that may be opened: ${hosts.join(', ')}. Name ${url.host} in the request if it is meant.`,
  );
}
