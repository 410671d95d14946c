import { join, resolve } from 'node:path';
import type { Config } from './config.ts';
import { findChromium } from './embedded/chromium.ts';
import { loadFirstTeamKey, loadSecretKey, type StoredKey } from './embedded/keys.ts';
import { findPortOwner, isPortFree, type ReservedPort, reservePort } from './embedded/ports.ts';
import { postgresDir, preparePostgres } from './embedded/postgres.ts';
import { openLog } from './embedded/supervision/log-files.ts';
import { stopOrphans } from './embedded/supervision/orphan-processes.ts';
import {
  type DataDirectoryLock,
  type InstanceUrls,
  lockDataDirectory,
} from './embedded/supervision/run-file.ts';
import { planServiceProcess, type ServiceProcessOptions } from './embedded/supervision/service-process.ts';
import { type ProcessPlan, SupervisedProcess } from './embedded/supervision/supervised-process.ts';
import { installPackages } from './embedded/system-packages.ts';
import { ensureTemporalBinary } from './embedded/temporal/temporal-binary.ts';
import { planTemporalServer, temporalDatabaseFile } from './embedded/temporal/temporal-server.ts';
import type { Progress } from './embedded/terminal-progress.ts';
import { ServiceError } from './errors.ts';

/** Processes are stopped in this order, because the API depends on the others, and all of them on Postgres. */
const STOP_ORDER = ['api', 'worker', 'temporal', 'postgres'];
/** Grace period of the API and the worker, which by themselves abort running work after 12 s. */
const STOP_GRACE_MS = 13_000;

/** A running instance: all processes of one machine. */
export interface Instance {
  urls: InstanceUrls;
  apiKey: StoredKey;
  /** Stops every process in order; unfinished jobs continue at the next start. */
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
  /** Aborted by the caller or by the first step that fails. */
  calledOff: AbortController;
  run: DataDirectoryLock;
  startPart(plan: ProcessPlan): Promise<void>;
  /** Reserves a port until the instance stops. */
  choosePort(preferred: number): Promise<number>;
}

/**
 * Starts everything on this machine: Temporal and Postgres unless a setting provides them, then a worker and the API.
 * A process that dies later is restarted.
 * @returns `undefined` when an instance already runs (or starts) on the same data directory
 * @throws ServiceError that says which process failed and why
 */
