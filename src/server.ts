import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createApp } from './api/app.ts';
import { createApiServer } from './api/http/api-server.ts';
import { mountSockets } from './api/page-jobs/status-socket.ts';
import { WatchedJobs } from './api/page-jobs/watched-jobs.ts';
import { type Config, readConfig } from './config.ts';
import { ServiceError } from './errors.ts';
import { createDirectStarts } from './jobs/direct-start/client.ts';
import { createWorkerHealth } from './jobs/direct-start/worker-health.ts';
import { migrateDatabase } from './run/process/migrate-database.ts';
import { type RunningService, runProcess } from './run/process/run-process.ts';
import { startTracing } from './run/process/start-tracing.ts';
import { waitForDependency } from './run/process/wait-for-dependency.ts';
import { listDataDirectories, watchDiskSpace } from './storage/blobs/disk-space.ts';
import { openBlobs } from './storage/blobs/index.ts';
import { openDatabase } from './storage/db/client.ts';
import { readPageJobState } from './storage/db/jobs/read-page-job-state.ts';
import { StoredResults } from './storage/db/teams/quotas.ts';
import { changeTeam, ensureFirstTeam, FIRST_TEAM } from './storage/db/teams/teams.ts';
import { openJobResults } from './storage/job-results.ts';
import { createLogger } from './system/logger.ts';
import { listen } from './system/server.ts';
import { connectTemporal } from './temporal/connection.ts';
import { Temporal } from './temporal/workflow-client.ts';

/** Starts the API server. */
async function serve(): Promise<RunningService> {
  const config = readConfig();
  const { databaseUrl, temporalAddress, secretKey, webhookSecret } = config;
  if (!databaseUrl || !temporalAddress || !secretKey) {
    throw new ServiceError(
      'BAD_REQUEST',
      'The API needs DATABASE_URL, TEMPORAL_ADDRESS and WINNOW_SECRET_KEY. `npm start` sets them by itself.',
    );
  }
  const logger = createLogger('api', config.logLevel);
  const spans = await startTracing(config, 'api', logger);
  const db = openDatabase(databaseUrl, (error) => logger.warn({ err: error }, 'database connection lost'), {
    connections: config.databaseConnections,
  });
  await migrateDatabase(db, logger);
  await ensureFirstTeam(db, config.apiKey, config.teamCredits);
  if (webhookSecret) await changeTeam(db, FIRST_TEAM, { webhookSecret });
  const connection = await waitForDependency(
    () => connectTemporal(temporalAddress, config.temporalSecurity),
    logger,
  );
  const temporal = new Temporal(connection, config.temporalNamespace);
  const results = await openJobResults(config.blobs, db);
  const uploads = await openBlobs(config.blobs, 'uploads');
  const monitorBlobs = await openBlobs(config.blobs, 'monitors');
  const storage = watchDiskSpace(listDataDirectories(config), config.minFreeBytes);
  const closing = new AbortController();
  const deps = {
    config: { ...config, secretKey },
    db,
    results,
    uploads,
    monitorBlobs,
    temporal,
    watched: new WatchedJobs((id) => readPageJobState(db, id)),
    ...accessToWorker(config),
    storage,
    storedResults: new StoredResults(db),
    logger,
    closing: closing.signal,
  };
  const server = createApiServer(createApp(deps));
  const sockets = mountSockets(server, deps);
  await listen(server, { port: config.port, host: config.host }, (error) =>
    logger.warn({ err: error }, 'the API could not accept a connection'),
  );
  // Listening on a TCP port, the address is never a path.
  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return {
    url: `http://${host}:${port}`,
    logger,
    async stop() {
      closing.abort();
      server.close();
      sockets.close();
      server.closeIdleConnections();
      await once(server, 'close');
      await connection.close();
      await db.close();
      await spans?.close();
    },
  };
}

/** The access to the worker on this machine, if there is one that takes scrapes. */
function accessToWorker({ scrapeSocket, workerRoles }: Config) {
  if (scrapeSocket === undefined) return { startDirectly: undefined, worker: undefined };
  return {
    startDirectly: createDirectStarts(scrapeSocket),
    worker: workerRoles.includes('scrape') ? createWorkerHealth(scrapeSocket) : undefined,
  };
}

await runProcess('api', serve);
