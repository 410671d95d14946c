import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inheritedEnvironment } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import { lastOutputLines, runCommand } from './command.ts';
import { createDataDirectory, protectDataDirectory } from './data-directory.ts';
import { loadPostgresPassword } from './keys.ts';
import {
  findClosedDirectory,
  findPostgresPrograms,
  keepPrograms,
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
 * Finds and copies the programs, creates the data directory at the first start, and plans the server. It listens on a
 * Unix socket in the data directory, whose statements cost less, and on loopback for tools that know only
 * TCP.
 * @throws ServiceError `SERVICE_UNAVAILABLE` or `BAD_REQUEST` with the reason
 */
export async function preparePostgres(options: {
  dataDir: string;
  port: number;
  /** The directory that the machine's programs are installed below; `/usr` by default. */
  systemRoot?: string;
}): Promise<PreparedPostgres> {
  const { dataDir, port, systemRoot } = options;
  const directory = postgresDir(dataDir);
  const user = await postgresUser(directory);
  createDataDirectory(dataDir);
  protectDataDirectory(dataDir, user);
  const closed = user && findClosedDirectory(dataDir, user);
  if (closed) {
    throw new ServiceError(
      'BAD_REQUEST',
      `Postgres does not run as root but as user ${user.uid}, which may not enter ${closed}. Open it (chmod o+x ${closed}), or set WINNOW_DATA_DIR to a directory elsewhere.`,
    );
  }
  const found = findPostgresPrograms(directory, systemRoot);
  const programs = keepPrograms(found, directory);
  const password = loadPostgresPassword(dataDir);
  const creators = UNSAFE_FOR_INITDB.test(programs.bin) ? found : programs;
  await initializeData({ directory, programs: creators, user, password });
  removeStaleLocks(directory);
  const socketDirectory = fitsSocket(directory) ? directory : '';
  return {
    plan: planServer({ directory, dataDir, programs, user, port, socketDirectory }),
    url: databaseUrl({ password, port, socketDirectory }),
  };
}

/** Characters in its own path that `initdb` passes to a shell as they are. */
const UNSAFE_FOR_INITDB = /["$`\\]/;

/** The longest name that Postgres gives to the socket in its directory. */
const LONGEST_SOCKET_NAME = '.s.PGSQL.65535';
/** The longest path of a Unix socket, in bytes, on macOS; Linux allows four more. */
const MAX_SOCKET_PATH = 103;

/** Tells whether a socket in the directory has a path that is short enough; if not, only TCP is used. */
const fitsSocket = (directory: string) =>
  Buffer.byteLength(join(directory, LONGEST_SOCKET_NAME)) <= MAX_SOCKET_PATH;

/**
 * The host of the query takes precedence in `pg` and `psql`; programs that do not know it use the TCP port.
 */
function databaseUrl({ password, port, socketDirectory }: DatabaseAddress): string {
  const query = socketDirectory && `?host=${encodeURIComponent(socketDirectory)}`;
  return `postgres://${ROLE}:${password}@127.0.0.1:${port}/${ROLE}${query}`;
}

interface DatabaseAddress {
  password: string;
  port: number;
  /** Empty if the server listens only on TCP. */
  socketDirectory: string;
}

/**
 * Returns the URL of the running embedded database. Lines 4 and 5 of postmaster.pid are its port and socket
 * directory.
 */
export function runningDatabaseUrl(dataDir: string): string {
  const { 3: port, 4: socketDirectory = '' } = readPidFile(postgresDir(dataDir));
  return databaseUrl({ password: loadPostgresPassword(dataDir), port: Number(port), socketDirectory });
}

type DataOptions = { directory: string; programs: PostgresPrograms; user: SystemUser | undefined };

function planServer({
  directory,
  dataDir,
  programs,
  user,
  port,
  socketDirectory,
}: DataOptions & { dataDir: string; port: number; socketDirectory: string }): ProcessPlan {
  const log = openLog(dataDir, 'postgres');
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    // Postgres reads a list of quoted directories.
    unix_socket_directories: socketDirectory && `"${socketDirectory.replaceAll('"', '""')}"`,
    max_connections: 100,
    shared_buffers: '64MB',
    // Only changes of unlogged tables wait for this process, and workers report into one of these every few
    // seconds. By default, it wakes up five times per second.
    wal_writer_delay: '5s',
    // This database is not replicated. By default, Postgres runs a process that launches replication and
    // takes memory.
    max_logical_replication_workers: 0,
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
    // Backends of a killed server keep its shared memory until they notice; a new server refuses to start
    // until then.
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

/**
 * Creates the database under a temporary name and renames it, so that a killed start leaves no partial
 * database.
 */
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
 * Removes the lock files of a server that was killed when their pid now belongs to another program, because
 * Postgres refuses to start while that process runs. The caller must hold the lock of the data directory,
 * which excludes another server on the same data.
 */
function removeStaleLocks(directory: string): void {
  const locks = readdirSync(directory).filter((name) =>
    /^postmaster\.pid$|^\.s\.PGSQL\.\d+\.lock$/.test(name),
  );
  for (const path of locks.map((name) => join(directory, name))) {
    const pid = Number(readOrNothing(path)?.split('\n')[0]);
    if (!pid || !identityOf(pid)) continue;
    // The command line of a program that is just being started is empty.
    const command = readOrNothing(`/proc/${pid}/cmdline`);
    if (command !== undefined && !command.includes('postgres')) rmSync(path);
  }
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
