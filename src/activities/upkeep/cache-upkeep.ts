import type { DeletedFiles } from '../../storage/blobs/blob-store.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import {
  type DeletedCopies,
  deleteLeastUsedFiles,
  deleteOldCopies,
  findKnownFiles,
  sumCachedBytes,
} from '../../storage/db/cache/cache-files.ts';
import type { Database } from '../../storage/db/client.ts';
import { readDatabaseTime } from '../../storage/db/database-time.ts';

/** Dependencies of the cache upkeep. */
export interface CacheUpkeepDeps {
  db: Database;
  cacheBlobs: Blobs;
  /** Milliseconds that a copy is kept after it was fetched. */
  cacheTtlMs: number;
  /** Maximum size of all copies on the disk, in bytes. */
  cacheMaxBytes: number;
}

/** Files younger than this are never treated as stray, because a file is written shortly before its row. */
const SAFETY_MARGIN_MS = 3_600_000;
/** Number of key prefixes. A prefix is the first two hex digits of the key of a file. */
const PREFIXES = 256;
/**
 * Milliseconds until the next prefix is checked: ten minutes, the interval at which the upkeep workflow
 * tidies up.
 */
const PREFIX_INTERVAL_MS = 600_000;

/**
 * Deletes the copies that have expired. If the rest exceeds `cacheMaxBytes`, also deletes the files that
 * have been unused for longest, with the copies that need them. A file that several copies share is deleted
 * with the last of them.
 */
export async function trimCache(deps: CacheUpkeepDeps): Promise<DeletedFiles & { copies: number }> {
  const { db, cacheBlobs, cacheTtlMs, cacheMaxBytes } = deps;
  const total = { copies: 0, files: 0, bytes: 0 };
  /** Deletes the files of copies that were deleted from the database. @returns the number of freed bytes */
  const removeFiles = async ({ copies, files }: DeletedCopies) => {
    for (const { hash } of files) await cacheBlobs.remove(hash);
    total.copies += copies;
    total.files += files.length;
    const freed = files.reduce((sum, { bytes }) => sum + bytes, 0);
    total.bytes += freed;
    return freed;
  };
  const before = new Date((await readDatabaseTime(db)).getTime() - cacheTtlMs);
  for (let deleted = 1; deleted > 0; ) {
    const dropped = await deleteOldCopies(db, before);
    await removeFiles(dropped);
    deleted = dropped.copies;
  }
  for (let excess = (await sumCachedBytes(db)) - cacheMaxBytes; excess > 0; ) {
    const freed = await removeFiles(await deleteLeastUsedFiles(db, excess));
    // The remaining files are locked, because they are being stored again at this moment.
    if (freed === 0) break;
    excess -= freed;
  }
  return total;
}

/**
 * Deletes files that belong to no copy. A crash between writing a file and writing its row leaves such a
 * file behind. Each call checks the files of one key prefix, so that no call has to list the whole
 * store. All prefixes are checked within two days.
 * @param prefix the key prefix as a number, 0 to 255; by default the one that is due now
 */
export async function removeStrayFiles(
  { db, cacheBlobs }: Pick<CacheUpkeepDeps, 'db' | 'cacheBlobs'>,
  prefix = Math.floor(Date.now() / PREFIX_INTERVAL_MS) % PREFIXES,
): Promise<DeletedFiles> {
  const settled = (await readDatabaseTime(db)).getTime() - SAFETY_MARGIN_MS;
  const files = await cacheBlobs.list(prefix.toString(16).padStart(2, '0'));
  const old = files.filter(({ storedAt }) => storedAt.getTime() < settled);
  const known = await findKnownFiles(
    db,
    old.map(({ key }) => key),
  );
  const strays = old.filter(({ key }) => !known.has(key));
  for (const { key } of strays) await cacheBlobs.remove(key);
  return { files: strays.length, bytes: strays.reduce((sum, { bytes }) => sum + bytes, 0) };
}
