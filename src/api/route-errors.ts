import type { ErrorCode } from '../errors.ts';
import type { AnyRoute } from './route.ts';

<<<<<<< HEAD
=======
/** Codes of options that cannot be had, and of a service that takes no work on: of every request that starts a job. */
export const START_ERRORS = ['FEATURE_NOT_AVAILABLE', 'INSUFFICIENT_STORAGE'] as const satisfies ErrorCode[];

/** Codes of scrape options that do not go together. */
export const OPTION_ERRORS = [
  'SCRAPE_ACTIONS_NOT_SUPPORTED',
  'SCRAPE_ZDR_VIOLATION_ERROR',
] as const satisfies ErrorCode[];

/** Codes of a request to a site that brought nothing. */
export const FETCH_ERRORS = [
  'unsafe_domain_blocked',
  'SCRAPE_DNS_RESOLUTION_ERROR',
  'SCRAPE_TIMEOUT',
  'SCRAPE_SSL_ERROR',
  'SCRAPE_SITE_ERROR',
  'SCRAPE_ALL_ENGINES_FAILED',
  'SCRAPE_PROXY_SELECTION_ERROR',
  'SCRAPE_CONTENT_TOO_LARGE',
  'SCRAPE_UNSUPPORTED_FILE_ERROR',
  'WORKER_LOST',
] as const satisfies ErrorCode[];

/** Codes of a page that could not be scraped. */
export const SCRAPE_ERRORS = [
  ...FETCH_ERRORS,
  'SCRAPE_NO_CACHED_DATA',
  'SCRAPE_LOCKDOWN_CACHE_MISS',
  'SCRAPE_MEDIA_ACCESS_DENIED',
  'SCRAPE_AUDIO_UNSUPPORTED_URL',
  'SCRAPE_VIDEO_UNSUPPORTED_URL',
  'SCRAPE_ACTION_ERROR',
  'PROFILE_LOCKED',
  'PROFILE_ERROR',
  'CONCURRENCY_QUEUE_TIMEOUT',
] as const satisfies ErrorCode[];

/** Codes that only pages of batches and crawls have. */
export const PAGE_ERRORS = [
  'CRAWL_DENIAL',
  'EXTERNAL_LINK',
  'ROBOTS_UNAVAILABLE',
  'SCRAPE_RETRY_LIMIT',
] as const satisfies ErrorCode[];

>>>>>>> stranger
/**
 * Every error code that a route can respond with: those that it declares, and those of the checks before its handler.
 * The tests compare every error response of the API with this list.
 */
export function errorsOf(route: AnyRoute): ErrorCode[] {
  const { body, query, params, limited, leastCredits, errors } = route;
  return [
    'UNAUTHORIZED',
    'METHOD_NOT_ALLOWED',
    ...(body || query || params ? (['BAD_REQUEST'] as const) : []),
    ...(body ? (['BAD_REQUEST_INVALID_JSON', 'REQUEST_TOO_LARGE'] as const) : []),
    ...(leastCredits === undefined ? [] : (['INSUFFICIENT_CREDITS'] as const)),
    ...(limited === false ? [] : (['RATE_LIMITED'] as const)),
    ...errors,
    'UNKNOWN_ERROR',
    'SERVICE_UNAVAILABLE',
  ];
}
