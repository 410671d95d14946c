import { existsSync } from 'node:fs';
import { ServiceError } from '../../errors.ts';
import { postgresDir, preparePostgres } from './postgres.ts';
import { InstanceProcesses } from './supervision/instance-processes.ts';
import { stopOrphans } from './supervision/orphan-processes.ts';
import { type DataDirectoryLock, lockDataDirectory } from './supervision/run-file.ts';
import { temporalDatabaseFile } from './temporal/temporal-server.ts';
import type { Progress } from './terminal-progress.ts';

/** What starts on a data directory that this process has locked. */
interface LockedStart {
  dataDir: string;
  progress: Progress;
  lock: DataDirectoryLock;
  processes: InstanceProcesses;
  signal: AbortSignal;
}

/** Starts the embedded Postgres. @returns its URL */
export async function startPostgres(start: LockedStart): Promise<string> {
  const { dataDir, progress, processes, signal } = start;
  const port = await processes.reservePort(5432);
  const { plan, url } = await progress.step('Preparing Postgres', () => preparePostgres({ dataDir, port }));
  await processes.start(plan, signal);
  return url;
}

/** Stops what an earlier start that was killed has left running on the data directory. */
export async function stopLeftoverProcesses({
  dataDir,
  progress,
  lock,
}: Pick<LockedStart, 'dataDir' | 'progress' | 'lock'>): Promise<void> {
  const stopped = await progress.step('Stopping processes left over from an earlier start', () =>
    stopOrphans(lock.previousChildren, {
      temporal: { program: 'temporal', argument: temporalDatabaseFile(dataDir) },
      postgres: { program: 'postgres', argument: postgresDir(dataDir) },
    }),
  );
  if (stopped.length) {
    progress.note(
      `An earlier start was killed. The processes that it left running were stopped: ${stopped.join(', ')}.`,
    );
  }
  for (const name of Object.keys(lock.previousChildren)) lock.setChild(name, undefined);
}

/** Tells whether the data directory has an embedded database. */
export const hasPostgres = (dataDir: string) => existsSync(postgresDir(dataDir));

/**
 * Runs work while the embedded Postgres runs, and nothing else of the instance.
 * @throws ServiceError `BAD_REQUEST` if an instance, or other such work, has the data directory
 */
export async function withPostgresAlone<T>(
  {
    dataDir,
    progress,
    signal,
    kill,
  }: {
    dataDir: string;
    progress: Progress;
    signal: AbortSignal;
    kill: AbortSignal;
  },
  work: (url: string) => Promise<T>,
): Promise<T> {
  const lock = lockDataDirectory(dataDir);
  if (!lock)
    throw new ServiceError(
      'BAD_REQUEST',
      `Another process of Winnow has the data directory ${dataDir}. Stop it, or wait for its end, and repeat the command.`,
    );
  const processes = new InstanceProcesses(lock, progress);
  kill.addEventListener('abort', () => processes.kill());
  try {
    await stopLeftoverProcesses({ dataDir, progress, lock });
    const url = await untilStarted(signal, (starting) =>
      startPostgres({ dataDir, progress, lock, processes, signal: starting }),
    );
    return await work(url);
  } finally {
    await progress.step('Stopping', () => processes.stop());
  }
}

/**
 * Runs a start that a signal aborts, and which the signal no longer reaches afterwards: the work is to end in order, and
 * needs what was started until then.
 */
async function untilStarted<T>(
  signal: AbortSignal,
  start: (starting: AbortSignal) => Promise<T>,
): Promise<T> {
  const starting = new AbortController();
  const abort = () => starting.abort(signal.reason);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    return await start(starting.signal);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
