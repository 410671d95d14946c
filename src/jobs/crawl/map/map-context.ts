import type { MapRequest } from '../../../schemas/map.ts';
import type { MapRobots } from '../robots/map-robots.ts';
import type { MapLinks } from './map-links.ts';
import type { MapScope } from './map-scope.ts';

/** Which site is mapped, for which team, and for how long. */
export interface MapInput {
  request: MapRequest;
  teamId: string;
  /** Maximum number of links to find. For a search, there are more of them than the response contains. */
  limit: number;
  /** When it fires, no more sitemaps are read, unless the request has `sitemap: 'only'`. */
  sitemapDeadline: AbortSignal;
  /** When it fires, discovery ends with the links that it has. */
  discoveryDeadline: AbortSignal;
  /** When it fires, the timeout of the map is over and all work is aborted. */
  timeout: AbortSignal;
}

/** The state that all ways to find links share. */
export interface MapContext extends MapInput {
  /** The URL of the start page after redirects. */
  base: string;
  scope: MapScope;
  links: MapLinks;
  /** The robots.txt rules of hosts. Those of the base's host have been read already. */
  robots: MapRobots;
}

/** Whether robots.txt allows a link to be listed. A link that is excluded is recorded in `links`. */
export function mayList({ robots, links }: Pick<MapContext, 'robots' | 'links'>, url: string): boolean {
  const isAllowed = robots.mayList(url);
  if (!isAllowed) links.addExcluded(url);
  return isAllowed;
}
