import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ServiceError } from '../errors.ts';
import { listDataDirectories, measureDisks } from '../storage/blobs/disk-space.ts';
import type { Manifest } from './manifest.ts';

/** Postgres writes rows to a table, to its log and to indexes. */
const BYTES_PER_ROW_BYTE = 3;
const BLOBS = 'blobs/';

/** Where a backup is restored to. */
interface RestorePlace {
  dataDir: string;
  /** Location of the blob store, see `openBlobs`. */
  blobs: string;
  /** Whether the rows are stored in the data directory. */
  hasOwnPostgres: boolean;
}

/**
 * Requires that the disks of this machine have room for what a backup has. What it replaces counts as taken, because
 * it is removed last.
 * @throws ServiceError `INSUFFICIENT_STORAGE` that says how much is missing where
 */
export async function requireRestoreRoom({ sections, rows }: Manifest, place: RestorePlace): Promise<void> {
  const ofBlobs = sum(
    Object.entries(sections).map(([name, { bytes }]) => (name.startsWith(BLOBS) ? bytes : 0)),
  );
  const ofRows = place.hasOwnPostgres
    ? BYTES_PER_ROW_BYTE * sum(Object.values(rows).map(({ bytes }) => bytes))
    : 0;
  const [dataDir = '', blobDir] = listDataDirectories(place).map(nearestDirectory);
  const disks = await measureDisks([dataDir, ...(blobDir === undefined ? [] : [blobDir])]);
  const [first, second] = disks;
  const isShared = second === undefined;
  const needs = [
    { disk: first, bytes: ofRows + (isShared && blobDir !== undefined ? ofBlobs : 0) },
    { disk: second, bytes: ofBlobs },
  ];
  for (const { disk, bytes } of needs)
    if (disk && disk.freeBytes < bytes)
      throw new ServiceError(
        'INSUFFICIENT_STORAGE',
        `The backup needs about ${megabytes(bytes)} on the disk of ${disk.path}, which has ${megabytes(disk.freeBytes)} left. Nothing was changed. Free some space, or restore to another WINNOW_DATA_DIR or WINNOW_BLOBS.`,
      );
}

/** The directory itself, or the one in which it would be created. */
function nearestDirectory(path: string): string {
  let found = resolve(path);
  while (!existsSync(found) && found !== dirname(found)) found = dirname(found);
  return found;
}

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2).toLocaleString('en')} MiB`;
