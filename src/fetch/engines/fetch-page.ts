import { needsSource } from '../../content/formats/index.ts';
import type { FetchedSnapshot } from '../../content/snapshot.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import { isCacheOnly } from '../../schemas/scrape-options.ts';
import type { Exchange } from '../net/exchange.ts';
import {
  cacheKey,
  cacheMissError,
  cacheUseOf,
  isShareable,
  unsharedBecause,
  wantsImages,
} from './cache-key.ts';
import type { ConvertIfDocument, ConvertOptions } from './convert-document.ts';
import type { EngineResult, PageRequest } from './engine.ts';
import { Escalation, type EscalationDeps, withWarnings } from './escalation.ts';
import { copyTooExpensive, reserveDocument } from './extra-credits.ts';
import type { PageCache } from './page-cache.ts';
import { isBlocked } from './page-checks/blocked.ts';
import { type FetchContext, toPageRequest } from './page-request.ts';
import { PageTracer } from './page-tracer.ts';
import type { UploadEngine } from './upload-engine.ts';

/** What a page comes from: an uploaded file, the cache, or an engine. */
export interface Engines extends EscalationDeps {
  upload: UploadEngine;
  cache: Pick<PageCache, 'find' | 'store'>;
  convertIfDocument: ConvertIfDocument;
}

/** A fetched page. `cacheState` is undefined when the cache was not consulted. */
export interface FetchedPage {
  snapshot: FetchedSnapshot;
  cacheState: 'hit' | 'miss' | undefined;
  /**
   * Stores a copy in the cache if the page may be cached. Only the first call does; later ones return the
   * same promise. Copies of several pages cost less when they are stored at once.
   * @param options.isAwaited whether the caller waits until the copy is stored; true by default
   */
  storeCopy(options?: { isAwaited: boolean }): Promise<void>;
  /** The requests of the page with their responses, if they were wanted for a web archive. */
  exchanges?: Exchange[] | undefined;
}

/**
 * Fetches the page of a request. An uploaded file is read from storage; any other page is taken from the
 * cache, or else fetched by an engine. A document is converted to HTML.
 * @throws ServiceError if the page cannot be fetched or converted; the reason of the signal
 * @example
 * const request = scrapeBody.parse({ url, maxAge: 0 });
 * const { snapshot } = await fetchPage(engines, request, { signal, teamId, conversionOwner: teamId });
 */
export async function fetchPage(
  engines: Engines,
  request: ScrapeRequest,
  context: FetchContext,
): Promise<FetchedPage> {
  const target = toPageRequest(request, context);
  if (request.upload) {
    context.tracer?.begin('fetch');
    const file = await engines.upload.readUpload(request.upload, target, context.signal);
    return pageOf(request, await convertDocument(engines, file, context));
  }
  const { tracer = new PageTracer(), teamId, archive = false } = context;
  const { key, lookUpKey } = cacheKeysOf(target.url, request, archive);
  if (lookUpKey) tracer.begin('cache');
  else tracer.setCache({ verdict: 'skipped', because: notLookedUpBecause(target.url, request, archive) });
  const copy = lookUpKey && (await takeCopy(engines, lookUpKey, { ...context, request, tracer }));
  if (copy) return pageOf(request, copy, { cacheState: 'hit' });
  if (isCacheOnly(request)) throw cacheMissError(request);
  tracer.begin('fetch');
  const { exchanges, ...page } = await askEngines(engines, target, { ...context, request, tracer });
  const snapshot = await convertDocument(engines, page, context);
  const copyKey = isShareable(snapshot, request) ? key : undefined;
  return pageOf(request, snapshot, {
    cacheState: lookUpKey && copyKey && 'miss',
    storeCopy:
      copyKey && isKept(snapshot, request)
        ? copyStorer(engines, snapshot, { key: copyKey, teamId })
        : storeNothing,
    exchanges,
  });
}

/** The request, and the record of where its page came from. */
interface TracedContext extends FetchContext {
  request: ScrapeRequest;
  tracer: PageTracer;
}

/** Under which keys a page is stored in the cache and looked up there; absent if it is not. */
function cacheKeysOf(url: string, request: ScrapeRequest, archive: boolean) {
  const cacheOnly = isCacheOnly(request);
  const use = cacheUseOf(request);
  const key = use === 'bypass' && !cacheOnly ? undefined : cacheKey(url, request);
  const isLookedUp = cacheOnly || (request.maxAge > 0 && use !== 'refresh' && !archive);
  return { key, lookUpKey: isLookedUp ? key : undefined };
}

