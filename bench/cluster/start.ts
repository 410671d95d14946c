import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { endOrphans } from '../../src/embedded/orphans.ts';
import { postgresDir } from '../../src/embedded/postgres.ts';
import { openProgress, type Progress } from '../../src/embedded/progress.ts';
import { type Run, takeRun } from '../../src/embedded/run-file.ts';
import { startServices } from './services.ts';
import { type ClusterPart, createSupervisor } from './supervisor.ts';

/** How a cluster is started. */
export interface ClusterOptions {
  /** Where everything is kept; a temporary directory when not given. */
  dataDir?: string | undefined;
  /** Variables of docker-compose.yml, as its `.env` would have them; keys and passwords are made when not given. */
  env?: Record<string, string>;
  /** How many API processes; 2. */
  apis?: number;
  /** WINNOW_WORKER_ROLES of each worker, empty for all roles; by default three workers with one role each. */
  workers?: string[];
  /** Blobs in a bucket, as in docker-compose.yml; else in a directory that all share. */
  bucket?: boolean;
  /** Where news of the parts are told; stderr when not given. */
  progress?: Progress;
  /** Calls the start off; what it started is ended before it rejects. */
  signal?: AbortSignal;
  /** Ends every part at once, at any time. */
  kill?: AbortSignal;
}

/** A running cluster: a part that dies is started again until it is stopped. */
export interface Cluster {
  /** Of the first API. */
  url: string;
  /** Of every API. */
  urls: string[];
  /** Of the first team. */
  key: string;
  dataDir: string;
  /** `host:port` of Temporal. */
  temporalAddress: string;
  /** Where each API and worker answers `/ready` and `/metrics`. */
  healthUrls: Record<string, string>;
  /** `postgres`, `temporal`, `blobs` (a bucket), `worker-1` …, `api-1` … */
  parts: Record<string, ClusterPart>;
  /** Ends the process of a part with SIGKILL. @throws Error when it is down */
  kill(name: string): void;
  /** Resolves when the part serves, at once if it does now. */
  untilUp(name: string): Promise<void>;
  /** Ends it in order; data stay when asked. */
  stop(options?: { keepData?: boolean }): Promise<void>;
}

/**
 * Starts on loopback what docker-compose.yml describes, without containers: Temporal's server on Postgres, API
 * processes, workers. The file is read for it; only addresses and paths are others.
 * @throws Error or ServiceError that says what could not be started
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const progress = options.progress ?? openProgress();
  const dataDir = resolve(options.dataDir ?? (await makeDataDir()));
  const run = takeRun(dataDir);
  if (!run) throw new Error(`A cluster runs on ${dataDir} already. Stop it, or choose another directory.`);
  await clearLeftovers(run, dataDir);
  const supervisor = createSupervisor({ run, progress });
  const { killAll } = supervisor;
  process.once('exit', killAll);
  options.kill?.addEventListener('abort', killAll);
  const callOff = () => void supervisor.stop();
  options.signal?.addEventListener('abort', callOff);

  const stop: Cluster['stop'] = async ({ keepData = false } = {}) => {
    await supervisor.stop();
    process.off('exit', killAll);
    options.kill?.removeEventListener('abort', killAll);
    run.release();
    if (!keepData) await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const started = await startServices({ options, dataDir, supervisor, progress });
    run.setUrls({ api: started.url, temporal: started.temporalAddress });
    const { parts, kill, untilUp } = supervisor;
    return { ...started, dataDir, parts, kill, untilUp, stop };
  } catch (error) {
    await stop({ keepData: options.dataDir !== undefined });
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', callOff);
  }
}

async function makeDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'winnow-cluster-'));
  // As root, Postgres runs as another user, who must get through.
  await chmod(dataDir, 0o711);
  return dataDir;
}

async function clearLeftovers(run: Run, dataDir: string): Promise<void> {
  await endOrphans(run.leftBehind, { postgres: { program: 'postgres', argument: postgresDir(dataDir) } });
  for (const name of Object.keys(run.leftBehind)) run.setChild(name, undefined);
}
