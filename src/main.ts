import { join, resolve } from 'node:path';
import { openDirectoryPlace } from './backup/places/directory-place.ts';
import { requireBackupPlace } from './backup/places/require-place.ts';
import type { Config } from './config.ts';
import { messageOf, ServiceError } from './errors.ts';
import { findChromium } from './run/embedded/chromium.ts';
import { installLanguages } from './run/embedded/code-languages/install-languages.ts';
import { protectDataDirectory } from './run/embedded/data-directory.ts';
import {
  loadAdminKey,
  loadFirstTeamKey,
  loadSecretKey,
  loadTemporalPassword,
  type StoredKey,
} from './run/embedded/keys.ts';
import { findPortOwner, isPortFree } from './run/embedded/ports.ts';
import { startPostgres, stopLeftoverProcesses } from './run/embedded/start-postgres.ts';
import { InstanceProcesses } from './run/embedded/supervision/instance-processes.ts';
import { openLog } from './run/embedded/supervision/log-files.ts';
import {
  type DataDirectoryLock,
  type InstanceUrls,
  lockDataDirectory,
} from './run/embedded/supervision/run-file.ts';
import { planServiceProcess } from './run/embedded/supervision/service-process.ts';
import { installPackages } from './run/embedded/system-packages.ts';
import { canHaveOwnNetwork, OPEN_TEMPORAL } from './run/embedded/temporal/own-network.ts';
import { ensureTemporalBinary } from './run/embedded/temporal/temporal-binary.ts';
import { planTemporalServer, temporalAddress } from './run/embedded/temporal/temporal-server.ts';
import type { Progress } from './run/embedded/terminal-progress.ts';

/** Grace period of the API and the worker, which by themselves abort running work after 12 s. */
const STOP_GRACE_MS = 13_000;

/** The port of the API if any free one may be used: this one, or one above it. */
const FIRST_API_PORT = 3002;

/** A running instance: all processes of one machine. */
export interface Instance {
  urls: InstanceUrls;
  apiKey: StoredKey;
  /**
   * Stops every process in order; unfinished jobs continue at the next start.
   * @throws ServiceError `SERVICE_UNAVAILABLE` if a process may still run
   */
  stop(): Promise<void>;
}

/** Options of {@link startInstance}. */
export interface StartOptions {
  config: Config;
  progress: Progress;
  /** Port of the API instead of the configured one; 0 for any free port. */
  port?: number;
  /** Aborts the start; processes it has started are stopped before it rejects. */
  signal: AbortSignal;
  /** Kills every process immediately, at any time. */
  kill: AbortSignal;
}

/** State shared by the steps of a start. */
interface StartContext {
  config: Config;
  progress: Progress;
  lock: DataDirectoryLock;
  processes: InstanceProcesses;
  /** Aborted by the caller or by the first step that fails. */
  startAborter: AbortController;
}

/**
 * Starts everything on this machine: Temporal and Postgres unless a setting provides them, then a worker and
 * the API. A process that dies later is restarted.
 * @returns `undefined` when an instance already runs (or starts) on the same data directory
 * @throws ServiceError that says which process failed and why
 */
export async function startInstance(options: StartOptions): Promise<Instance | undefined> {
  const { progress } = options;
  const config = {
    ...options.config,
    dataDir: resolve(options.config.dataDir),
    cacheDir: resolve(options.config.cacheDir),
    port: options.port ?? options.config.port,
  };
  const lock = lockDataDirectory(config.dataDir);
  if (!lock) return undefined;

  const processes = new InstanceProcesses(lock, progress);
  options.kill.addEventListener('abort', () => processes.kill());
  // The caller's signal applies only during the start; a running instance is stopped in order.
  const startAborter = new AbortController();
  const abortStart = () => startAborter.abort(options.signal.reason);
  options.signal.addEventListener('abort', abortStart);
  if (options.signal.aborted) abortStart();

  try {
    const { urls, apiKey } = await startEverything({ config, progress, lock, processes, startAborter });
    return { urls, apiKey, stop: () => processes.stop() };
  } catch (error) {
    await processes.stop().catch((stopError) => progress.note(messageOf(stopError)));
    throw error;
  } finally {
    options.signal.removeEventListener('abort', abortStart);
  }
}

