import { createServer } from 'node:http';
import { availableParallelism } from 'node:os';
import { Runtime, type Worker } from '@temporalio/worker';
import type { Registry } from 'prom-client';
import { v7 as uuidv7 } from 'uuid';
import { createActivities } from './activities/index.ts';
import { createScrapes, type Scrapes } from './activities/scrape/scrape.ts';
import { readConfig } from './config.ts';
import { createDocumentConverter } from './content/parsers/conversion/document-converter.ts';
import { createRenderPool } from './content/rendering/render-pool.ts';
import { ServiceError } from './errors.ts';
import { createProfiles } from './fetch/browser/browser-profile.ts';
import { BrowserPool } from './fetch/browser/chromium/browser-pool.ts';
import { launchChromium } from './fetch/browser/chromium/launch-chromium.ts';
import { MAX_LOADING_PAGES, MAX_OPEN_PAGES } from './fetch/browser/chromium/open-pages.ts';
import { openAdBlocker } from './fetch/browser/network/ad-blocker.ts';
import { type BrowserEngineDeps, createBrowserEngine } from './fetch/engines/browser-engine.ts';
import { createDocumentReader } from './fetch/engines/document-reader.ts';
import { createHttpEngine } from './fetch/engines/http-engine.ts';
import { createEngines } from './fetch/engines/index.ts';
import { createPageCache } from './fetch/engines/page-cache.ts';
import { createReplay } from './fetch/engines/replay.ts';
import { createUploadEngine } from './fetch/engines/upload-engine.ts';
import { createMediaExtractor } from './fetch/media/extractor.ts';
import { findYtDlp } from './fetch/media/yt-dlp.ts';
import { createEgress } from './fetch/net/egress.ts';
import { startEgressProxy } from './fetch/net/egress-proxy.ts';
import { USER_AGENT } from './fetch/net/user-agent.ts';
import { createChangeTracker } from './jobs/change-history/change-tracker.ts';
import { createLinkFilterCache } from './jobs/crawl/link-filter-cache.ts';
import { createRobotsCache } from './jobs/crawl/robots/robots-cache.ts';
import { serveDirectStarts } from './jobs/direct-start/server.ts';
import type { Models } from './models/index.ts';
import { findChromium } from './run/embedded/chromium.ts';
import { createModelAccess } from './run/process/create-models.ts';
import { type HostedSessions, hostSessions } from './run/process/host-sessions.ts';
import { migrateDatabase } from './run/process/migrate-database.ts';
import { restartScrapes } from './run/process/restart-scrapes.ts';
import { type RunningService, runProcess } from './run/process/run-process.ts';
import { waitForDependency } from './run/process/wait-for-dependency.ts';
import { startReportingPresence } from './run/process/worker-presence.ts';
import { createSessionMetrics } from './sessions/session-metrics.ts';
import { listDataDirectories, watchDiskSpace } from './storage/blobs/disk-space.ts';
import { openBlobs } from './storage/blobs/index.ts';
import { openDatabase } from './storage/db/client.ts';
import { openJobResults } from './storage/job-results.ts';
import { createHealth, createMetrics, type Probe } from './system/health.ts';
import { createLogger, type Logger } from './system/logger.ts';
import { connectTemporal, pingTemporal } from './temporal/connection.ts';
import { FinishedScrapes } from './temporal/finished-scrapes.ts';
import { collectLogsPatiently, temporalLogger } from './temporal/logger.ts';
import { prepareNamespace } from './temporal/namespace.ts';
import { createTemporalWorkers } from './temporal/workers.ts';
import { workflowBundle } from './temporal/workflow-bundle.ts';
import { startUpkeep, Temporal } from './temporal/workflow-client.ts';

/** Memory limit of a rendering thread in MB. A page that needs more is rejected. */
const THREAD_MEMORY_MB = 512;
/**
 * Maximum number of audio and video files that are read at once. Reading mostly waits for the disk, or for
 * more of a playlist.
 */
const MAX_MEDIA_THREADS = 4;

