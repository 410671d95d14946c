import { listDataDirectories, watchDiskSpace } from '../../storage/blobs/disk-space.ts';
import { openBlobs } from '../../storage/blobs/index.ts';
import { openDatabase } from '../../storage/db/client.ts';
import { openJobResults } from '../../storage/job-results.ts';
import type { Logger } from '../../system/logger.ts';
import { migrateDatabase } from '../process/migrate-database.ts';
import type { WorkerConfig } from './worker-config.ts';

/** Opens the database, which is migrated if necessary, and the blobs of a worker. */
export async function openStorage(
  config: Pick<WorkerConfig, 'databaseUrl' | 'databaseConnections' | 'blobs' | 'dataDir' | 'minFreeBytes'>,
  logger: Logger,
) {
  const db = openDatabase(
    config.databaseUrl,
    (error) => logger.warn({ err: error }, 'database connection lost'),
    { connections: config.databaseConnections },
  );
  const [results, cacheBlobs, versionBlobs, monitorBlobs, uploads] = await Promise.all([
    openJobResults(config.blobs, db),
    openBlobs(config.blobs, 'cache'),
    openBlobs(config.blobs, 'versions'),
    openBlobs(config.blobs, 'monitors'),
    openBlobs(config.blobs, 'uploads'),
    migrateDatabase(db, logger),
  ]);
  const storage = watchDiskSpace(listDataDirectories(config), config.minFreeBytes);
  return { db, results, cacheBlobs, versionBlobs, monitorBlobs, uploads, storage };
}

/** Where a worker stores things. */
export type Storage = Awaited<ReturnType<typeof openStorage>>;