/** Why no copy is looked for, as the end of a sentence. */
function notLookedUpBecause(url: string, request: ScrapeRequest, archive: boolean): string {
  const reason = unsharedBecause(url, request);
  if (reason !== undefined) return reason;
  if (archive) return 'the job keeps the responses of the site';
  return cacheUseOf(request) === 'normal' ? 'maxAge is 0' : 'a format needs the page as it is now';
}

/**
 * Finds a copy in the cache, and reserves the credits for its pages.
 * @returns undefined without a copy that the team can pay for. A page that is then fetched is read only as
 *   far as it can pay
 * @throws ServiceError `INSUFFICIENT_CREDITS` if the page must come from the cache, and the copy is too
 *   expensive
 */
async function takeCopy(
  { cache }: Engines,
  key: Buffer,
  { request, teamId, signal, extraCredits, tracer }: TracedContext,
): Promise<FetchedSnapshot | undefined> {
  const lookedUpAt = performance.now();
  const copy = await cache.find(key, request, { teamId, signal });
  tracer.setCache({ verdict: 'miss', because: 'there is no copy of the allowed age' });
  if (!copy) return undefined;
  if (!(await reserveDocument(copy.document, extraCredits))) {
    if (isCacheOnly(request)) throw copyTooExpensive(copy.document);
    tracer.setCache({ verdict: 'miss', because: 'the team cannot pay for all pages of the copy' });
    return undefined;
  }
  tracer.recordCopy(copy, lookedUpAt);
  return { ...copy, sourceUrl: request.url };
}

/** Fetches the page by the engines and proxies that the escalation decides for. */
function askEngines(
  engines: Engines,
  target: PageRequest,
  { request: { fastMode, proxy }, extraCredits, tracer, signal }: TracedContext,
): Promise<EngineResult> {
  const escalation = new Escalation({ ...engines, tracer });
  return escalation.fetchPage({ request: target, fastMode, proxy, extraCredits }, signal);
}

/** Converts the page if it is a document. */
async function convertDocument(
  { convertIfDocument }: Engines,
  page: EngineResult,
  {
    teamId: tenant,
    conversionOwner: owner,
    onProgress,
    extraCredits,
    signal,
    duringConversion,
    tracer,
  }: FetchContext,
): Promise<FetchedSnapshot> {
  if (!page.unconverted) return page;
  tracer?.begin('document');
  const startedAt = performance.now();
  let hasBegun = false;
  const report: ConvertOptions['onProgress'] = (progress) => {
    // A parser has begun with the document, for which others may have had to end first.
    if (!hasBegun) tracer?.addWait('parser', performance.now() - startedAt);
    hasBegun = true;
    onProgress?.(progress);
  };
  const convert = () => convertIfDocument(page, { signal, owner, tenant, onProgress: report, extraCredits });
  return duringConversion ? duringConversion(convert, page.unconverted.task.type) : convert();
}

/** Whether a page that other requests may share is stored in the cache. */
const isKept = (snapshot: FetchedSnapshot, { storeInCache }: ScrapeRequest) =>
  storeInCache && !snapshot.isPartial && !isBlocked(snapshot);

function copyStorer(
  { cache }: Engines,
  snapshot: FetchedSnapshot,
  { key, teamId }: { key: Buffer; teamId: string },
): FetchedPage['storeCopy'] {
  let stored: Promise<void> | undefined;
  return ({ isAwaited } = { isAwaited: true }) =>
    (stored ??= cache.store(key, snapshot, { teamId, isAwaited }));
}

const storeNothing = () => Promise.resolve();

const NO_IMAGES_WARNING =
  'The images inside the document were left out, because zero data retention stores no files.';

/** Makes the result, with a warning if the images inside a document are requested but cannot be delivered. */
function pageOf(
  request: ScrapeRequest,
  snapshot: FetchedSnapshot,
  found: Partial<Omit<FetchedPage, 'snapshot'>> = {},
): FetchedPage {
  const lacksImages = snapshot.document && needsSource(request.formats, 'images') && !wantsImages(request);
  return {
    cacheState: undefined,
    storeCopy: storeNothing,
    ...found,
    snapshot: lacksImages ? withWarnings(snapshot, NO_IMAGES_WARNING) : snapshot,
  };
}
