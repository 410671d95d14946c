import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { inject } from 'vitest';
import { createApp } from '../../../src/api/app.ts';
import { mountSockets } from '../../../src/api/page-jobs/status-socket.ts';
import { WatchedJobs } from '../../../src/api/page-jobs/watched-jobs.ts';
import { readConfig } from '../../../src/config.ts';
import { listDataDirectories, watchDiskSpace } from '../../../src/storage/blobs/disk-space.ts';
import { openBlobs } from '../../../src/storage/blobs/index.ts';
import { readPageJobState } from '../../../src/storage/db/jobs/read-page-job-state.ts';
import { StoredResults } from '../../../src/storage/db/teams/quotas.ts';
import { openJobResults } from '../../../src/storage/job-results.ts';
import { createLogger } from '../../../src/system/logger.ts';
import { connectTemporal } from '../../../src/temporal/connection.ts';
import { Temporal } from '../../../src/temporal/workflow-client.ts';
import { temporalAddressOf } from '../service/start-service.ts';
import { openTestDatabase } from '../storage/database.ts';

/**
 * Starts a second API of the shared service, in this process: it uses the same Postgres, Temporal and blobs,
 * but has its own settings.
 */
export async function startApi(settings: Record<string, string>) {
  const { dataDir } = inject('service');
  const secretKey = (await readFile(path.join(dataDir, 'secret-key'), 'utf8')).trim();
  const config = readConfig({
    WINNOW_DATA_DIR: dataDir,
    WINNOW_ALLOW_PRIVATE: '127.0.0.0/8',
    LOG_LEVEL: 'fatal',
    ...settings,
  });
  const db = openTestDatabase();
  const connection = await connectTemporal(temporalAddressOf({ dataDir }));
  const closing = new AbortController();
  const deps = {
    config: { ...config, secretKey },
    db,
    results: await openJobResults(config.blobs, db),
    uploads: await openBlobs(config.blobs, 'uploads'),
    monitorBlobs: await openBlobs(config.blobs, 'monitors'),
    temporal: new Temporal(connection, config.temporalNamespace),
    watched: new WatchedJobs((id) => readPageJobState(db, id)),
    storage: watchDiskSpace(listDataDirectories(config), config.minFreeBytes),
    storedResults: new StoredResults(db),
    logger: createLogger('api', config.logLevel),
    closing: closing.signal,
  };
  const server = createServer(createApp(deps)).listen(0, '127.0.0.1');
  mountSockets(server, deps);
  await once(server, 'listening');
  // A TCP server's address is never a path.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    /** Announces the shutdown: requests that wait for a job return early from now on. */
    beginShutdown: () => closing.abort(),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      await connection.close();
      await db.close();
    },
  };
}
