import { recordsOf } from './formats/index.ts';
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
/** Credits of each page of a document after the first one, which is part of the page's own price. */
const DOCUMENT_PAGE = 1;

/**
 * Calculates the credits of a delivered page.
 * @param page.cacheState whether the page came from the cache; the price of a hit ignores the proxy of the
 *   copy
 * @param page.made types of the formats that have a value in the document; each is charged once
 */
export function priceOf(
  request: { lockdown: boolean; zeroDataRetention?: boolean },
  page: {
    snapshot: Pick<Snapshot, 'proxy' | 'document'>;
    cacheState: 'hit' | 'miss' | undefined;
    made?: string[];
  },
): number {
  const made = [...new Set(page.made)].map((type) => ({ type }));
  const surcharge = recordsOf(made).reduce((sum, { format }) => sum + (format.credits ?? 0), 0);
  const documentPages = DOCUMENT_PAGE * Math.max(0, (page.snapshot.document?.numPages ?? 1) - 1);
  if (request.lockdown) return LOCKDOWN_HIT + documentPages + surcharge;
  const isEnhanced = page.snapshot.proxy === 'enhanced' && page.cacheState !== 'hit';
  const base = isEnhanced ? ENHANCED_PAGE : PAGE;
  return base + documentPages + surcharge + (request.zeroDataRetention ? ZERO_DATA_RETENTION : 0);
}
