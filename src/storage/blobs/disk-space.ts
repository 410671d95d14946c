import { stat, statfs } from 'node:fs/promises';
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

/**
 * Measures the disks of directories, each disk once; directories that do not exist are left out.
 * @returns the free and the whole space in bytes, with the first of the directories
 */
export async function measureDisks(
  directories: string[],
): Promise<{ path: string; freeBytes: number; totalBytes: number }[]> {
  const measured = await Promise.all(
    directories.map(async (path) => {
      const [disk, entry] = await Promise.all([
        statfs(path).catch(ignoreMissing),
        stat(path).catch(ignoreMissing),
      ]);
      if (!disk || !entry) return [];
      const sizes = { freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize };
      return [{ path, device: entry.dev, ...sizes }];
    }),
  );
  const disks = new Map<number, { path: string; freeBytes: number; totalBytes: number }>();
  for (const { device, ...disk } of measured.flat()) if (!disks.has(device)) disks.set(device, disk);
  return [...disks.values()];
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
    const disks = await measureDisks(directories);
    return disks.every(({ freeBytes }) => freeBytes >= minFreeBytes);
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