/** The configuration of a worker, in which the external services and the secret key are set. */
function readWorkerConfig() {
  const config = readConfig();
  const { databaseUrl, temporalAddress, secretKey } = config;
  if (!databaseUrl || !temporalAddress || !secretKey) {
    throw new ServiceError(
      'BAD_REQUEST',
      'The worker needs DATABASE_URL, TEMPORAL_ADDRESS and WINNOW_SECRET_KEY. `npm start` sets them by itself.',
    );
  }
  return { ...config, databaseUrl, temporalAddress, secretKey, userAgent: config.userAgent ?? USER_AGENT };
}

type WorkerConfig = ReturnType<typeof readWorkerConfig>;

/** Connects to the external services, and waits for those that are not available yet. */
async function connectServices(config: WorkerConfig, logger: Logger) {
  const [bundle, chromium, documents, connection] = await Promise.all([
    workflowBundle(config.cacheDir),
    findChromium(config),
    createDocumentConverter({
      ...config,
      processes: availableParallelism(),
      storesCompiledCode: true,
      logger,
    }),
    waitForDependency(() => connectTemporal(config.temporalAddress), logger),
  ]);
  const db = openDatabase(config.databaseUrl, (error) =>
    logger.warn({ err: error }, 'database connection lost'),
  );
  const [results, cacheBlobs, versionBlobs, uploads] = await Promise.all([
    openJobResults(config.blobs, db),
    openBlobs(config.blobs, 'cache'),
    openBlobs(config.blobs, 'versions'),
    openBlobs(config.blobs, 'uploads'),
    migrateDatabase(db, logger),
    waitForDependency(() => prepareNamespace(connection, config.temporalNamespace), logger),
  ]);
  return { bundle, chromium, documents, connection, db, results, cacheBlobs, versionBlobs, uploads };
}

type Services = Awaited<ReturnType<typeof connectServices>>;

/** Starts the network access of this process and its browser. */
async function startBrowser(config: WorkerConfig, { chromium }: Services, logger: Logger) {
  const egress = createEgress({
    allowPrivate: config.allowPrivate,
    dns: config.dns,
    proxies: {
      ...config.proxies,
      onFault: ({ proxy, restMs, error }) =>
        logger.warn({ err: error, proxy, restMs }, 'proxy failed and is not used for a while'),
    },
  });
  const proxy = await startEgressProxy(egress);
  const pool = new BrowserPool({
    launch: () => launchChromium({ executablePath: chromium.path, proxyUrl: proxy.url, logger }),
    contexts: MAX_OPEN_PAGES,
    loading: MAX_LOADING_PAGES,
    sharesContexts: config.sharesBrowserCache,
    logger,
  });
  const adBlocker = await openAdBlocker({ directory: config.adLists, cacheDir: config.cacheDir, logger });
  return { egress, proxy, pool, adBlocker };
}

type Browser = Awaited<ReturnType<typeof startBrowser>>;

/** Creates the threads that render pages, and those that extract audio and video. */
function createThreadPools({ markdownConverter }: WorkerConfig, logger: Logger) {
  const renderer = createRenderPool({
    threads: availableParallelism(),
    maxMemoryMb: THREAD_MEMORY_MB,
    markdownConverter,
    onFault: (error) => logger.warn({ err: error }, 'a rendering thread ended'),
  });
  const remuxPool = createRenderPool({
    threads: MAX_MEDIA_THREADS,
    warm: false,
    maxMemoryMb: THREAD_MEMORY_MB,
    onFault: (error) => logger.warn({ err: error }, 'a thread for audio and video ended'),
  });
  return { renderer, remuxPool };
}

/** The dependencies of opening pages in a browser, of the pool or of a session. */
const browserEngineDeps = (
  { secretKey, userAgent, maxBodyBytes }: WorkerConfig,
  { db, results }: Services,
  { browser: { egress, proxy, adBlocker }, logger }: { browser: Browser; logger: Logger },
): Omit<BrowserEngineDeps, 'pool'> => ({
  egress,
  proxy,
  blobs: results,
  userAgent,
  maxBodyBytes,
  adBlocker,
  profiles: createProfiles({ db, secretKey, logger }),
});

