import type { Snapshot } from './snapshot.ts';

/** How many tokens one credit equals in the reports of token usage. */
export const TOKENS_PER_CREDIT = 15;

/** Credits of a page. */
const PAGE = 1;
/** Credits of a page that was fetched through an enhanced proxy, in place of `PAGE`. */
const ENHANCED_PAGE = 5;
/** Credits of a map, regardless of the number of links. */
export const MAP_CREDITS = 1;
/** Credits of a page with `lockdown`, which is always served from the cache, in place of `PAGE`. */
const LOCKDOWN_HIT = 5;
/** Credits of zero data retention, in addition to those of the page. */
const ZERO_DATA_RETENTION = 1;
/**
 * Credits of formats, in addition to the page. `json` is charged once, even if changeTracking uses it too.
 */
const SURCHARGES = new Map([
  ['json', 4],
  // The price of reusing an extraction script: fixed rules take the place of a generated script.
  ['deterministicJson', 2],
  ['question', 4],
  ['highlights', 4],
  ['audio', 4],
  ['video', 4],
]);

/**
 * Calculates the credits of a delivered page.
 * @param page.cacheState whether the page came from the cache; the price of a hit ignores the proxy of the
 *   copy
 * @param page.made types of the formats that have a value in the document
 */
export function priceOf(
  request: { lockdown: boolean; zeroDataRetention?: boolean },
  page: { snapshot: Pick<Snapshot, 'proxy'>; cacheState: 'hit' | 'miss' | undefined; made?: string[] },
): number {
  const surcharge = [...new Set(page.made)].reduce((sum, type) => sum + (SURCHARGES.get(type) ?? 0), 0);
  if (request.lockdown) return LOCKDOWN_HIT + surcharge;
  const isEnhanced = page.snapshot.proxy === 'enhanced' && page.cacheState !== 'hit';
  const base = isEnhanced ? ENHANCED_PAGE : PAGE;
  return base + surcharge + (request.zeroDataRetention ? ZERO_DATA_RETENTION : 0);
}
