import { statfs } from 'node:fs/promises';
import { codeOf, ServiceError } from './errors.ts';

/** Tells whether the disk has room for more work. */
export interface Storage {
  hasRoom(): Promise<boolean>;
  /** @throws ServiceError `INSUFFICIENT_STORAGE` where it has not */
  requireRoom(): Promise<void>;
}

/** The directories whose disks fill with our work; an S3 store looks after its own. */
export function disksOf({ dataDir, blobs }: { dataDir: string; blobs: string }): string[] {
  return [dataDir, ...(blobs.startsWith('s3://') ? [] : [blobs])];
}

/** An answer holds this long. */
const FRESH_MS = 2_000;
const RETRY_AFTER_SECONDS = 30;

/**
 * Watches the disks of directories.
 * @param leastFreeBytes with less than this free on any of them there is no room
 */
export function watchStorage(directories: string[], leastFreeBytes: number): Storage {
  let seenAt = Number.NEGATIVE_INFINITY;
  let room: Promise<boolean> = Promise.resolve(true);

  async function look(): Promise<boolean> {
    const disks = await Promise.all(directories.map((directory) => statfs(directory).catch(ignoreAbsent)));
    return disks.every((disk) => !disk || disk.bavail * disk.bsize >= leastFreeBytes);
  }

  function hasRoom(): Promise<boolean> {
    if (performance.now() - seenAt > FRESH_MS) {
      seenAt = performance.now();
      room = look();
    }
    return room;
  }

  return {
    hasRoom,
    async requireRoom() {
      if (await hasRoom()) return;
      throw new ServiceError(
        'INSUFFICIENT_STORAGE',
        `Less than ${Math.round(leastFreeBytes / 1024 / 1024)} MiB are free on the disk of this service: no work is taken on until there is room again. Try again later, or ask its operator to free some.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    },
  };
}

/** A directory that is not made yet has no disk of its own to fill. */
function ignoreAbsent(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}
