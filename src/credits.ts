import type { Snapshot } from './snapshot.ts';

/** Tokens that one credit is worth (spec: token usage). */
export const TOKENS_PER_CREDIT = 15;

const PAGE = 1;
const ENHANCED_PAGE = 5;
/** Of a map, whatever it finds. */
export const MAP_CREDITS = 1;
const LOCKDOWN_HIT = 5;
const ZERO_DATA_RETENTION = 1;
/** Beside the page, for what is made of it; `json` is that of changeTracking too, and is paid once. */
const SURCHARGES = new Map([
  ['json', 4],
  // A script that is there already is reused: the rules are.
  ['deterministicJson', 2],
  ['question', 4],
  ['highlights', 4],
  ['audio', 4],
  ['video', 4],
]);

/**
 * Credits of a page that was delivered.
 * @param page.cacheState a hit costs the same by whatever proxies its copy came
 * @param page.made types of the formats that gave something
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