/** Creates the ways to fetch a page. */
function createPageEngines(
  config: WorkerConfig,
  services: Services,
  { browser, logger }: { browser: Browser; logger: Logger },
) {
  const { secretKey, userAgent, maxBodyBytes } = config;
  const { db, results, cacheBlobs, uploads, documents } = services;
  const { egress, pool } = browser;
  return createEngines({
    http: createHttpEngine({ egress, userAgent, maxBodyBytes }),
    browser: createBrowserEngine({ ...browserEngineDeps(config, services, { browser, logger }), pool }),
    proxies: egress.upstreams,
    upload: createUploadEngine({ db, uploads, secretKey }),
    convertIfDocument: createDocumentReader({ convert: documents.convert, blobs: results }),
    cache: createPageCache({ db, blobs: cacheBlobs, results }),
  });
}

/** Creates all activities with their dependencies, and the scrapes of this process. */
function createWorkerActivities(
  config: WorkerConfig,
  services: Services,
  parts: {
    browser: Browser;
    threads: ReturnType<typeof createThreadPools>;
    sessions: HostedSessions | undefined;
    models: Models | undefined;
    logger: Logger;
  },
) {
  const { db, results, cacheBlobs, versionBlobs, uploads } = services;
  const { browser, threads, sessions, models, logger } = parts;
  const { renderer, remuxPool } = threads;
  const { egress, proxy } = browser;
  const { userAgent, trackingTtlMs } = config;
  const robotsCache = createRobotsCache({ db, egress, userAgent, token: config.robotsToken });
  const deps = {
    db,
    results,
    cacheBlobs,
    versionBlobs,
    uploads,
    egress,
    renderer,
    sessions,
    logger,
    userAgent,
    trackingTtlMs,
    engines: createPageEngines(config, services, { browser, logger }),
    media: createMediaExtractor({
      egress,
      proxy,
      renderer,
      remuxPool,
      blobs: results,
      userAgent,
      maxBytes: config.maxMediaBytes,
      ytDlp: findYtDlp(config.ytDlp),
    }),
    linkFilters: createLinkFilterCache({ db, robotsCache, maxRobotsWaitMs: config.maxRobotsWaitMs }),
    storage: watchDiskSpace(listDataDirectories(config), config.minFreeBytes),
    models,
    tracker: createChangeTracker({ db, versionBlobs, renderer, trackingTtlMs }),
    indexesPages: config.maxIndexedPages > 0,
    maxIndexedPages: config.maxIndexedPages,
    searxngUrl: config.searxngUrl,
    resultTtlMs: config.resultTtlMs,
    cacheTtlMs: config.cacheTtlMs,
    cacheMaxBytes: config.cacheMaxBytes,
    secretKey: config.secretKey,
    requestsPerHost: config.requestsPerHost,
    browserPages: MAX_OPEN_PAGES,
  };
  const scrapes = createScrapes(deps);
  return { scrapes, activities: createActivities({ ...deps, scrapes }) };
}

/**
 * Installs Temporal's native library: it logs to our log, and leaves signals to us. It must precede its other
 * use.
 */
function installTemporalRuntime(logger: Logger): void {
  collectLogsPatiently();
  Runtime.install({
    logger: temporalLogger(logger),
    shutdownSignals: [],
    telemetryOptions: { logging: { forward: {}, filter: { core: 'WARN', other: 'WARN' } } },
  });
}

/**
 * Starts hosting browser sessions, if this worker has the role for it and the machine allows their sandboxes.
 */
