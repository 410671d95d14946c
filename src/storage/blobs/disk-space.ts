import { statfs } from 'node:fs/promises';
import { codeOf, ServiceError } from '../../errors.ts';

/** Reports whether the disks have enough free space for more work. */
export interface DiskSpace {
  hasSpace(): Promise<boolean>;
  /** @throws ServiceError `INSUFFICIENT_STORAGE` when there is not enough free space */
  requireSpace(): Promise<void>;
}

/** Lists the directories that the service writes to. An S3 store has no directory. */
export function listDataDirectories({ dataDir, blobs }: { dataDir: string; blobs: string }): string[] {
  return [dataDir, ...(blobs.startsWith('s3://') ? [] : [blobs])];
}

/** How long a result is reused. */
const RESULT_TTL_MS = 2_000;
const RETRY_AFTER_SECONDS = 30;

/**
 * Watches the free space on the disks of directories.
 * @param minFreeBytes free space in bytes that every disk must have
 */
export function watchDiskSpace(directories: string[], minFreeBytes: number): DiskSpace {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let result: Promise<boolean> = Promise.resolve(true);

  async function check(): Promise<boolean> {
    const disks = await Promise.all(directories.map((directory) => statfs(directory).catch(ignoreMissing)));
    return disks.every((disk) => !disk || disk.bavail * disk.bsize >= minFreeBytes);
  }

  function hasSpace(): Promise<boolean> {
    if (performance.now() - checkedAt > RESULT_TTL_MS) {
      checkedAt = performance.now();
      result = check();
    }
    return result;
  }

  return {
    hasSpace,
    async requireSpace() {
      if (await hasSpace()) return;
      throw new ServiceError(
        'INSUFFICIENT_STORAGE',
        `Less than ${Math.round(minFreeBytes / 1024 / 1024)} MiB are free on the disk of this service, so it accepts no new work. Try again later, or ask its operator to free space.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    },
  };
}

/** A directory that does not exist yet is not checked. */
function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}
