import { createHash } from 'node:crypto';
import type { Blobs } from '../blobs.ts';
import { findCached, storeCached } from '../db/cache.ts';
import type { Database } from '../db/client.ts';
import { ServiceError } from '../errors.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';
import type { Snapshot } from '../snapshot.ts';
import { normalizeTarget } from '../url.ts';

/**
 * The key under which a page is found again: what changes the page itself, never what is derived from it later.
 * `undefined` when the request bypasses the cache (compatibility 2.7).
 */
export function cacheKey(url: string, request: ScrapeRequest): Buffer | undefined {
  const screenshot = request.formats.find((format) => format.type === 'screenshot');
  if (request.headers && Object.keys(request.headers).length) return undefined;
  if (screenshot?.viewport || screenshot?.quality !== undefined) return undefined;
  const parts = [
    normalizeTarget(url),
    request.mobile,
    request.waitFor,
    request.fastMode,
    request.skipTlsVerification,
    request.blockAds,
    request.parsers.length === 0,
    screenshot ? screenshot.fullPage : null,
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}

/** Copies of pages obtained before. */
export function createCache(db: Database, blobs: Blobs) {
  return {
    /** The newest copy within the request's bounds of age. */
    async find(key: Buffer, request: ScrapeRequest): Promise<Snapshot | undefined> {
      const entry = await findCached(db, key, { minMs: request.minAge ?? 0, maxMs: request.maxAge });
      if (!entry) return undefined;
      try {
        // Written by `store` below.
        return JSON.parse((await blobs.get(entry.blob)).toString()) as Snapshot;
      } catch (error) {
        // The copy outlived its bytes: the same as no copy.
        if (error instanceof ServiceError && error.code === 'NOT_FOUND') return undefined;
        throw error;
      }
    },

    /** Keeps a copy; pages that answered with an error are not kept. */
    async store(key: Buffer, snapshot: Snapshot): Promise<void> {
      if (snapshot.statusCode >= 400) return;
      const blob = await blobs.put(Buffer.from(JSON.stringify(snapshot)));
      await storeCached(db, key, { blob, fetchedAt: new Date(snapshot.fetchedAt) });
    },
  };
}

/** Copies of pages obtained before. */
export type Cache = ReturnType<typeof createCache>;

/** What a request that may only be answered from the cache gets when nothing fits. */
export function missError(request: ScrapeRequest): ServiceError {
  if (request.lockdown) {
    // The address stays out of the message: a miss under lockdown leaves no trace of it.
    return new ServiceError(
      'SCRAPE_LOCKDOWN_CACHE_MISS',
      'The page is not in the cache, and lockdown forbids to fetch it. Scrape it once without lockdown.',
    );
  }
  return new ServiceError(
    'SCRAPE_NO_CACHED_DATA',
    `No copy of ${request.url} in the cache is at least ${request.minAge} ms old. Leave minAge out to fetch the page.`,
  );
}
