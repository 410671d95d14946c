import { createHash } from 'node:crypto';
import type { CacheUse } from '../../content/formats/format.ts';
import { needsSource, recordsOf } from '../../content/formats/index.ts';
import type { FetchedSnapshot } from '../../content/snapshot.ts';
import { ServiceError } from '../../errors.ts';
import { hasParserOptions, parserOptions } from '../../schemas/parsers.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import { normalizeTarget } from '../../url/url.ts';
import { visitorOf } from './visitor.ts';

/** The uses of the cache, each of which takes precedence over those before it. */
const CACHE_USES: CacheUse[] = ['normal', 'refresh', 'bypass', 'never'];

/** How a request uses the cache: the most restrictive use of its formats. */
export function cacheUseOf({ formats }: Pick<ScrapeRequest, 'formats'>): CacheUse {
  const uses = recordsOf(formats).map(({ format: { cache = 'normal' }, request }) =>
    CACHE_USES.indexOf(typeof cache === 'function' ? cache(request) : cache),
  );
  return CACHE_USES[Math.max(0, ...uses)]!;
}

/**
 * The part of the cache key that depends on the formats: `null`, the variant of one format, or a list of
 * several.
 */
function cacheVariantOf({ formats }: ScrapeRequest): unknown {
  const variants = recordsOf(formats).flatMap(({ format, request }) =>
    format.cacheVariant ? [format.cacheVariant(request)] : [],
  );
  return variants.length > 1 ? variants : (variants[0] ?? null);
}

/** The part of the cache key that says which responses are stored as base64 instead of text. */
function base64Variant({ formats, parsers }: ScrapeRequest): string {
  if (needsSource(formats, 'body')) return 'everything';
  return parserOptions(parsers).some(({ type }) => type === 'pdf') ? 'nothing' : 'pdf';
}

/** Whether a page may be stored for other requests. A document that options of its parser shaped may not. */
export const isShareable = ({ document }: FetchedSnapshot, { parsers }: ScrapeRequest): boolean =>
  !document || !hasParserOptions(parsers);

/**
 * Whether a request gets the images inside a document. They are stored as files, which zero data retention
 * does not allow.
 */
export const wantsImages = ({ formats, zeroDataRetention }: ScrapeRequest): boolean =>
  needsSource(formats, 'images') && !zeroDataRetention;

/** Whether a copy is what a request would get. */
export function canServe(copy: FetchedSnapshot, request: ScrapeRequest): boolean {
  const { document } = copy;
  if (!document) return true;
  const isAllowed =
    document.type !== 'image' || parserOptions(request.parsers).some(({ type }) => type === 'image');
  return isAllowed && isShareable(copy, request) && document.hasImages === wantsImages(request);
}

/**
 * The key of the copies of documents with the images inside them; copies without images have the key of
 * pages.
 */
export const withImages = (key: Buffer) => createHash('sha256').update(key).update('images').digest();

/**
 * Why the page of a request has no copy in the cache, as the end of a sentence; `undefined` if it may have
 * one.
 */
export function unsharedBecause(url: string, request: ScrapeRequest): string | undefined {
  if (request.headers && Object.keys(request.headers).length) return 'the request has headers of its own';
  if (request.profile) return 'the request has a profile';
  if (request.actions?.length) return 'the request has actions';
  // A page behind a user name and password must not be shared.
  const { username, password } = new URL(url);
  if (username || password) return 'the URL has a user name or password';
  return cacheUseOf(request) === 'never' ? 'a format is only made of the page as it is now' : undefined;
}

/**
 * The key of a page in the cache, which has copies of each team under it. It contains the options that change the page itself, but not those that
 * only change what is derived from it later. It is `undefined` when the request bypasses the cache.
 */
export function cacheKey(url: string, request: ScrapeRequest): Buffer | undefined {
  const { location, proxy } = request;
  if (unsharedBecause(url, request) !== undefined) return undefined;
  const parts = [
    normalizeTarget(url),
    request.mobile,
    request.waitFor,
    request.fastMode,
    request.skipTlsVerification,
    request.blockAds,
    base64Variant(request),
    proxy === 'enhanced' || proxy === 'stealth',
    cacheVariantOf(request),
    visitorOf(location),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}

/** The error for a cache-only request without a matching copy. */
export function cacheMissError(request: ScrapeRequest): ServiceError {
  if (request.lockdown) {
    // The URL is left out, because a miss under lockdown must leave no trace of it.
    return new ServiceError(
      'SCRAPE_LOCKDOWN_CACHE_MISS',
      'The page is not in the cache, and lockdown forbids fetching it. Scrape it once without lockdown.',
    );
  }
  return new ServiceError(
    'SCRAPE_NO_CACHED_DATA',
    `No copy of ${request.url} in the cache is at least ${request.minAge} ms old. Leave minAge out to fetch the page.`,
  );
}