async function startSessions(
  config: WorkerConfig,
  services: Services,
  parts: {
    workerId: string;
    browser: Browser;
    models: Models | undefined;
    registry: Registry;
    logger: Logger;
  },
): Promise<HostedSessions | undefined> {
  const { workerId, browser, models, registry, logger } = parts;
  const { db } = services;
  const metrics = createSessionMetrics(registry);
  if (!config.workerRoles.includes('sessions')) return undefined;
  return hostSessions({
    ...config,
    workerId,
    db,
    logger,
    metrics,
    models,
    executablePath: services.chromium.path,
    serveProxy: browser.proxy.serve,
    replay: createReplay(browserEngineDeps(config, services, { browser, logger })),
    profiles: createProfiles({
      db,
      secretKey: config.secretKey,
      logger,
      onSave({ outcome, durationMs, bytes }) {
        metrics.profileSaveSeconds.observe({ outcome }, durationMs / 1000);
        if (bytes !== undefined) metrics.profileBytes.observe(bytes);
      },
    }),
  });
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
async function startScrapeServer(
  config: WorkerConfig,
  scrapes: Scrapes,
  { services: { connection, db }, logger }: { services: Services; logger: Logger },
) {
  const { scrapeSocket: path, temporalAddress: address, temporalNamespace: namespace, secretKey } = config;
  if (path === undefined || !config.workerRoles.includes('scrape')) return undefined;
  const temporal = new Temporal(connection, namespace);
  await waitForDependency(() => restartScrapes({ db, secretKey, temporal, logger }), logger);
  const finished = new FinishedScrapes({ address, namespace, logger });
  return serveDirectStarts({ path, scrapes, temporal, finished, logger });
}

/** Runs a worker: creates its dependencies once, then takes work until the process is asked to stop. */
async function runWorker(): Promise<RunningService> {
  const config = readWorkerConfig();
  const logger = createLogger('worker', config.logLevel);
  installTemporalRuntime(logger);
  const services = await connectServices(config, logger);
  const { connection, db, results } = services;
  const browser = await startBrowser(config, services, logger);
  const { egress, proxy, pool } = browser;
  const threads = createThreadPools(config, logger);
  const workerId = uuidv7();
  const registry = createMetrics('worker');
  const models = createModelAccess(config, db);
  const sessions = await startSessions(config, services, { workerId, browser, models, registry, logger });
  const roles = config.workerRoles.filter((role) => role !== 'sessions' || sessions);
  const parts = { browser, threads, sessions, models, logger };
  const { activities, scrapes } = createWorkerActivities(config, services, parts);
  const workers = await createTemporalWorkers({
    connection,
    namespace: config.temporalNamespace,
    bundle: services.bundle,
    roles,
    hostQueue: sessions?.queue,
    activities,
    db,
    logger,
  });
  const running = runTemporalWorkers(workers, logger);
  if (config.workerRoles.includes('scrape'))
    await waitForDependency(() => startUpkeep(connection, config.temporalNamespace), logger);
  await pool.ready();
  const scrapeServer = await startScrapeServer(config, scrapes, { services, logger });
  const presence = await startReportingPresence({
    db,
    worker: { id: workerId, roles, host: sessions },
    hasRoom: () => sessions?.host.hasRoom ?? false,
    isPolling: () => workers.every((worker) => worker.getState() === 'RUNNING'),
    logger,
  });
  const health = serveHealth(config, registry, {
    database: db.ready,
    blobs: results.ready,
    browser: () => pool.ready(),
    temporal: () => pingTemporal(connection),
    ...(sessions && { sessions: () => sessions.host.ready() }),
  });
  return {
    async stop() {
      health?.close();
      await scrapeServer?.close();
      await presence.end();
      await stopTemporalWorkers(workers, sessions);
      await running;
      const { renderer, remuxPool } = threads;
      await Promise.all([
        renderer.close(),
        remuxPool.close(),
        services.documents.close(),
        pool.close(),
        connection.close(),
      ]);
      await Promise.all([proxy.close(), egress.close(), db.close()]);
    },
  };
}

/** Serves `/ready`, `/health` and `/metrics` of this worker, if a port is configured for them. */
function serveHealth({ workerPort, host }: WorkerConfig, registry: Registry, probes: Record<string, Probe>) {
  if (workerPort === undefined) return undefined;
  const health = createHealth(probes, registry);
  return createServer((request, response) => {
    if (!health(request, response)) response.writeHead(404).end();
  }).listen(workerPort, host);
}

await runProcess('worker', runWorker);
