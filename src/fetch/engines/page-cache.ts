import DataLoader from 'dataloader';
import type { FetchedSnapshot } from '../../content/snapshot.ts';
import { bytesOf } from '../../content/source-text.ts';
import { ServiceError } from '../../errors.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import { isCacheOnly } from '../../schemas/scrape-options.ts';
import { parseFileReference } from '../../storage/blobs/file-urls.ts';
import { type Blobs, locateBlob } from '../../storage/blobs/index.ts';
import {
  addCacheEntries,
  type CacheEntry,
  type CacheFile,
  type CacheQuery,
  findCacheEntries,
} from '../../storage/db/cache/cache-entries.ts';
import { deleteCopy } from '../../storage/db/cache/cache-files.ts';
import type { Database } from '../../storage/db/client.ts';
import { pause } from '../../system/pause.ts';
import { withTimeLimit } from '../../system/time-limit.ts';
import { untilAborted } from '../../system/until-aborted.ts';
import { canServe, wantsImages, withImages } from './cache-key.ts';
import { createPendingCopies } from './pending-copies.ts';

/** Maximum number of lookups or copies in one statement. */
const MAX_BATCH_SIZE = 50;
/**
 * Milliseconds after which a request that may use only the cache looks once more. Another worker may have
 * responded with the page, and still be storing its copy.
 */
const SECOND_LOOK_MS = 500;
/**
 * Milliseconds that the blob store has for a copy. A page that may be fetched need not wait for a store that does not
 * respond.
 */
const MAX_READ_MS = 5_000;
/** The oldest copy, in milliseconds, that another worker may still be storing. */
const MAX_UNSTORED_MS = 10_000;

/** A copy to store, and the team that fetched the page. */
interface NewCopy {
  key: Buffer;
  teamId: string;
  snapshot: FetchedSnapshot;
}

/** Who looks for a copy, and the signal that ends the look-up, which then throws the reason. */
export interface Reader {
  teamId: string;
  signal: AbortSignal;
}

/**
 * Creates the cache of fetched pages. A team finds the copies of the pages that it has fetched itself.
 * @param deps.results storage of the files of results; cached copies have their own files
 * @param deps.isShared whether a team also finds the copies of all others
 * @param deps.onUnreadable called when the blob store cannot return a copy in time, so that the page is fetched
 * @param deps.maxReadMs milliseconds that the blob store has for that
 * @param deps.untilSecondLook waits until another worker has probably stored a copy, or the signal fires
 */
