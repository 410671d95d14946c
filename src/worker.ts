import { createServer } from 'node:http';
import type { NativeConnection, Worker } from '@temporalio/worker';
import { v7 as uuidv7 } from 'uuid';
import type { Scrapes } from './activities/scrape/scrape.ts';
import type { OwnAddress } from './fetch/net/own-ports.ts';
import { serveDirectStarts } from './jobs/direct-start/server.ts';
import { PageUsage } from './jobs/scraping/page-usage.ts';
import { createScrapeMetrics } from './jobs/scraping/scrape-metrics.ts';
import { findChromium } from './run/embedded/chromium.ts';
import { createModelAccess } from './run/process/create-models.ts';
import type { HostedSessions } from './run/process/host-sessions.ts';
import { restartScrapes } from './run/process/restart-scrapes.ts';
import { type RunningService, runProcess } from './run/process/run-process.ts';
import { startTracing } from './run/process/start-tracing.ts';
import { waitForDependency } from './run/process/wait-for-dependency.ts';
import { startReportingPresence } from './run/process/worker-presence.ts';
import { openBackups } from './run/worker/backups.ts';
import { type Browser, startBrowser } from './run/worker/fetching.ts';
import { createDocumentProcesses, createThreadPools } from './run/worker/rendering.ts';
import { startSessions } from './run/worker/sessions.ts';
import { openStorage, type Storage } from './run/worker/storage.ts';
import { createWorkerActivities } from './run/worker/worker-activities.ts';
import { readWorkerConfig, type WorkerConfig } from './run/worker/worker-config.ts';
import { createWorkerMetrics } from './run/worker/worker-metrics.ts';
import type { Database } from './storage/db/client.ts';
import { createHealth, createMetrics, type HealthHandler, type Probe } from './system/health.ts';
import { createLogger, type Logger } from './system/logger.ts';
import { listen } from './system/server.ts';
import { scheduleBackups } from './temporal/backup-schedule.ts';
import { connectTemporal, pingTemporal } from './temporal/connection.ts';
import { FinishedScrapes } from './temporal/finished-scrapes.ts';
import { openMonitorSchedules } from './temporal/monitor-schedules.ts';
import { prepareNamespace } from './temporal/namespace.ts';
import { installTemporalRuntime } from './temporal/runtime.ts';
import { createTemporalWorkers } from './temporal/workers.ts';
import { workflowBundle } from './temporal/workflow-bundle.ts';
import { startUpkeep, Temporal } from './temporal/workflow-client.ts';

/** Milliseconds that a part of the worker has to respond: less than those who ask for `/ready` wait. */
const PROBE_TIMEOUT_MS = 3_000;

/** Connects to the external services, and waits for those that are not available yet. */
async function connectServices(config: WorkerConfig, logger: Logger) {
  const [bundle, chromium, documents, backups, connection] = await Promise.all([
    workflowBundle(config.cacheDir),
    findChromium(config),
    createDocumentProcesses(config, logger),
    openBackups(config, logger),
    waitForDependency(() => connectTemporal(config.temporalAddress, config.temporalSecurity), logger),
  ]);
  const [storage] = await Promise.all([
    openStorage(config, logger),
    waitForDependency(() => prepareNamespace(connection, config.temporalNamespace), logger),
  ]);
  return { bundle, chromium, documents, backups, connection, storage };
}

/**
 * Lets Temporal's workers take work. One that stops by itself has lost the Temporal server for good; the
 * process then exits, so that its supervisor starts it again.
 * @returns the end of all workers
 */
function runTemporalWorkers(workers: Worker[], logger: Logger): Promise<unknown> {
  const running = Promise.all(workers.map((worker) => worker.run()));
  running.catch((error) => {
    logger.fatal({ err: error }, 'the worker stopped');
    process.exit(1);
  });
  return running;
}

/**
 * Stops Temporal's workers. The activities of sessions end with their sessions, so their worker is stopped
 * last.
 */
async function stopTemporalWorkers(workers: Worker[], sessions: HostedSessions | undefined): Promise<void> {
  const isHost = ({ options }: Worker) => options.taskQueue === sessions?.queue;
  for (const worker of workers) if (!isHost(worker)) worker.shutdown();
  await sessions?.close();
  for (const worker of workers) if (isHost(worker)) worker.shutdown();
}

/** Takes scrapes directly from an API on the same machine, where a socket is configured for that. */
async function startServingDirectStarts(
  config: WorkerConfig,
  scrapes: Scrapes,
  parts: { connection: NativeConnection; db: Database; health: HealthHandler; logger: Logger },
) {
  const { connection, db, health, logger } = parts;
  const { scrapeSocket: path, temporalAddress: address, temporalNamespace: namespace, secretKey } = config;
  const { temporalSecurity: security } = config;
  if (path === undefined || !config.workerRoles.includes('scrape')) return undefined;
  const temporal = new Temporal(connection, namespace);
  await waitForDependency(() => restartScrapes({ db, secretKey, temporal, logger }), logger);
  const finished = new FinishedScrapes({ address, security, namespace, logger });
  return serveDirectStarts({ path, scrapes, temporal, health, finished, logger });
}

