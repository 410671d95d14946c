import { join, resolve } from 'node:path';
import type { Config } from './config.ts';
import { findChromium } from './embedded/chromium.ts';
import { obtainEngine } from './embedded/engine.ts';
import { firstTeamKey, type KeptKey, secretKey } from './embedded/keys.ts';
import { openLog } from './embedded/log-files.ts';
import { type NodePartOptions, planNodePart } from './embedded/node-part.ts';
import { endOrphans } from './embedded/orphans.ts';
import { Part, type PartPlan } from './embedded/part.ts';
import { type HeldPort, holdPort, isPortFree, portHolder } from './embedded/ports.ts';
import { postgresDir, preparePostgres } from './embedded/postgres.ts';
import type { Progress } from './embedded/progress.ts';
import { type InstanceUrls, type Run, takeRun } from './embedded/run-file.ts';
import { installPackages } from './embedded/system-packages.ts';
import { engineFile, planTemporal } from './embedded/temporal.ts';
import { ServiceError } from './errors.ts';

/** Who depends on whom: the API needs the others, everything needs Postgres. */
const STOP_ORDER = ['api', 'worker', 'temporal', 'postgres'];
/** The roles cut off what is under way after 12 s by themselves. */
const DRAIN_MS = 13_000;

/** Everything of one machine, running. */
export interface Instance {
  urls: InstanceUrls;
  apiKey: KeptKey;
  /** Ends every part in order; what was under way goes on at the next start. */
  stop(): Promise<void>;
}

/** How an instance is started. */
export interface StartOptions {
  config: Config;
  progress: Progress;
  /** Port of the API instead of the configured one; 0 is any free one. */
  port?: number;
  /** Calls the start off; what it started is ended before it rejects. */
  signal: AbortSignal;
  /** Ends every part at once, at any time. */
  kill: AbortSignal;
}

/** What the steps of a start share. */
interface Start {
  config: Config;
  progress: Progress;
  /** Aborted by whoever calls the start off, and by the first part that fails. */
  calledOff: AbortController;
  run: Run;
  startPart(plan: PartPlan): Promise<void>;
  /** A port that stays this instance's until it stops. */
  choosePort(preferred: number): Promise<number>;
}

/**
 * Starts everything on this machine: the engine and the database unless they are given by a setting, then a worker
 * and the API. A part that dies later is started again.
 * @returns `undefined` when an instance runs (or starts) on the same data already
 * @throws ServiceError that says which part failed and how
 */
export async function startInstance(options: StartOptions): Promise<Instance | undefined> {
  const { dataDir, cacheDir } = options.config;
  const port = options.port ?? options.config.port;
  const config = { ...options.config, dataDir: resolve(dataDir), cacheDir: resolve(cacheDir), port };
  const run = takeRun(config.dataDir);
  if (!run) return undefined;

  const parts: Part[] = [];
  options.kill.addEventListener('abort', () => {
    for (const part of parts) part.kill();
  });
  // Only while it starts: later on the parts are stopped in order.
  const calledOff = new AbortController();
  const callOff = () => calledOff.abort(options.signal.reason);
  options.signal.addEventListener('abort', callOff);
  if (options.signal.aborted) callOff();
  const { signal } = calledOff;

  const startPart = async (plan: PartPlan) => {
    signal.throwIfAborted();
    const part = new Part(plan, {
      onProcess: (child) => run.setChild(plan.name, child),
      onNews: options.progress.note,
    });
    parts.push(part);
    signal.addEventListener('abort', () => void part.stop(), { once: true });
    await options.progress.step(`Starting ${plan.title}`, () => part.start());
  };
  const held: HeldPort[] = [];
  const choosePort = async (preferred: number) => {
    const port = await holdPort(preferred);
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

async function startEverything(start: Start): Promise<{ urls: InstanceUrls; apiKey: KeptKey }> {
  const { config, progress, run, calledOff } = start;
  await requireFreePort(config.port, config.host);
  await clearLeftovers(start);
  const apiKey = firstTeamKey(config);
  const secret = secretKey(config);

  const [databaseUrl, temporal] = await allOrAbort(calledOff, [
    config.databaseUrl ?? startPostgres(start),
    config.temporalAddress ? placeOf(config.temporalAddress) : startTemporal(start),
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
    // The same as the entry uses: the roles start in half the time.
    NODE_COMPILE_CACHE: join(config.cacheDir, 'compiled'),
  };
  const urls: InstanceUrls = {
    temporal: temporal.address,
    ...(temporal.uiUrl && { temporalUi: temporal.uiUrl }),
  };
  const role = (name: string, title: string, entry: string): NodePartOptions => ({
    ...{ name, title, entry, settings },
    log: openLog(config.dataDir, name),
    graceMs: DRAIN_MS,
    onWarning: progress.note,
    onUrl(url) {
      urls.api = url;
      // A port that was picked stays: clients hold the address when the API is started again.
      settings.PORT = new URL(url).port || settings.PORT || '';
    },
  });
  await allOrAbort(calledOff, [
    start.startPart(planNodePart(role('worker', 'the worker', 'worker.ts'))),
    start.startPart(planNodePart(role('api', 'the API', 'server.ts'))),
  ]);
  run.setUrls(urls);
  return { urls, apiKey };
}

async function requireFreePort(port: number, host: string): Promise<void> {
  if (await isPortFree(port, host)) return;
  const holder = portHolder(port);
  throw new ServiceError(
    'SERVICE_UNAVAILABLE',
    `Port ${port} on ${host} is taken${holder ? ` by ${holder}` : ''}. End that program, or set PORT to another number.`,
  );
}

async function clearLeftovers({ config, progress, run }: Start): Promise<void> {
  const ended = await progress.step('Ending what an earlier start left running', () =>
    endOrphans(run.leftBehind, {
      temporal: { program: 'temporal', argument: engineFile(config.dataDir) },
      postgres: { program: 'postgres', argument: postgresDir(config.dataDir) },
    }),
  );
  if (ended.length)
    progress.note(`An earlier start was killed; ended what it left running: ${ended.join(', ')}.`);
  for (const name of Object.keys(run.leftBehind)) run.setChild(name, undefined);
}

/** Where the engine answers; the interface only of one that we started. */
interface TemporalPlace {
  address: string;
  uiUrl?: string;
}
const placeOf = (address: string): TemporalPlace => ({ address });

async function startPostgres({ config, progress, startPart, choosePort }: Start): Promise<string> {
  const { dataDir, cacheDir } = config;
  const port = await choosePort(5432);
  const { plan, url } = await progress.step('Preparing Postgres', () =>
    preparePostgres({ dataDir, cacheDir, port }),
  );
  await startPart(plan);
  return url;
}

async function startTemporal(start: Start): Promise<TemporalPlace> {
  const { config, progress, calledOff, startPart, choosePort } = start;
  const { path: binary } = await obtainEngine(config.cacheDir, progress, calledOff.signal);
  const [port, uiPort] = [await choosePort(7233), await choosePort(8233)];
  await startPart(
    planTemporal({ binary, dataDir: config.dataDir, namespace: config.temporalNamespace, port, uiPort }),
  );
  return { address: `127.0.0.1:${port}`, uiUrl: `http://127.0.0.1:${uiPort}` };
}

/** Everything the worker would otherwise wait for in silence. */
async function prepareBrowser({ config, progress, calledOff }: Start): Promise<void> {
  await installPackages({ cacheDir: config.cacheDir, progress, signal: calledOff.signal });
  await progress.step('Preparing the browser', () => findChromium(config));
}

/** Like Promise.all, but the first failure calls the others off, and they have ended before it is thrown. */
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
