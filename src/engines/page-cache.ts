import { createHash } from 'node:crypto';
import DataLoader from 'dataloader';
import { type Blobs, placeOf } from '../blobs.ts';
import { type CacheFile, type CacheQuestion, findCached, storeCached } from '../db/cache.ts';
import { dropCopy } from '../db/cache-files.ts';
import type { Database } from '../db/client.ts';
import { ServiceError } from '../errors.ts';
import { referredTo } from '../files.ts';
import { asksFor } from '../schemas/formats.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';
import type { Snapshot } from '../snapshot.ts';
import { normalizeTarget } from '../url.ts';
import { chooseBase64Mode } from './engine.ts';
import { visitorOf } from './visitor.ts';

/**
 * The key under which a page is found again: what changes the page itself, never what is derived from it later.
 * `undefined` when the request bypasses the cache (compatibility 2.7).
 */
export function cacheKey(url: string, request: ScrapeRequest): Buffer | undefined {
  const { location, proxy } = request;
  const screenshot = request.formats.find((format) => format.type === 'screenshot');
  if (request.headers && Object.keys(request.headers).length) return undefined;
  if (request.profile || request.actions?.length) return undefined;
  // A page behind a user name and password is not for everybody.
  const { username, password } = new URL(url);
  if (username || password) return undefined;
  // What is measured in the open page is not in a copy.
  if (asksFor(request.formats, 'branding')) return undefined;
  if (screenshot?.viewport || screenshot?.quality !== undefined) return undefined;
  const parts = [
    normalizeTarget(url),
    request.mobile,
    request.waitFor,
    request.fastMode,
    request.skipTlsVerification,
    request.blockAds,
    chooseBase64Mode(request),
    proxy === 'enhanced' || proxy === 'stealth',
    screenshot ? screenshot.fullPage : null,
    visitorOf(location),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}

/** Questions and copies that come while one statement runs go together with the next; never more than this. */
const MAX_BATCH_SIZE = 50;

/**
 * Copies of pages obtained before.
 * @param doors.results where the files of pages lie that are answered; copies have files of their own
 */
export function createPageCache({ db, blobs, results }: { db: Database; blobs: Blobs; results: Blobs }) {
  const lookUps = batchCalls((queries: CacheQuestion[]) => findCached(db, queries));
  const stores = batchCalls(async (copies: { key: Buffer; snapshot: Snapshot; files: CacheFile[] }[]) => {
    const keys = await blobs.putAll(copies.map(({ snapshot }) => serializeSnapshot(snapshot)));
    const places = keys.map(placeOf);
    // The pack ends where its last copy does.
    const bytes = Math.max(...places.map(({ end }) => end));
    const entries = copies.map(({ key, snapshot, files }, index) => ({
      key,
      // One key and one place for each copy.
      blob: keys[index]!,
      fetchedAt: new Date(snapshot.fetchedAt),
      files: [{ hash: places[index]!.file, bytes }, ...files],
    }));
    await storeCached(db, entries);
    return entries;
  });

  /** @returns the files; pictures do not get smaller by compression, so their size is that on the disk */
  async function copyFiles(files: Snapshot['files'], from: Blobs, to: Blobs): Promise<CacheFile[]> {
    return Promise.all(
      Object.values(files).map(async (file) => {
        const bytes = await from.get(referredTo(file)?.key ?? '');
        return { hash: await to.put(bytes), bytes: bytes.length };
      }),
    );
  }

  return {
    /** The newest copy within the request's bounds of age. */
    async find(key: Buffer, request: ScrapeRequest): Promise<Snapshot | undefined> {
      for (;;) {
        const entry = await lookUps({ key, minMs: request.minAge ?? 0, maxMs: request.maxAge });
        if (!entry) return undefined;
        try {
          const snapshot = parseSnapshot(await blobs.get(entry.blob));
          await copyFiles(snapshot.files, blobs, results);
          return snapshot;
        } catch (error) {
          if (!(error instanceof ServiceError) || error.code !== 'NOT_FOUND') throw error;
          // The copy outlived its bytes: the same as no copy. There may be another one behind it.
          await dropCopy(db, key, entry.blob);
        }
      }
    },

    /** Keeps a copy; pages that answered with an error are not kept. */
    async store(key: Buffer, snapshot: Snapshot): Promise<void> {
      if (snapshot.statusCode >= 400) return;
      const files = await copyFiles(snapshot.files, results, blobs);
      await stores({ key, snapshot, files });
    },
  };
}

/** A snapshot as bytes: its text stands as it is behind the rest, which costs a tenth of putting it into JSON. */
function serializeSnapshot({ text, ...head }: Snapshot): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), Buffer.from(text)]);
}

function parseSnapshot(bytes: Buffer): Snapshot {
  const end = bytes.indexOf('\n');
  // Written by `pack`.
  const head = JSON.parse(bytes.toString('utf8', 0, end)) as Omit<Snapshot, 'text'>;
  return { ...head, text: bytes.toString('utf8', end + 1) };
}

/** Many calls as few: those that come in one turn of the loop, or while an earlier lot is under way, go together. */
function batchCalls<Item, Result>(
  work: (items: Item[]) => Promise<Result[]>,
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
      batchScheduleFn: (dispatch) => void running.then(() => setImmediate(dispatch)),
    },
  );
  return (item) => loader.load(item);
}

/** Copies of pages obtained before. */
export type PageCache = ReturnType<typeof createPageCache>;

/** What a request that may only be answered from the cache gets when nothing fits. */
export function cacheMissError(request: ScrapeRequest): ServiceError {
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
