import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { postgresDir } from '../../src/run/embedded/postgres.ts';
import { stopOrphans } from '../../src/run/embedded/supervision/orphan-processes.ts';
import { type DataDirectoryLock, lockDataDirectory } from '../../src/run/embedded/supervision/run-file.ts';
import { TerminalProgress } from '../../src/run/embedded/terminal-progress.ts';
import type { ClusterOptions } from './options.ts';
import { type Services, startServices } from './services.ts';
import { type ClusterPart, createSupervisor } from './supervisor.ts';

/** A running cluster. A process that dies is restarted until the cluster is stopped. */
export interface Cluster extends Services {
  dataDir: string;
  /** The processes by name: `postgres`, `temporal`, `blobs` (with a bucket), `worker-1` …, `api-1` … */
  parts: Record<string, ClusterPart>;
  /** Stops an API or worker in order and starts it from another checkout. */
  replace(name: string, checkout: string): Promise<void>;
  /** Kills a process with SIGKILL. @throws Error if it is not running */
  kill(name: string): void;
  /** Resolves when the process is ready, at once if it is. */
  untilUp(name: string): Promise<void>;
  /** Stops all processes in order, and deletes the data unless `keepData` is set. */
  stop(options?: { keepData?: boolean }): Promise<void>;
}

/**
 * Starts the services of docker-compose.yml on loopback without containers: a Temporal server on Postgres,
 * API processes, workers. It reads the file and replaces only host names and paths.
 * @throws Error or ServiceError that names the process that could not be started
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const progress = options.progress ?? new TerminalProgress();
  const dataDir = resolve(options.dataDir ?? (await makeDataDir()));
  const run = lockDataDirectory(dataDir);
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
    const { planOf, ...started } = await startServices({ options, dataDir, supervisor, progress });
    run.setUrls({ api: started.url, temporal: started.temporalAddress });
    const { parts, kill, untilUp } = supervisor;
    const replace: Cluster['replace'] = (name, checkout) => supervisor.replace(planOf(name, checkout));
    return { ...started, dataDir, parts, replace, kill, untilUp, stop };
  } catch (error) {
    await stop({ keepData: options.dataDir !== undefined });
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', callOff);
  }
}

async function makeDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'winnow-cluster-'));
  // If this runs as root, Postgres runs as another user, who needs access to its directory below this one.
  await chmod(dataDir, 0o711);
  return dataDir;
}

async function clearLeftovers(run: DataDirectoryLock, dataDir: string): Promise<void> {
  await stopOrphans(run.previousChildren, {
    postgres: { program: 'postgres', argument: postgresDir(dataDir) },
  });
  for (const name of Object.keys(run.previousChildren)) run.setChild(name, undefined);
}
