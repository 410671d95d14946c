import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inheritedEnvironment } from '../../../config.ts';
import { openLog } from '../supervision/log-files.ts';
import type { ProcessPlan } from '../supervision/supervised-process.ts';
import { isNamespaceReady } from './namespace-probe.ts';
import { inOwnNetwork, openDoor } from './own-network.ts';

const POLL_MS = 25;
const QUEUES = ['transfer', 'timer', 'outbound'];
/**
 * Threads (of Go) that wait for internal tasks of the server. By default, there are 2,176 of them. Each takes
 * memory, and time of every garbage collection, though most never run: all wait for the same database.
 */
const INTERNAL_WORKERS = {
  'history.transferProcessorSchedulerWorkerCount': 128,
  'history.timerProcessorSchedulerWorkerCount': 128,
  'history.visibilityProcessorSchedulerWorkerCount': 64,
  // There is no other server to copy to or from.
  'history.ReplicationProcessorSchedulerWorkerCount': 1,
  'history.ReplicationLowPriorityProcessorSchedulerWorkerCount': 1,
};
/**
 * How many requests for work the server's own jobs keep open. Each is repeated every minute, also at rest.
 * The scanners run twice a day, and the jobs of parents only for workflows that end before more than ten of
 * their children. Two is the least for workflows.
 */
const INTERNAL_POLLS = {
  'worker.ScannerMaxConcurrentActivityTaskPollers': 1,
  'worker.ScannerMaxConcurrentWorkflowTaskPollers': 2,
  'worker.ParentCloseMaxConcurrentActivityTaskPollers': 1,
  'worker.ParentCloseMaxConcurrentWorkflowTaskPollers': 2,
};
/**
 * Processors that the server uses at once, unless the environment says otherwise. Go looks for work on each
 * of them whenever something happens, which is a sixth of what the server does at rest on two processors, and
 * the other half of the machine does the work of the jobs.
 */
const PROCESSORS = Math.max(1, Math.floor(availableParallelism() / 2));
/**
 * What the server keeps in memory of workflows. By default, it keeps 128,000 of them for an hour each, so
 * that it still has 300 MB after a crawl. What is read again from the database costs a millisecond.
 */
const CACHES = {
  'history.cacheSizeBasedLimit': true,
  'history.hostLevelCacheMaxSizeBytes': 64 * 1024 * 1024,
  'history.cacheTTL': '1m',
  'history.eventsCacheTTL': '1m',
};
/**
 * The memory from which on Go collects garbage as often as it needs to stay below it, and gives freed memory
 * back at once. A server at rest takes half of it.
 */
const MEMORY = '256MiB';
/**
 * The search attributes of a new database, so that all parts of the server know them when the first job
 * starts. They are those of `workflows/search-attributes.ts`, which would load a library of Temporal into the
 * supervisor.
 */
const INITIAL_SEARCH_ATTRIBUTES = ['TeamId', 'JobKind', 'Host', 'Outcome'];

/** The database file of the embedded Temporal server. */
export const temporalDatabaseFile = (dataDir: string) => join(dataDir, 'temporal.db');

/** Options of the embedded Temporal server. */
export interface TemporalServerOptions {
  /** The Temporal command line program, see `ensureTemporalBinary`. */
  binary: string;
  dataDir: string;
  namespace: string;
  port: number;
  uiPort: number;
  /**
   * Gives the server a network of its own, into which this password leads. Without it, the server listens on
   * loopback, where every user of the machine reaches it.
   */
  password?: string | undefined;
}

/** Returns the address of the server for `connectTemporal`. */
export const temporalAddress = ({ port, password }: Pick<TemporalServerOptions, 'port' | 'password'>) =>
  `${password === undefined ? '' : `winnow:${password}@`}127.0.0.1:${port}`;