export async function startInstance(options: StartOptions): Promise<Instance | undefined> {
  const { dataDir, cacheDir } = options.config;
  const port = options.port ?? options.config.port;
  const config = { ...options.config, dataDir: resolve(dataDir), cacheDir: resolve(cacheDir), port };
  const run = lockDataDirectory(config.dataDir);
  if (!run) return undefined;

  const parts: SupervisedProcess[] = [];
  options.kill.addEventListener('abort', () => {
    for (const part of parts) part.kill();
  });
  // Applies only during the start; a running instance is stopped in order.
  const calledOff = new AbortController();
  const callOff = () => calledOff.abort(options.signal.reason);
  options.signal.addEventListener('abort', callOff);
  if (options.signal.aborted) callOff();
  const { signal } = calledOff;

  const startPart = async (plan: ProcessPlan) => {
    signal.throwIfAborted();
    const part = new SupervisedProcess(plan, {
      onProcess: (child) => run.setChild(plan.name, child),
      onNotice: options.progress.note,
    });
    parts.push(part);
    signal.addEventListener('abort', () => void part.stop(), { once: true });
    await options.progress.step(`Starting ${plan.title}`, () => part.start());
  };
  const held: ReservedPort[] = [];
  const choosePort = async (preferred: number) => {
    const port = await reservePort(preferred);
    held.push(port);
    return port.port;
  };
  const stop = async () => {
    for (const name of STOP_ORDER) await parts.find(({ plan }) => plan.name === name)?.stop();
    for (const port of held) port.release();
    run.release();
  };
  try {
    return {
      ...(await startEverything({
        ...{ config, progress: options.progress, calledOff, run },
        ...{ startPart, choosePort },
      })),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    options.signal.removeEventListener('abort', callOff);
  }
}

async function startEverything(start: StartContext): Promise<{ urls: InstanceUrls; apiKey: StoredKey }> {
  const { config, progress, run, calledOff } = start;
  await assertPortFree(config.port, config.host);
  await stopLeftoverProcesses(start);
  const apiKey = loadFirstTeamKey(config);
  const secret = loadSecretKey(config);

  const [databaseUrl, temporal] = await allOrAbort(calledOff, [
    config.databaseUrl ?? startPostgres(start),
    config.temporalAddress ? endpointOf(config.temporalAddress) : startTemporal(start),
    prepareBrowser(start),
  ]);
  const settings: Record<string, string> = {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporal.address,
    WINNOW_API_KEY: apiKey.value,
    WINNOW_SECRET_KEY: secret.value,
    WINNOW_DATA_DIR: config.dataDir,
    WINNOW_CACHE_DIR: config.cacheDir,
    PORT: String(config.port),
    // Shared with bin/winnow.js; it halves the start time of both processes.
    NODE_COMPILE_CACHE: join(config.cacheDir, 'compiled'),
  };
  const urls: InstanceUrls = {
    temporal: temporal.address,
    ...(temporal.uiUrl && { temporalUi: temporal.uiUrl }),
  };
  const role = (name: string, title: string, entry: string): ServiceProcessOptions => ({
    ...{ name, title, entry, settings },
    log: openLog(config.dataDir, name),
    graceMs: STOP_GRACE_MS,
    onWarning: progress.note,
    onUrl(url) {
      urls.api = url;
      // A restarted API gets the same port, because clients keep its URL.
      settings.PORT = new URL(url).port || settings.PORT || '';
    },
  });
  await allOrAbort(calledOff, [
    start.startPart(planServiceProcess(role('worker', 'the worker', 'worker.ts'))),
    start.startPart(planServiceProcess(role('api', 'the API', 'server.ts'))),
  ]);
  run.setUrls(urls);
  return { urls, apiKey };
}

async function assertPortFree(port: number, host: string): Promise<void> {
  if (await isPortFree(port, host)) return;
  const holder = findPortOwner(port);
  throw new ServiceError(
    'SERVICE_UNAVAILABLE',
    `Port ${port} on ${host} is taken${holder ? ` by ${holder}` : ''}. End that program, or set PORT to another number.`,
  );
}

async function stopLeftoverProcesses({ config, progress, run }: StartContext): Promise<void> {
  const ended = await progress.step('Stopping processes left over from an earlier start', () =>
    stopOrphans(run.previousChildren, {
      temporal: { program: 'temporal', argument: temporalDatabaseFile(config.dataDir) },
      postgres: { program: 'postgres', argument: postgresDir(config.dataDir) },
    }),
  );
  if (ended.length)
    progress.note(`An earlier start was killed; stopped the processes it left running: ${ended.join(', ')}.`);
  for (const name of Object.keys(run.previousChildren)) run.setChild(name, undefined);
}

/** The address of Temporal, and the URL of its web interface if we started it. */
interface TemporalEndpoint {
  address: string;
  uiUrl?: string;
}
const endpointOf = (address: string): TemporalEndpoint => ({ address });

async function startPostgres({ config, progress, startPart, choosePort }: StartContext): Promise<string> {
  const { dataDir, cacheDir } = config;
  const port = await choosePort(5432);
  const { plan, url } = await progress.step('Preparing Postgres', () =>
    preparePostgres({ dataDir, cacheDir, port }),
  );
  await startPart(plan);
  return url;
}

async function startTemporal(start: StartContext): Promise<TemporalEndpoint> {
  const { config, progress, calledOff, startPart, choosePort } = start;
  const { path: binary } = await ensureTemporalBinary(config.cacheDir, progress, calledOff.signal);
  const [port, uiPort] = [await choosePort(7233), await choosePort(8233)];
  await startPart(
    planTemporalServer({
      binary,
      dataDir: config.dataDir,
      namespace: config.temporalNamespace,
      port,
      uiPort,
    }),
  );
  return { address: `127.0.0.1:${port}`, uiUrl: `http://127.0.0.1:${uiPort}` };
}

/** Prepares the browser before the worker starts, so that the user sees the progress. */
async function prepareBrowser({ config, progress, calledOff }: StartContext): Promise<void> {
  await installPackages({ cacheDir: config.cacheDir, progress, signal: calledOff.signal });
  await progress.step('Preparing the browser', () => findChromium(config));
}

/** Like Promise.all, but the first failure aborts the other tasks, which have settled before it is thrown. */
async function allOrAbort<T extends readonly unknown[]>(
  calledOff: AbortController,
  tasks: readonly [...T],
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  try {
    return await Promise.all(tasks);
  } catch (error) {
    calledOff.abort(error);
    await Promise.allSettled(tasks);
    throw error;
  }
}
