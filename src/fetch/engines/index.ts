import { needsSource } from '../../content/formats/index.ts';
import type { FetchedSnapshot } from '../../content/snapshot.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import { isCacheOnly } from '../../schemas/scrape-options.ts';
import type { ConvertIfDocument } from './document-reader.ts';
import type { EngineResult } from './engine.ts';
import { EngineTrace, type Fallback } from './engine-trace.ts';
import { Escalation, type EscalationDeps, withWarnings } from './escalation.ts';
import { copyTooExpensive, reserveDocument } from './extra-credits.ts';
import {
  cacheKey,
  cacheMissError,
  cacheUseOf,
  isShareable,
  type PageCache,
  wantsImages,
} from './page-cache.ts';
import { isBlocked } from './page-checks/blocked.ts';
import { type FetchContext, toPageRequest } from './page-request.ts';
import type { UploadEngine } from './upload-engine.ts';

/** A fetched page. `cacheState` is undefined when the cache was not consulted. */
export interface FetchedPage {
  snapshot: FetchedSnapshot;
  cacheState: 'hit' | 'miss' | undefined;
  /**
   * Stores a copy in the cache if the page may be cached. Only the first call does; later ones return the
   * same promise. Copies of several pages cost less when they are stored at once.
   */
  storeCopy(): Promise<void>;
  /** Changes of engine, with their reasons. */
  fallbacks: Fallback[];
}

/** Fetches pages from the cache or by an engine. */
export interface Engines {
  fetchPage(request: ScrapeRequest, signal: AbortSignal, context: FetchContext): Promise<FetchedPage>;
}

const storeNothing = () => Promise.resolve();

const NO_IMAGES_WARNING =
  'The images inside the document were left out, because zero data retention stores no files.';

/** Adds a warning if the request is for the images inside a document but does not get them. */
function warnAboutImages(snapshot: FetchedSnapshot, request: ScrapeRequest): FetchedSnapshot {
  const lacksImages = snapshot.document && needsSource(request.formats, 'images') && !wantsImages(request);
  return lacksImages ? withWarnings(snapshot, NO_IMAGES_WARNING) : snapshot;
}

/**
 * @param deps the engine for uploaded files, the cache, the reader of documents and the dependencies of
 * {@link Escalation}
 */
export function createEngines({
  upload,
  cache,
  convertIfDocument,
  ...deps
}: EscalationDeps & {
  upload: UploadEngine;
  cache: PageCache;
  convertIfDocument: ConvertIfDocument;
}): Engines {
  return {
    async fetchPage(request, signal, context) {
      const target = toPageRequest(request, context);
      const { duringConversion = (work) => work(), conversionOwner: owner, onProgress } = context;
      const { trace = new EngineTrace(), extraCredits } = context;
      const convert = async (page: EngineResult): Promise<FetchedSnapshot> => {
        if (!page.unconverted) return page;
        return duringConversion(
          () => convertIfDocument(page, { signal, owner, onProgress, extraCredits }),
          page.unconverted.task.type,
        );
      };
      if (request.upload) {
        const file = await upload.readUpload(request.upload, target, signal);
        const snapshot = warnAboutImages(await convert(file), request);
        return { snapshot, cacheState: undefined, storeCopy: storeNothing, fallbacks: [] };
      }
      const cacheOnly = isCacheOnly(request);
      const cacheUse = cacheUseOf(request);
      const key = cacheUse === 'bypass' && !cacheOnly ? undefined : cacheKey(target.url, request);
      const readable = key && (cacheOnly || (request.maxAge > 0 && cacheUse !== 'refresh'));
      const lookedUpAt = performance.now();
      const copy = readable ? await cache.find(key, request) : undefined;
      const isPaid = copy && (await reserveDocument(copy.document, extraCredits));
      if (copy && cacheOnly && !isPaid) throw copyTooExpensive(copy.document);
      // A page that is fetched again is read only as far as the team can pay.
      if (copy && isPaid) {
        trace.recordCopy(copy, lookedUpAt);
        return {
          snapshot: warnAboutImages({ ...copy, sourceUrl: request.url }, request),
          cacheState: 'hit',
          storeCopy: storeNothing,
          fallbacks: [],
        };
      }
      if (cacheOnly) throw cacheMissError(request);
      const { fastMode, proxy, storeInCache } = request;
      const http = trace.record('http', deps.http);
      const browser = trace.record('browser', deps.browser);
      const escalation = new Escalation({ ...deps, http, browser });
      const page = await escalation.fetchPage({ request: target, fastMode, proxy, extraCredits }, signal);
      const snapshot = await convert(page);
      const isCacheable = key && isShareable(snapshot, request);
      const isKept = isCacheable && storeInCache && !snapshot.isPartial && !isBlocked(snapshot);
      let stored: Promise<void> | undefined;
      const storeCopy = isKept ? () => (stored ??= cache.store(key, snapshot)) : storeNothing;
      const cacheState = readable && isCacheable ? 'miss' : undefined;
      const result = warnAboutImages(snapshot, request);
      return { snapshot: result, cacheState, storeCopy, fallbacks: trace.fallbacks };
    },
  };
}
