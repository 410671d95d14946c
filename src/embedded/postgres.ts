import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inheritedEnvironment } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { lastOutputLines, runCommand } from './command.ts';
import { loadPostgresPassword } from './keys.ts';
import {
  ensureReachablePrograms,
  findClosedDirectory,
  findPostgresPrograms,
  type PostgresPrograms,
  postgresUser,
  type SystemUser,
} from './postgres-programs.ts';
import { openLog } from './supervision/log-files.ts';
import { identityOf } from './supervision/process-identity.ts';
import type { ProcessPlan } from './supervision/supervised-process.ts';

const ROLE = 'winnow';
const POLL_MS = 20;

/** The directory of the embedded database. */
export const postgresDir = (dataDir: string) => join(dataDir, 'postgres');

/** A prepared Postgres: its programs are chosen and its data directory exists. */
export interface PreparedPostgres {
  plan: ProcessPlan;
  url: string;
}

/**
 * Finds the programs, creates the data directory at the first start, and plans the server on loopback.
 * @throws ServiceError `SERVICE_UNAVAILABLE` or `BAD_REQUEST` with the reason
 */
export async function preparePostgres(options: {
  dataDir: string;
  cacheDir: string;
  port: number;
}): Promise<PreparedPostgres> {
  const { dataDir, cacheDir, port } = options;
  const directory = postgresDir(dataDir);
  const user = await postgresUser(directory);
  const closed = user && findClosedDirectory(dataDir, user);
  if (closed) {
    throw new ServiceError(
      'BAD_REQUEST',
      `Postgres does not run as root but as user ${user.uid}, which may not enter ${closed}. Open it (chmod o+x ${closed}), or set WINNOW_DATA_DIR to a directory elsewhere.`,
    );
  }
  const programs = ensureReachablePrograms(findPostgresPrograms(directory), user, cacheDir);
  const password = loadPostgresPassword(dataDir);
  await initializeData({ directory, programs, user, password });
  removeStaleLock(directory);
  return {
    plan: planServer({ directory, dataDir, programs, user, port }),
    url: databaseUrl(password, port),
  };
}

const databaseUrl = (password: string, port: number) =>
  `postgres://${ROLE}:${password}@127.0.0.1:${port}/${ROLE}`;

/** Returns the URL of the running embedded database; line 4 of postmaster.pid is its port. */
export function runningDatabaseUrl(dataDir: string): string {
  const port = Number(readPidFile(postgresDir(dataDir))[3]);
  return databaseUrl(loadPostgresPassword(dataDir), port);
}

type DataOptions = { directory: string; programs: PostgresPrograms; user: SystemUser | undefined };

function planServer({
  directory,
  dataDir,
  programs,
  user,
  port,
}: DataOptions & { dataDir: string; port: number }): ProcessPlan {
  const log = openLog(dataDir, 'postgres');
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    // A Unix socket is not needed, and its default directory may not exist.
    unix_socket_directories: '',
    max_connections: 100,
    shared_buffers: '64MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
  };
  return {
    name: 'postgres',
    title: 'Postgres',
    log,
    launch: () =>
      spawn(
        join(programs.bin, 'postgres'),
        ['-D', directory, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
        {
          detached: true,
          cwd: '/',
          env: inheritedEnvironment({ LC_ALL: 'C' }),
          stdio: ['ignore', log.fd, log.fd],
          ...user,
        },
      ),
    ready: (child, signal) => waitUntilReady(directory, child, signal),
    // Recovery after a crash replays the write-ahead log.
    readyWithinMs: 120_000,
    // Backends of a killed server keep its shared memory until they notice; a new server refuses to start until then.
    attempts: 10,
    stopSignal: 'SIGINT',
    killSignal: 'SIGQUIT',
    graceMs: 10_000,
  };
}

/** Polls line 8 of postmaster.pid, where the server writes its state, as pg_ctl does. */
async function waitUntilReady(directory: string, child: ChildProcess, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const lines = readPidFile(directory);
    if (Number(lines[0]) === child.pid && lines[7]?.trim() === 'ready') return;
    await sleep(POLL_MS);
  }
}

/** Creates the database under a temporary name and renames it, so that a killed start leaves no partial database. */
async function initializeData({
  directory,
  programs,
  user,
  password,
}: DataOptions & { password: string }): Promise<void> {
  const parent = join(directory, '..');
  for (const name of readdirSync(parent).filter((name) => name.startsWith('postgres.new'))) {
    rmSync(join(parent, name), { recursive: true, force: true });
  }
  if (readdirSync(parent).includes('postgres')) return;

  const draft = `${directory}.new`;
  const passwordFile = `${directory}.new-password`;
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user) for (const path of [draft, passwordFile]) chownSync(path, user.uid, user.gid);
  const run = async (program: string, args: string[], input?: string) => {
    const result = await runCommand(join(programs.bin, program), args, {
      cwd: '/',
      user,
      ...(input && { input }),
      timeoutMs: 120_000,
    });
    if (result.exitCode === 0) return;
    throw new ServiceError(
      'SERVICE_UNAVAILABLE',
      `Postgres could not create its data directory: ${lastOutputLines(result)}`,
    );
  };
  try {
    await run('initdb', [
      ...['-D', draft, '-U', ROLE, '--auth=scram-sha-256', `--pwfile=${passwordFile}`],
      ...['--encoding=UTF8', '--locale=C'],
    ]);
    await run('postgres', ['--single', '-D', draft, 'template1'], `CREATE DATABASE ${ROLE}\n`);
    renameSync(draft, directory);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/**
 * Removes postmaster.pid when its pid now belongs to another program, because Postgres refuses to start while that process
 * runs. The caller must hold the lock of the data directory, which excludes another server on the same data.
 */
function removeStaleLock(directory: string): void {
  const pid = Number(readPidFile(directory)[0]);
  if (!pid || !identityOf(pid)) return;
  const command = readOrNothing(`/proc/${pid}/cmdline`);
  if (command && !command.includes('postgres')) rmSync(join(directory, 'postmaster.pid'));
}

const readPidFile = (directory: string) =>
  (readOrNothing(join(directory, 'postmaster.pid')) ?? '').split('\n');

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // The file does not exist yet, or was removed when the process ended.
  }
}
