import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { type RunFile, readRunFile } from '../../../src/run/embedded/supervision/run-file.ts';
import { copyPostgres } from '../storage/empty-postgres.ts';
import { pollUntil } from '../suite/poll.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
/** A start needs a few seconds on an idle machine. */
const POLL_INTERVAL_MS = 100;

/** A running service: URL and key for clients, and the directory of its data. */
export interface ServiceAccess {
  /** The origin of the API, without a slash at the end. */
  url: string;
  /** The API key of the first team. */
  key: string;
  dataDir: string;
}

/** The whole service, started the way a user starts it, with its own data directory and ports. */
export interface RunningService extends ServiceAccess {
  process: ChildProcess;
  /** Shuts it down in order, as Ctrl-C does, and deletes its data unless they are to be kept. */
  stop(options?: { keepData?: boolean }): Promise<void>;
}

/** The service of a vitest project. */
export interface ProjectService {
  /** Tells the test files of the project what they need to know. */
  provide(project: TestProject): void;
  stop(): Promise<void>;
}

/**
 * Starts Winnow and waits until it is ready.
 * @param options.dataDir an existing data directory, to start on the data of an earlier service
 * @param options.emptyPostgres the directory of an empty Postgres to copy for a new data directory; otherwise
 * the service
 *   creates one, as it does for a user
 * @param options.root another directory with the sources of the service
 * @param options.node another Node than that of the tests
 * @param options.within a command that replaces itself by the one that is appended
 * @param options.env settings beside those that every service under test has
 * @throws Error with the end of its output when the service exits before it is ready
 */
export async function startService(
  options: {
    dataDir?: string;
    emptyPostgres?: string;
    root?: string;
    env?: Record<string, string>;
    node?: string;
    within?: string[];
  } = {},
): Promise<RunningService> {
  const dataDir = options.dataDir ?? (await makeDataDir(options.emptyPostgres));
  // That of an earlier service that was killed. Its API may respond for another moment.
  const left = readRunFile(dataDir)?.pid;
  const { node = process.execPath, within = [] } = options;
  const [program = node, ...args] = [
    ...within,
    node,
    path.join(options.root ?? ROOT, 'bin', 'winnow.js'),
    'up',
  ];
  const child = spawn(program, args, {
    env: {
      ...process.env,
      PORT: '0',
      WINNOW_DATA_DIR: dataDir,
      WINNOW_ALLOW_PRIVATE: '127.0.0.0/8,::1/128',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output = (output + chunk).slice(-10_000);
    });
  }
  const ended = once(child, 'exit');
  // Data that were given belong to an earlier service, whose caller keeps them.
  stopWithThisProcess(child, options.dataDir === undefined ? dataDir : '');
  const waiting = new AbortController();
  const url = await Promise.race([
    pollUntil(() => findReadyUrl(dataDir, left), { intervalMs: POLL_INTERVAL_MS, signal: waiting.signal }),
    ended.then(() => Promise.reject(new Error(`the service ended before it was ready:\n${output}`))),
  ]).finally(() => waiting.abort());
  return {
    url,
    key: options.env?.WINNOW_API_KEY ?? (await readFile(path.join(dataDir, 'api-key'), 'utf8')).trim(),
    dataDir,
    process: child,
    async stop({ keepData = false } = {}) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGINT');
        await ended;
      }
      if (!keepData) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The run file of the service that runs on these data. @throws Error where none runs */
export function runFileOf({ dataDir }: Pick<ServiceAccess, 'dataDir'>): RunFile {
  const file = readRunFile(dataDir);
  if (!file) throw new Error(`No service runs on ${dataDir}`);
  return file;
}

/** `host:port` of the Temporal server of the service that runs on these data. */
export function temporalAddressOf(service: Pick<ServiceAccess, 'dataDir'>): string {
  const { temporal } = runFileOf(service).urls;
  if (!temporal) throw new Error(`${service.dataDir}/run.json names no Temporal server`);
  return temporal;
}

/**
 * Waits until a line or the end of the standard input, stops the process $0, waits for its end, and deletes
 * the directory $1.
 */
const STOP_LATER = `read end; kill -INT "$0"
for turn in $(seq 120); do kill -0 "$0" || break; sleep 0.5; done
[ -z "$1" ] || rm -rf "$1"`;

/**
 * Shuts the service down when this process ends without doing so, because a signal interrupted the tests.
 * @param dataDir directory to delete then; empty for none
 */
function stopWithThisProcess(service: ChildProcess, dataDir: string): void {
  // Its standard input closes when this process ends, however that happens. In a process group of its own,
  // the watching process does not get the signals of a terminal.
  const watch = spawn('sh', ['-c', STOP_LATER, String(service.pid), dataDir], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  service.once('exit', () => watch.kill());
  watch.unref();
}

async function makeDataDir(emptyPostgres: string | undefined): Promise<string> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'winnow-test-'));
  // As somebody may have made it. Postgres of root also has to pass through before the service closes it.
  await chmod(dataDir, 0o755);
  if (emptyPostgres) await copyPostgres(emptyPostgres, dataDir);
  return dataDir;
}

/**
 * The URL of the API of the service on these data, once it is ready, unless the service is the one that was
 * left.
 */
async function findReadyUrl(dataDir: string, left: number | undefined): Promise<string | undefined> {
  const run = readRunFile(dataDir);
  const url = run?.urls.api;
  if (!url || run.pid === left) return undefined;
  const isReady = await fetch(`${url}/ready`).then(
    (response) => response.ok,
    () => false,
  );
  return isReady ? url : undefined;
}
