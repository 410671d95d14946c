import type { ProfileOrder } from '../browser/profile.ts';
import type { OpenPage } from '../formats/format.ts';
import { FORMATS } from '../formats/index.ts';
import { requestedMediaKinds } from '../media-kind.ts';
import { asksFor } from '../schemas/formats.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';
import type { Snapshot } from '../snapshot.ts';
import { parseTarget } from '../url.ts';
import { type Cache, cacheKey, missError } from './cache.ts';
import { type PageRequest, wantedAsBase64 } from './engine.ts';
import { createEscalation, type EscalationHands } from './escalation.ts';
import { isWall } from './wall.ts';

/** A page, and whether it came from the cache; no state when the cache was not considered. */
export interface Obtained {
  snapshot: Snapshot;
  cacheState: 'hit' | 'miss' | undefined;
  /** Resolves when the page is in the cache, if it belongs there; nobody who wants the page need wait for it. */
  cached: Promise<void>;
}

/** Obtains pages by the first engine that can, or from the cache. */
export interface Engines {
  /** @param profile whose is the profile that the request names, and whether it is saved */
  obtain(request: ScrapeRequest, signal: AbortSignal, profile?: ProfileOrder): Promise<Obtained>;
}

/** @param hands `cache` and what {@link createEscalation} works with */
export function createEngines({ cache, ...hands }: EscalationHands & { cache: Cache }): Engines {
  const fetchPage = createEscalation(hands);
  return {
    async obtain(request, signal, profile) {
      const target = pageRequest(request, profile);
      const cacheOnly = request.lockdown || request.minAge !== undefined;
      // Addresses of media do not last, and the page of a media file is empty: such copies are of no use to others.
      const key = target.media && !cacheOnly ? undefined : cacheKey(target.url, request);
      // What became of a page is told by the page as it is now.
      const isTracked = asksFor(request.formats, 'changeTracking');
      const readable = key && (cacheOnly || (request.maxAge > 0 && !isTracked));
      const copy = readable ? await cache.find(key, request) : undefined;
      if (copy) {
        return {
          snapshot: { ...copy, sourceUrl: request.url },
          cacheState: 'hit',
          cached: Promise.resolve(),
        };
      }
      if (cacheOnly) throw missError(request);
      const { fastMode, proxy, storeInCache } = request;
      const snapshot = await fetchPage({ request: target, fastMode, proxy }, signal);
      const isKept = key && storeInCache && !snapshot.isPartial && !isWall(snapshot);
      const cached = isKept ? cache.store(key, snapshot) : Promise.resolve();
      return { snapshot, cacheState: readable ? 'miss' : undefined, cached };
    },
  };
}

/** What a format may have that needs the open page. */
type Halves = Partial<Record<'collect' | 'survey', (page: OpenPage, request: unknown) => Promise<never>>>;

function pageRequest(request: ScrapeRequest, profile: ProfileOrder | undefined): PageRequest {
  const collect: PageRequest['collect'] = {};
  for (const asked of request.formats) {
    const format = FORMATS.find((each) => each.request.shape.type.value === asked.type);
    // The list is a union of records; each record's halves take the very request that its own schema made.
    const { collect: makeFile, survey } = (format ?? {}) as Halves;
    if (makeFile) collect[asked.type] = (page) => makeFile(page, asked);
    if (survey) collect[asked.type] = async (page) => ({ survey: await survey(page, asked) });
  }
  return {
    sourceUrl: request.url,
    // The API accepted the address by its own rule for local names; here it is only read again.
    url: parseTarget(request.url, true).href,
    headers: request.headers ?? {},
    skipTlsVerification: request.skipTlsVerification,
    mobile: request.mobile,
    waitForMs: request.waitFor,
    base64: wantedAsBase64(request),
    location: request.location,
    blockAds: request.blockAds,
    media: requestedMediaKinds(request.formats).length > 0,
    actions: request.actions ?? [],
    proxy: 'basic',
    profile,
    collect,
  };
}