/** Starts upkeep, and has backups written each day if the operator wants them. */
async function startRecurringWork(connection: NativeConnection, config: WorkerConfig): Promise<void> {
  const { temporalNamespace: namespace, backups } = config;
  await startUpkeep(connection, namespace);
  await scheduleBackups(connection, { namespace, isWanted: backups !== undefined });
}

/** Runs a worker: creates its dependencies once, then takes work until the process is asked to stop. */
async function runWorker(): Promise<RunningService> {
  const config = readWorkerConfig();
  const logger = createLogger('worker', config.logLevel);
  const spans = await startTracing(config, 'worker', logger);
  const temporalMetrics = await installTemporalRuntime(logger);
  const services = await connectServices(config, logger);
  const { bundle, chromium, documents, backups, connection, storage } = services;
  const { db } = storage;
  const browser = await startBrowser(config, chromium, logger);
  const { egress, proxy, pool } = browser;
  const threads = createThreadPools(config, logger);
  const workerId = uuidv7();
  const registry = createMetrics('worker');
  const models = createModelAccess(config, db, registry);
  const sessions = await startSessions(config, storage, {
    workerId,
    chromium,
    browser,
    models,
    registry,
    logger,
  });
  if (sessions) egress.ownPorts.add(toOwnAddress(sessions.url));
  const roles = config.workerRoles.filter((role) => role !== 'sessions' || sessions);
  const usage = new PageUsage(db, logger);
  const metrics = createScrapeMetrics(registry, (...page) => usage.count(...page));
  createWorkerMetrics(registry, {
    db,
    pool,
    renderer: threads.renderer,
    documents,
    backups,
  });
  egress.ownPorts.add({ host: '127.0.0.1', port: temporalMetrics.port });
  const schedules = openMonitorSchedules(connection, config.temporalNamespace);
  const parts = { browser, documents, threads, sessions, models, metrics, schedules, backups, logger };
  const { activities, scrapes, cache } = createWorkerActivities(config, storage, parts);
  const workers = await createTemporalWorkers({
    connection,
    namespace: config.temporalNamespace,
    bundle,
    roles,
    hostQueue: sessions?.queue,
    activities,
    db,
    logger,
  });
  const running = runTemporalWorkers(workers, logger);
  if (config.workerRoles.includes('scrape'))
    await waitForDependency(() => startRecurringWork(connection, config), logger);
  await pool.ready();
  const health = createHealth(listProbes({ storage, pool, connection, sessions }), {
    registry,
    moreMetrics: [() => temporalMetrics.read()],
    probeTimeoutMs: PROBE_TIMEOUT_MS,
  });
  const directStarts = await startServingDirectStarts(config, scrapes, { connection, db, health, logger });
  const presence = await startReportingPresence({
    db,
    worker: { id: workerId, roles, host: sessions },
    hasRoom: () => sessions?.host.hasRoom ?? false,
    countTasks: () => workers.reduce((sum, worker) => sum + worker.getStatus().numInFlightActivities, 0),
    isPolling: () => workers.every((worker) => worker.getState() === 'RUNNING'),
    onHosts: (urls) => egress.ownPorts.replaceOthers(urls.map(toOwnAddress)),
    logger,
  });
  const healthServer = await serveHealth(config, health, logger);
  return {
    logger,
    async stop() {
      healthServer?.close();
      await directStarts?.close();
      await presence.end();
      await stopTemporalWorkers(workers, sessions);
      await running;
      // The response to a scrape does not wait for its copy.
      await cache.drained();
      await usage
        .close()
        .catch((err) => logger.warn({ err }, 'the last counts of pages could not be stored'));
      const { renderer, remuxPool } = threads;
      await Promise.all([
        renderer.close(),
        remuxPool.close(),
        documents.close(),
        pool.close(),
        connection.close(),
      ]);
      await Promise.all([proxy.close(), egress.close(), db.close(), spans?.close()]);
    },
  };
}

/** The checks of what a worker depends on, by the name of each part. */
const listProbes = (parts: {
  storage: Storage;
  pool: Browser['pool'];
  connection: NativeConnection;
  sessions: HostedSessions | undefined;
}): Record<string, Probe> => ({
  database: parts.storage.db.ready,
  blobs: parts.storage.results.ready,
  browser: () => parts.pool.ready(),
  temporal: () => pingTemporal(parts.connection),
  ...(parts.sessions && { sessions: async () => parts.sessions?.host.ready() }),
});

/** The address of a host of browser sessions, whose URL always has a port. */
function toOwnAddress(hostUrl: string): OwnAddress {
  const { hostname, port } = new URL(hostUrl);
  return { host: hostname, port: Number(port) };
}

/** Serves `/ready`, `/health` and `/metrics` of this worker, if a port is configured for them. */
async function serveHealth({ workerPort: port, host }: WorkerConfig, health: HealthHandler, logger: Logger) {
  if (port === undefined) return undefined;
  const server = createServer((request, response) => {
    if (!health(request, response)) response.writeHead(404).end();
  });
  await listen(server, { port, host }, (error) =>
    logger.warn({ err: error }, 'the health of this worker could not be told to a client'),
  );
  return server;
}

await runProcess('worker', runWorker);