export function createPageCache({
  db,
  blobs,
  results,
  isShared,
  onUnreadable,
  maxReadMs = MAX_READ_MS,
  untilSecondLook = (signal) => pause(SECOND_LOOK_MS, signal),
}: {
  db: Database;
  blobs: Blobs;
  results: Blobs;
  isShared: boolean;
  onUnreadable: (error: unknown) => void;
  maxReadMs?: number;
  untilSecondLook?: (signal: AbortSignal) => Promise<void>;
}) {
  const lookUps = batchCalls((queries: CacheQuery[]) => findCacheEntries(db, queries, { isShared }), {
    oneAtATime: true,
  });
  const stores = batchCalls(
    async (copies: (NewCopy & { files: CacheFile[] })[]) => {
      const keys = await blobs.putAll(copies.map(({ snapshot }) => serializeSnapshot(snapshot)));
      const places = keys.map(locateBlob);
      // The copies are stored in one file, whose size is the end of the last copy.
      const bytes = Math.max(...places.map(({ end }) => end));
      const entries: CacheEntry[] = copies.map(({ key, teamId, snapshot, files }, index) => ({
        key,
        teamId,
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
  const pending = createPendingCopies();
  /** Under which name copies are pending: those that a team may find have the same. */
  const pendingName = (key: Buffer, teamId: string) => `${isShared ? '' : teamId} ${key.toString('hex')}`;

  /** Copies files. Images do not compress, so `bytes` equals their size on disk. */
  async function copyFiles(files: FetchedSnapshot['files'], from: Blobs, to: Blobs): Promise<CacheFile[]> {
    return Promise.all(
      Object.values(files).map(async (file) => {
        const bytes = await from.get(parseFileReference(file)?.key ?? '');
        return { hash: await to.put(bytes), bytes: bytes.length };
      }),
    );
  }

  async function readCopy(blob: string): Promise<FetchedSnapshot> {
    const snapshot = parseSnapshot(await blobs.get(blob));
    await copyFiles(snapshot.files, blobs, results);
    return snapshot;
  }

  /** Finds the newest copy of a key within the age limits of the request, also one that is being stored. */
  async function findNewest(
    key: Buffer,
    request: ScrapeRequest,
    { teamId, signal }: Reader,
  ): Promise<FetchedSnapshot | undefined> {
    await pending.settled(pendingName(key, teamId), signal);
    for (;;) {
      const entry = await lookUps({ key, teamId, minMs: request.minAge ?? 0, maxMs: request.maxAge });
      if (!entry) return undefined;
      try {
        const copy = readCopy(entry.blob);
        return await (isCacheOnly(request) ? copy : withTimeLimit(copy, maxReadMs));
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'NOT_FOUND') {
          if (isCacheOnly(request)) throw error;
          onUnreadable(error);
          return undefined;
        }
        // The blob of the copy is missing. Delete the copy and look for an older one.
        await deleteCopy(db, key, entry.blob);
        signal.throwIfAborted();
      }
    }
  }

  async function findOnce(key: Buffer, request: ScrapeRequest, reader: Reader) {
    // Only its content says whether a URL leads to a document.
    const keys = wantsImages(request) ? [key, withImages(key)] : [key];
    const copies = await Promise.all(keys.map((each) => findNewest(each, request, reader)));
    return copies
      .filter((copy) => copy !== undefined && canServe(copy, request))
      .sort((one, other) => other!.fetchedAt - one!.fetchedAt)[0];
  }

  async function find(key: Buffer, request: ScrapeRequest, reader: Reader) {
    const copy = await findOnce(key, request, reader);
    if (copy || !isCacheOnly(request) || (request.minAge ?? 0) > MAX_UNSTORED_MS) return copy;
    await untilSecondLook(reader.signal);
    return findOnce(key, request, reader);
  }

  async function writeCopy(copy: NewCopy): Promise<void> {
    const files = await copyFiles(copy.snapshot.files, results, blobs);
    await stores({ ...copy, files });
  }

  return {
    /**
     * Finds the newest copy that is what the request would get, within its age limits.
     * @throws the reason of the reader's signal
     */
    find: (key: Buffer, request: ScrapeRequest, reader: Reader): Promise<FetchedSnapshot | undefined> =>
      untilAborted(() => find(key, request, reader), reader.signal),

    /**
     * Stores a copy of a page that a team has fetched, unless the page has an error status. Look-ups in this
     * process wait for it.
     * @param options.isAwaited whether the caller keeps no more copies in memory than it can wait for. Of
     *   others, only a bounded number of bytes is kept
     * @throws Error if a copy that is not awaited finds no room
     */
    async store(
      pageKey: Buffer,
      snapshot: FetchedSnapshot,
      { teamId, isAwaited }: { teamId: string; isAwaited: boolean },
    ): Promise<void> {
      if (snapshot.statusCode >= 400) return;
      const key = snapshot.document?.hasImages ? withImages(pageKey) : pageKey;
      const bytes = isAwaited ? 0 : sizeInMemory(snapshot);
      await pending.add(pendingName(key, teamId), bytes, () => writeCopy({ key, teamId, snapshot }));
    },

    /** Resolves when the copies of this process are stored, or have taken longer than a stop may wait. */
    drained: () => pending.drained(),
  };
}

/** Bytes of a copy besides its text and files, about. */
const OTHER_BYTES = 4_096;

/** Bytes that a copy takes until it is stored, about. */
const sizeInMemory = ({ text, files }: FetchedSnapshot): number =>
  Object.values(files)
    .map((file) => parseFileReference(file)?.size ?? 0)
    .reduce((sum, size) => sum + size, OTHER_BYTES + text.length);

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