async function startEverything(start: StartContext): Promise<{ urls: InstanceUrls; apiKey: StoredKey }> {
  const { config, lock, startAborter } = start;
  await assertPortFree(config.port, config.host);
  await requireBackupDirectory(config);
  await stopLeftoverProcesses({ ...start, dataDir: config.dataDir });
  // The user of the embedded Postgres has to pass through, see `preparePostgres`.
  if (config.databaseUrl) protectDataDirectory(config.dataDir);
  const apiKey = loadFirstTeamKey(config);
  const secret = loadSecretKey(config);

  const [databaseUrl, temporal] = await allOrAbort(startAborter, [
    config.databaseUrl ?? startPostgres({ ...start, dataDir: config.dataDir, signal: startAborter.signal }),
    startTemporal(start),
    prepareBrowser(start),
  ]);
  const urls: InstanceUrls = {
    temporal: temporal.address,
    ...(temporal.uiUrl && { temporalUi: temporal.uiUrl }),
  };
  // The worker refuses to fetch from the API, so it has to know the port before the API has taken any.
  const port = config.port || (await start.processes.reservePort(FIRST_API_PORT));
  const ownPorts = [...config.ownPorts, ...(temporal.uiUrl ? [new URL(temporal.uiUrl).host] : [])];
  await startServiceProcesses(start, urls, {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporal.address,
    ...(temporal.uiUrl && { WINNOW_TEMPORAL_UI: config.temporalUi ?? temporal.uiUrl }),
    WINNOW_API_KEY: apiKey.value,
    WINNOW_ADMIN_KEY: loadAdminKey(config).value,
    WINNOW_SECRET_KEY: secret.value,
    WINNOW_DATA_DIR: config.dataDir,
    WINNOW_CACHE_DIR: config.cacheDir,
    ...scrapeSocket(config.dataDir),
    PORT: String(port),
    WINNOW_OWN_PORTS: ownPorts.join(','),
    // Shared with bin/winnow.js; it halves the start time of both processes.
    NODE_COMPILE_CACHE: join(config.cacheDir, 'compiled'),
  });
  lock.setUrls(urls);
  return { urls, apiKey };
}

/** Linux allows no longer paths of Unix sockets, in bytes. */
const MAX_SOCKET_PATH = 100;

/** The setting of the socket between API and worker. Without it, the API leaves all starts to Temporal. */
function scrapeSocket(dataDir: string): Record<string, string> {
  const path = join(dataDir, 'scrapes.sock');
  return Buffer.byteLength(path) > MAX_SOCKET_PATH ? {} : { WINNOW_SCRAPE_SOCKET: path };
}

/**
 * Starts the worker and the API.
 * @param urls receives the URL of the API
 * @param settings environment variables of both processes
 */
async function startServiceProcesses(
  { config, progress, processes, startAborter }: StartContext,
  urls: InstanceUrls,
  settings: Record<string, string>,
): Promise<void> {
  const shared = {
    settings,
    graceMs: STOP_GRACE_MS,
    onWarning: progress.note,
    onUrl(url: string) {
      urls.api = url;
      // A restarted API gets the same port, because clients keep its URL.
      settings.PORT = new URL(url).port || settings.PORT || '';
    },
  };
  const worker = planServiceProcess({
    ...shared,
    name: 'worker',
    title: 'the worker',
    entry: 'worker.ts',
    log: openLog(config.dataDir, 'worker'),
  });
  const api = planServiceProcess({
    ...shared,
    name: 'api',
    title: 'the API',
    entry: 'server.ts',
    log: openLog(config.dataDir, 'api'),
  });
  const { signal } = startAborter;
  await allOrAbort(startAborter, [processes.start(worker, signal), processes.start(api, signal)]);
}

/** A bucket is checked by the worker, because the supervisor would keep its library in memory. */
async function requireBackupDirectory({ backups }: Config): Promise<void> {
  if (backups === undefined || backups.startsWith('s3://')) return;
  await requireBackupPlace(openDirectoryPlace(resolve(backups)), (error) => {
    throw error;
  });
}

async function assertPortFree(port: number, host: string): Promise<void> {
  if (await isPortFree(port, host)) return;
  const owner = findPortOwner(port);
  throw new ServiceError(
    'SERVICE_UNAVAILABLE',
    `Port ${port} on ${host} is in use${owner ? ` by ${owner}` : ''}. Stop that program, or set PORT to another number.`,
  );
}

/** The `host:port` of Temporal, and the URL of its web interface if this start runs it. */
interface TemporalEndpoint {
  address: string;
  uiUrl?: string;
}

async function startTemporal(start: StartContext): Promise<TemporalEndpoint> {
  const { config, progress, processes, startAborter } = start;
  if (config.temporalAddress) return { address: config.temporalAddress };
  const { path: binary } = await ensureTemporalBinary(config.cacheDir, progress, startAborter.signal);
  const port = await processes.reservePort(7233);
  const uiPort = await processes.reservePort(8233);
  const password = (await canHaveOwnNetwork()) ? loadTemporalPassword(config.dataDir) : undefined;
  if (password === undefined) progress.note(OPEN_TEMPORAL);
  const plan = planTemporalServer({
    binary,
    dataDir: config.dataDir,
    namespace: config.temporalNamespace,
    port,
    uiPort,
    password,
  });
  await processes.start(plan, startAborter.signal);
  return { address: temporalAddress({ port, password }), uiUrl: `http://127.0.0.1:${uiPort}` };
}

/** Prepares the browser before the worker starts, so that the user sees the progress. */
async function prepareBrowser({ config, progress, startAborter }: StartContext): Promise<void> {
  const { cacheDir } = config;
  await installPackages({ cacheDir, progress, signal: startAborter.signal });
  // They are needed only by sessions with code in these languages, so nothing waits for them.
  void installLanguages({ cacheDir, progress, signal: startAborter.signal });
  await progress.step('Preparing the browser', () => findChromium(config));
}

/** Like Promise.all, but the first failure aborts the other tasks, which have settled before it is thrown. */
async function allOrAbort<T extends readonly unknown[]>(
  startAborter: AbortController,
  tasks: readonly [...T],
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  try {
    return await Promise.all(tasks);
  } catch (error) {
    startAborter.abort(error);
    await Promise.allSettled(tasks);
    throw error;
  }
}
