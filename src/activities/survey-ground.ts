import type { HostRules } from '../crawl/host-rules.ts';
import type { MapLinks } from '../crawl/map-links.ts';
import type { MapScope } from '../crawl/map-scope.ts';
import type { MapRequest } from '../schemas/map.ts';

/** Which site is surveyed, for whom, and for how long. */
export interface SurveyOrder {
  request: MapRequest;
  teamId: string;
  /** Most links; with words to search for they are more than are answered. */
  limit: number;
  /** When it fires, no more sitemaps are read, unless they are all that is wanted. */
  half: AbortSignal;
  /** When it fires, the survey ends with what it has. */
  enough: AbortSignal;
  /** When it fires, nothing is of use any more. */
  over: AbortSignal;
}

/** What all ways to find links share. */
export interface Ground extends SurveyOrder {
  /** Where the site is, after redirects. */
  base: string;
  scope: MapScope;
  links: MapLinks;
  /** The host of the base is met. */
  rules: HostRules;
}

/** Whether robots.txt lets a link be listed; one that it excludes is noted. */
export function mayList({ rules, links }: Pick<Ground, 'rules' | 'links'>, url: string): boolean {
  const isAllowed = rules.mayList(url);
  if (!isAllowed) links.exclude(url);
  return isAllowed;
}

/** Answers that say that a page is gone for good. */
export const isGone = (statusCode: number) => statusCode === 404 || statusCode === 410;
