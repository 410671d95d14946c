import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import DataLoader from 'dataloader';
import type { CacheUse } from '../../content/formats/format.ts';
import { needsSource, recordsOf } from '../../content/formats/index.ts';
import type { FetchedSnapshot } from '../../content/snapshot.ts';
import { bytesOf } from '../../content/source-text.ts';
import { ServiceError } from '../../errors.ts';
import { hasParserOptions, parserOptions } from '../../schemas/parsers.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import { parseFileReference } from '../../storage/blobs/file-urls.ts';
import { type Blobs, locateBlob } from '../../storage/blobs/index.ts';
import {
  addCacheEntries,
  type CacheFile,
  type CacheQuery,
  findCacheEntries,
} from '../../storage/db/cache/cache-entries.ts';
import { deleteCopy } from '../../storage/db/cache/cache-files.ts';
import type { Database } from '../../storage/db/client.ts';
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
const withImages = (key: Buffer) => createHash('sha256').update(key).update('images').digest();

/**
 * The key of a page in the cache. It contains the options that change the page itself, but not those that
 * only change what is derived from it later. It is `undefined` when the request bypasses the cache.
 */
export function cacheKey(url: string, request: ScrapeRequest): Buffer | undefined {
  const { location, proxy } = request;
  if (request.headers && Object.keys(request.headers).length) return undefined;
  if (request.profile || request.actions?.length) return undefined;
  // A page behind a user name and password must not be shared.
  const { username, password } = new URL(url);
  if (username || password) return undefined;
  if (cacheUseOf(request) === 'never') return undefined;
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

/** Maximum number of lookups or copies in one statement. */
const MAX_BATCH_SIZE = 50;
/**
 * Milliseconds for which a look-up waits for a copy that is being stored. A bucket may not respond at all.
 */
const MAX_STORING_MS = 2_000;

/**
 * Creates the cache of fetched pages.
 * @param deps.results storage of the files of results; cached copies have their own files
 */
export function createPageCache({ db, blobs, results }: { db: Database; blobs: Blobs; results: Blobs }) {
  const lookUps = batchCalls((queries: CacheQuery[]) => findCacheEntries(db, queries), {
    oneAtATime: true,
  });
  const stores = batchCalls(
    async (copies: { key: Buffer; snapshot: FetchedSnapshot; files: CacheFile[] }[]) => {
      const keys = await blobs.putAll(copies.map(({ snapshot }) => serializeSnapshot(snapshot)));
      const places = keys.map(locateBlob);
      // The copies are stored in one file, whose size is the end of the last copy.
      const bytes = Math.max(...places.map(({ end }) => end));
      const entries = copies.map(({ key, snapshot, files }, index) => ({
        key,
        // `putAll` returns one key for each copy.
        blob: keys[index]!,
        fetchedAt: new Date(snapshot.fetchedAt),
        files: [{ hash: places[index]!.file, bytes }, ...files],
      }));
      await addCacheEntries(db, entries);
      return entries;
    },
    // The copy of a scrape would wait for those of a job, which come in groups.
    { oneAtATime: false },
  );

  /** Copies files. Images do not compress, so `bytes` equals their size on disk. */
  async function copyFiles(files: FetchedSnapshot['files'], from: Blobs, to: Blobs): Promise<CacheFile[]> {
    return Promise.all(
      Object.values(files).map(async (file) => {
        const bytes = await from.get(parseFileReference(file)?.key ?? '');
        return { hash: await to.put(bytes), bytes: bytes.length };
      }),
    );
  }

  /** The copies that are being stored by this process, by their keys in hex. */
  const storing = new Map<string, Promise<void>>();

  /** Finds the newest copy of a key within the age limits of the request, also one that is being stored. */
  async function findNewest(key: Buffer, request: ScrapeRequest): Promise<FetchedSnapshot | undefined> {
    const copy = storing.get(key.toString('hex'));
    // Whoever stores it reports a failure; the page is then fetched again.
    if (copy)
      await Promise.race([copy.catch(() => undefined), sleep(MAX_STORING_MS, undefined, { ref: false })]);
    for (;;) {
      const entry = await lookUps({ key, minMs: request.minAge ?? 0, maxMs: request.maxAge });
      if (!entry) return undefined;
      try {
        const snapshot = parseSnapshot(await blobs.get(entry.blob));
        await copyFiles(snapshot.files, blobs, results);
        return snapshot;
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'NOT_FOUND') throw error;
        // The blob of the copy is missing. Delete the copy and look for an older one.
        await deleteCopy(db, key, entry.blob);
      }
    }
  }

  async function writeCopy(key: Buffer, snapshot: FetchedSnapshot): Promise<void> {
    const files = await copyFiles(snapshot.files, results, blobs);
    await stores({ key, snapshot, files });
  }

  return {
    /** Finds the newest copy that is what the request would get, within its age limits. */
    async find(key: Buffer, request: ScrapeRequest): Promise<FetchedSnapshot | undefined> {
      // Only its content says whether a URL leads to a document.
      const keys = wantsImages(request) ? [key, withImages(key)] : [key];
      const copies = await Promise.all(keys.map((each) => findNewest(each, request)));
      return copies
        .filter((copy) => copy !== undefined && canServe(copy, request))
        .sort((one, other) => other!.fetchedAt - one!.fetchedAt)[0];
    },

    /** Stores a copy, unless the page has an error status. Look-ups in this process wait for it. */
    async store(pageKey: Buffer, snapshot: FetchedSnapshot): Promise<void> {
      if (snapshot.statusCode >= 400) return;
      const key = snapshot.document?.hasImages ? withImages(pageKey) : pageKey;
      const hexKey = key.toString('hex');
      const copy = writeCopy(key, snapshot);
      storing.set(hexKey, copy);
      try {
        await copy;
      } finally {
        if (storing.get(hexKey) === copy) storing.delete(hexKey);
      }
    },
  };
}

/**
 * Serializes a snapshot: JSON without the text, a line break, the text. This takes a tenth of the time of
 * JSON alone.
 */
function serializeSnapshot({ text, ...head }: FetchedSnapshot): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytesOf(text)]);
}

function parseSnapshot(bytes: Buffer): FetchedSnapshot {
  const end = bytes.indexOf('\n');
  // The bytes were written by `serializeSnapshot`.
  const head = JSON.parse(bytes.toString('utf8', 0, end)) as Omit<FetchedSnapshot, 'text'>;
  return { ...head, text: bytes.subarray(end + 1) };
}

/**
 * Batches calls that arrive in one turn of the event loop.
 * @param options.oneAtATime whether calls also wait, and are batched, while an earlier batch runs
 */
function batchCalls<Item, Result>(
  work: (items: Item[]) => Promise<Result[]>,
  { oneAtATime }: { oneAtATime: boolean },
): (item: Item) => Promise<Result> {
  let running = Promise.resolve();
  const loader = new DataLoader<Item, Result>(
    (items) => {
      const batch = work([...items]);
      running = batch.then(
        () => undefined,
        () => undefined,
      );
      return batch;
    },
    {
      cache: false,
      maxBatchSize: MAX_BATCH_SIZE,
      batchScheduleFn: (dispatch) =>
        void (oneAtATime ? running.then(() => setImmediate(dispatch)) : setImmediate(dispatch)),
    },
  );
  return (item) => loader.load(item);
}

/** The cache of fetched pages. */
export type PageCache = ReturnType<typeof createPageCache>;

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