/** Plans the embedded Temporal server: the dev server with a database file, on loopback only. */
export function planTemporalServer(options: TemporalServerOptions): ProcessPlan {
  const log = openLog(options.dataDir, 'temporal');
  closeDatabaseFiles(options.dataDir);
  return {
    name: 'temporal',
    title: 'Temporal',
    log,
    launch: () => withPrivateFiles(() => launchServer(options, log.fd)),
    async ready(_child, signal) {
      while (!signal.aborted && !(await isNamespaceReady(options, options.namespace))) await sleep(POLL_MS);
    },
    readyWithinMs: 60_000,
    // After a crash the port may be held for a moment by processes that are still exiting.
    attempts: 3,
    stopSignal: 'SIGTERM',
    graceMs: 5000,
  };
}

function launchServer(options: TemporalServerOptions, logFd: number): ChildProcess {
  const { binary, dataDir: cwd, port, uiPort, password } = options;
  const env = { GOMAXPROCS: String(PROCESSORS), GOMEMLIMIT: MEMORY, ...inheritedEnvironment() };
  const command = [binary, ...serverArguments(options)];
  if (password === undefined) {
    const stdio = ['ignore', logFd, logFd] as const;
    return spawn(binary, command.slice(1), { detached: true, cwd, env, stdio: [...stdio] });
  }
  const [program, ...args] = inOwnNetwork(command);
  const child = spawn(program, args, {
    detached: true,
    cwd,
    env,
    stdio: ['ignore', logFd, logFd, 'ipc'],
  });
  const ports = [
    { kind: 'grpc', port },
    { kind: 'pages', port: uiPort },
  ] as const;
  void openDoor(child, { ports, password });
  return child;
}

/** Starts a process whose files only its user can read. A child begins with the mask of its parent. */
function withPrivateFiles(start: () => ChildProcess): ChildProcess {
  const mask = process.umask(0o077);
  try {
    return start();
  } finally {
    process.umask(mask);
  }
}

/** Closes the database files of earlier starts, which every user of the machine could read. */
function closeDatabaseFiles(dataDir: string): void {
  const file = temporalDatabaseFile(dataDir);
  for (const path of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(path)) chmodSync(path, 0o600);
}

function serverArguments({ dataDir, namespace, port, uiPort }: TemporalServerOptions): string[] {
  const dynamic = {
    // The default of 20 polls per second for the dev server's single shard would add up to 50 ms to every
    // step.
    ...Object.fromEntries(QUEUES.map((queue) => [`history.${queue}ProcessorMaxPollRPS`, 2000])),
    ...INTERNAL_WORKERS,
    ...INTERNAL_POLLS,
    ...CACHES,
    // The index of workflows may be late. A workflow that has ended meanwhile is entered once instead of
    // twice, which costs the server a seventh of its time for a short workflow.
    'history.visibilityProcessorMaxPollRPS': 2,
    // The dev server would read the known search attributes from its database for each use. The start of a
    // workflow is repeated while they are not known yet.
    'system.forceSearchAttributesCacheRefreshOnRead': false,
    // By default, each part of the server reads all namespaces every two seconds, a tenth of what the server
    // does at rest.
    'system.namespaceCacheRefreshInterval': '10s',
    'matching.enableFairness': true,
    // With more than one partition, fairness and priority are only approximate.
    'matching.numTaskqueueReadPartitions': 1,
    'matching.numTaskqueueWritePartitions': 1,
    // A scrape's only activity starts on the worker that runs its workflow, without passing the task queue.
    'system.enableActivityEagerExecution': true,
    // Concurrent long polls per namespace; the default is too low for many waiting callers.
    'frontend.namespaceCount': 5000,
  };
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port)],
    ...['--ui-ip', '127.0.0.1', '--ui-port', String(uiPort)],
    ...['--db-filename', temporalDatabaseFile(dataDir), '--namespace', namespace, '--log-level', 'warn'],
    ...INITIAL_SEARCH_ATTRIBUTES.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
    // Syncs at every commit, so that nothing acknowledged is lost in a power failure.
    ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=FULL'],
    ...Object.entries(dynamic).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${JSON.stringify(value)}`,
    ]),
  ];
}
