import type { Blobs } from '../blobs.ts';
import {
  cachedBytes,
  type DroppedCopies,
  dropOldCopies,
  dropUnusedFiles,
  knownFiles,
} from '../db/cache-files.ts';
import type { Database } from '../db/client.ts';

/** What the upkeep of the cache needs from outside. */
export interface CacheDoors {
  db: Database;
  cacheBlobs: Blobs;
  /** How long a copy is kept after it was fetched. */
  cacheTtlMs: number;
  /** Room for all copies on the disk. */
  cacheMaxBytes: number;
}

/** Files are written a little before the rows that name them. */
const SLACK_MS = 3_600_000;
/** Files are in as many shelves, by the first two hex digits of their keys. */
const SHELVES = 256;
/** Each shelf has its turn for so long: as long as upkeep takes from one time to the next. */
const TURN_MS = 600_000;

/**
 * Deletes copies that are too old, then those that were not used for longest until the others have room. Files that
 * copies share are deleted with the last of these.
 * @returns how many copies and files went
 */
export async function trimCache(doors: CacheDoors): Promise<{ copies: number; files: number }> {
  const { db, cacheBlobs, cacheTtlMs, cacheMaxBytes } = doors;
  const total = { copies: 0, files: 0 };
  /** @returns how many bytes that were */
  const finish = async ({ copies, files }: DroppedCopies) => {
    for (const { hash } of files) await cacheBlobs.remove(hash);
    total.copies += copies;
    total.files += files.length;
    return files.reduce((sum, { bytes }) => sum + bytes, 0);
  };
  const before = new Date(Date.now() - cacheTtlMs);
  for (let some = 1; some > 0; ) {
    const dropped = await dropOldCopies(db, before);
    await finish(dropped);
    some = dropped.copies;
  }
  for (let excess = (await cachedBytes(db)) - cacheMaxBytes; excess > 0; ) {
    const freed = await finish(await dropUnusedFiles(db, excess));
    // What is locked is in use after all.
    if (freed === 0) break;
    excess -= freed;
  }
  return total;
}

/**
 * Deletes files that belong to no copy, as a crash between writing a file and its row leaves them. One shelf each time,
 * so that no round reads the whole store: all have had their turn within two days.
 * @param shelf of 256, the next one unless given
 * @returns how many files went
 */
export async function removeStrayFiles(
  { db, cacheBlobs }: Pick<CacheDoors, 'db' | 'cacheBlobs'>,
  shelf = Math.floor(Date.now() / TURN_MS) % SHELVES,
): Promise<number> {
  const settled = Date.now() - SLACK_MS;
  const files = await cacheBlobs.list(shelf.toString(16).padStart(2, '0'));
  const old = files.filter(({ storedAt }) => storedAt.getTime() < settled).map(({ key }) => key);
  const known = await knownFiles(db, old);
  const strays = old.filter((key) => !known.has(key));
  for (const key of strays) await cacheBlobs.remove(key);
  return strays.length;
}
