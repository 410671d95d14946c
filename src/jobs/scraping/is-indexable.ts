import type { FetchedSnapshot } from '../../content/snapshot.ts';
import { isBlocked } from '../../fetch/engines/page-checks/blocked.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';

/**
 * Whether a page that a team receives is indexed for its searches: what the cache would store for this
 * request, except that copies from the cache are indexed too, and that pages without their personal data are
 * not. Headers and actions have set `storeInCache` to
 * false.
 */
export function isIndexable(
  { upload, profile, lockdown, storeInCache, redactPII }: ScrapeRequest,
  snapshot: FetchedSnapshot,
): boolean {
  if (upload || profile || lockdown || redactPII || !storeInCache) return false;
  if (snapshot.statusCode >= 400 || snapshot.isPartial || isBlocked(snapshot)) return false;
  const { username, password } = new URL(snapshot.url);
  return username === '' && password === '';
}
