import type { ProfileOrder } from '../browser/profile.ts';
import { ServiceError } from '../errors.ts';
import { FORMATS } from '../formats/index.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';
import type { Snapshot } from '../snapshot.ts';
import { parseTarget } from '../url.ts';
import { type Cache, cacheKey, missError } from './cache.ts';
import type { Engine, PageRequest } from './engine.ts';
import { isStaticEnough } from './static-enough.ts';

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

/** Refusals with which a site may mean that it wants a browser. */
const WALLS = new Set([401, 403, 406, 429, 503]);

/** @param engines `http` fetches the page as it is sent, `browser` runs its scripts */
export function createEngines({
  http,
  browser,
  cache,
}: {
  http: Engine;
  browser: Engine;
  cache: Cache;
}): Engines {
  /**
   * Which engine: the browser when the request needs an open page; else the plain fetch, and the browser after it
   * when the fetch brought a shell, a wall, or an answer that only a browser may get past.
   */
  async function fetchPage(request: PageRequest, fastMode: boolean, signal: AbortSignal): Promise<Snapshot> {
    const needsPage =
      Object.keys(request.collect).length > 0 ||
      request.actions.length > 0 ||
      request.mobile ||
      request.profile !== undefined ||
      request.waitForMs > 0;
    if (needsPage) return browser.obtain(request, signal);
    let first: Snapshot | ServiceError;
    try {
      first = await http.obtain(request, signal);
      if (fastMode || isGoodEnough(first)) return first;
    } catch (error) {
      if (fastMode || !(error instanceof ServiceError) || error.code !== 'SCRAPE_SITE_ERROR') throw error;
      first = error;
    }
    signal.throwIfAborted();
    try {
      return better(await browser.obtain(request, signal), first);
    } catch (error) {
      signal.throwIfAborted();
      if (first instanceof ServiceError) throw first;
      // A browser that died says nothing of the page: it is asked again, instead of taking the shell for it.
      if (error instanceof ServiceError && error.code === 'WORKER_LOST') throw error;
      if (error instanceof ServiceError) return first;
      throw error;
    }
  }

  return {
    async obtain(request, signal, profile) {
      const target = pageRequest(request, profile);
      const key = cacheKey(target.url, request);
      const cacheOnly = request.lockdown || request.minAge !== undefined;
      const readable = key && (cacheOnly || request.maxAge > 0);
      const copy = readable ? await cache.find(key, request) : undefined;
      if (copy) {
        return {
          snapshot: { ...copy, sourceUrl: request.url },
          cacheState: 'hit',
          cached: Promise.resolve(),
        };
      }
      if (cacheOnly) throw missError(request);
      const snapshot = await fetchPage(target, request.fastMode, signal);
      const cached = key && request.storeInCache ? cache.store(key, snapshot) : Promise.resolve();
      return { snapshot, cacheState: readable ? 'miss' : undefined, cached };
    },
  };
}

function isGoodEnough(snapshot: Snapshot): boolean {
  if (WALLS.has(snapshot.statusCode)) return false;
  return snapshot.kind !== 'html' || isStaticEnough(snapshot.text);
}

/** The browser's page, unless it met a wall that the plain fetch had not met. */
function better(rendered: Snapshot, first: Snapshot | ServiceError): Snapshot {
  const worse = !(first instanceof ServiceError) && rendered.statusCode >= 400 && first.statusCode < 400;
  return worse ? first : rendered;
}

function pageRequest(request: ScrapeRequest, profile: ProfileOrder | undefined): PageRequest {
  const collect: PageRequest['collect'] = {};
  for (const asked of request.formats) {
    const format = FORMATS.find((each) => each.request.shape.type.value === asked.type);
    // The list is a union of records; each record's collect takes the very request that its own schema made.
    const collectFormat = format?.collect as ((page: unknown, request: unknown) => never) | undefined;
    if (collectFormat) collect[asked.type] = (page) => collectFormat(page, asked);
  }
  return {
    sourceUrl: request.url,
    // The API accepted the address by its own rule for local names; here it is only read again.
    url: parseTarget(request.url, true).href,
    headers: request.headers ?? {},
    skipTlsVerification: request.skipTlsVerification,
    mobile: request.mobile,
    waitForMs: request.waitFor,
    pdfAsBase64: request.parsers.length === 0,
    location: request.location,
    blockAds: request.blockAds,
    actions: request.actions ?? [],
    proxy: 'basic',
    profile,
    collect,
  };
}
