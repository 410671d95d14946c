import type { MapLinks } from '../crawl/map/map-links.ts';
import type { MapScope } from '../crawl/map/map-scope.ts';
import type { MapRobots } from '../crawl/robots/map-robots.ts';
import type { MapRequest } from '../schemas/map.ts';

/** Which site is surveyed, for which team, and for how long. */
export interface MapInput {
  request: MapRequest;
  teamId: string;
  /** Maximum number of links to find. For a search, there are more of them than the response contains. */
  limit: number;
  /** When it fires, no more sitemaps are read, unless the request has `sitemap: 'only'`. */
  half: AbortSignal;
  /** When it fires, the survey ends with the links that it has. */
  enough: AbortSignal;
  /** When it fires, the timeout of the map is over and all work is aborted. */
  over: AbortSignal;
}

/** The state that all ways to find links share. */
export interface MapContext extends MapInput {
  /** The URL of the start page after redirects. */
  base: string;
  scope: MapScope;
  links: MapLinks;
  /** The robots.txt rules of hosts. Those of the base's host have been read already. */
  rules: MapRobots;
}

/** Whether robots.txt allows a link to be listed. A link that is excluded is noted in `links`. */
export function mayList({ rules, links }: Pick<MapContext, 'rules' | 'links'>, url: string): boolean {
  const isAllowed = rules.mayList(url);
  if (!isAllowed) links.addExcluded(url);
  return isAllowed;
}

/** Whether a status code says that the page does not exist. */
export const isGone = (statusCode: number) => statusCode === 404 || statusCode === 410;
