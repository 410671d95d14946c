import type { DuringWait } from '../browser/browser-pool.ts';
import type { ProfileOptions } from '../browser/browser-profile.ts';
import type { OpenPage } from '../formats/format.ts';
import { FORMATS } from '../formats/index.ts';
import { requestedMediaKinds } from '../media-kind.ts';
import { asksFor } from '../schemas/formats.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';
import { isCacheOnly } from '../schemas/scrape-options.ts';
import type { Snapshot } from '../snapshot.ts';
import { parseTarget } from '../url.ts';
import { isBlocked } from './blocked.ts';
import { chooseBase64Mode, type PageRequest } from './engine.ts';
import { EngineTrace, type Fallback } from './engine-trace.ts';
import { createEscalation, type EscalationDeps, needsOpenPage } from './escalation.ts';
import { cacheKey, cacheMissError, type PageCache } from './page-cache.ts';

/** A page, and whether it came from the cache; no state when the cache was not considered. */
export interface FetchedPage {
  snapshot: Snapshot;
  cacheState: 'hit' | 'miss' | undefined;
  /** Resolves when the page is in the cache, if it belongs there; nobody who wants the page need wait for it. */
  cached: Promise<void>;
  /** Which engines gave way to others, and why. */
  fallbacks: Fallback[];
}

/** What obtaining a page depends on beside the request. */
interface FetchContext {
  /** Whose is the profile that the request names, and whether it is saved. */
  profile?: ProfileOptions | undefined;
  /** Around the wait for a browser. */
  duringWait?: DuringWait;
}

/** Obtains pages by the first engine that can, or from the cache. */
export interface Engines {
  fetchPage(request: ScrapeRequest, signal: AbortSignal, context?: FetchContext): Promise<FetchedPage>;
}

/** @param hands `cache` and what {@link createEscalation} works with */
export function createEngines({ cache, ...deps }: EscalationDeps & { cache: PageCache }): Engines {
  return {
    async fetchPage(request, signal, context = {}) {
      const target = toPageRequest(request, context);
      const cacheOnly = isCacheOnly(request);
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
          fallbacks: [],
        };
      }
      if (cacheOnly) throw cacheMissError(request);
      const { fastMode, proxy, storeInCache } = request;
      const trace = new EngineTrace();
      const http = trace.record('http', deps.http);
      const browser = trace.record('browser', deps.browser);
      const escalate = createEscalation({ ...deps, http, browser });
      const snapshot = await escalate({ request: target, fastMode, proxy }, signal);
      const isKept = key && storeInCache && !snapshot.isPartial && !isBlocked(snapshot);
      const cached = isKept ? cache.store(key, snapshot) : Promise.resolve();
      return { snapshot, cacheState: readable ? 'miss' : undefined, cached, fallbacks: trace.fallbacks };
    },
  };
}

/** A tracked page that is rendered gets this many milliseconds to complete: what is missing would count as removed. */
const TRACKED_WAIT_MS = 5_000;

/** Milliseconds to wait on a rendered page that is compared; 0 where nothing is compared, or speed was asked for. */
function trackedWaitMs({ formats, fastMode, zeroDataRetention, timeout }: ScrapeRequest): number {
  if (!asksFor(formats, 'changeTracking') || fastMode || zeroDataRetention) return 0;
  return Math.min(TRACKED_WAIT_MS, Math.floor(timeout / 2));
}

/** What a format may have that needs the open page. */
type OpenPageSteps = Partial<
  Record<'collect' | 'survey', (page: OpenPage, request: unknown) => Promise<never>>
>;

/** Whether pages are opened in the browser from the start; others may turn out to need one. */
export function opensBrowser(request: Omit<ScrapeRequest, 'url'>): boolean {
  const { mobile, waitFor: waitForMs, profile, actions = [], formats } = request;
  return (
    !isCacheOnly(request) &&
    needsOpenPage({ mobile, waitForMs, profile, actions, collect: collectOf(formats) })
  );
}

/** What the formats make in the open page. */
function collectOf(formats: ScrapeRequest['formats']): PageRequest['collect'] {
  const collect: PageRequest['collect'] = {};
  for (const requested of formats) {
    const format = FORMATS.find((each) => each.request.shape.type.value === requested.type);
    // The list is a union of records; each record's halves take the very request that its own schema made.
    const { collect: makeFile, survey } = (format ?? {}) as OpenPageSteps;
    if (makeFile) collect[requested.type] = (page) => makeFile(page, requested);
    if (survey) collect[requested.type] = async (page) => ({ survey: await survey(page, requested) });
  }
  return collect;
}

function toPageRequest(request: ScrapeRequest, { profile, duringWait }: FetchContext): PageRequest {
  return {
    sourceUrl: request.url,
    // The API accepted the address by its own rule for local names; here it is only read again.
    url: parseTarget(request.url, true).href,
    headers: request.headers ?? {},
    skipTlsVerification: request.skipTlsVerification,
    mobile: request.mobile,
    waitForMs: request.waitFor,
    minWaitMs: trackedWaitMs(request),
    base64: chooseBase64Mode(request),
    location: request.location,
    blockAds: request.blockAds,
    media: requestedMediaKinds(request.formats).length > 0,
    actions: request.actions ?? [],
    proxy: 'basic',
    profile,
    duringWait,
    collect: collectOf(request.formats),
  };
}
