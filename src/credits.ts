import type { ErrorCode } from './errors.ts';
import type { Snapshot } from './snapshot.ts';

/** Tokens that one credit is worth (spec: token usage). */
export const TOKENS_PER_CREDIT = 15;

const PAGE = 1;
const ENHANCED_PAGE = 5;
/** Of a map, whatever it finds. */
export const MAP_CREDITS = 1;
const LOCKDOWN_HIT = 5;
const LOCKDOWN_MISS = 1;
const UNKNOWN_HOST = 1;
const ZERO_DATA_RETENTION = 1;
/** Of each file of sound or moving pictures. */
const MEDIA_FILE = 4;

/**
 * Credits of a page that was delivered.
 * @param page.mediaFiles how many it has with it
 * @param page.cacheState a hit costs the same by whatever proxies its copy came
 */
export function priceOf(
  request: { lockdown: boolean; zeroDataRetention?: boolean },
  page: { snapshot: Pick<Snapshot, 'proxy'>; cacheState: 'hit' | 'miss' | undefined; mediaFiles?: number },
): number {
  if (request.lockdown) return LOCKDOWN_HIT;
  const isEnhanced = page.snapshot.proxy === 'enhanced' && page.cacheState !== 'hit';
  const base = isEnhanced ? ENHANCED_PAGE : PAGE;
  return base + (page.mediaFiles ?? 0) * MEDIA_FILE + (request.zeroDataRetention ? ZERO_DATA_RETENTION : 0);
}

/** Credits of a request that failed: nothing, but for those that the price list names. */
export function priceOfFailure(code: ErrorCode): number {
  if (code === 'SCRAPE_DNS_RESOLUTION_ERROR') return UNKNOWN_HOST;
  if (code === 'SCRAPE_LOCKDOWN_CACHE_MISS') return LOCKDOWN_MISS;
  return 0;
}
