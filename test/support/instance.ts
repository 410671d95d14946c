import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = path.join(import.meta.dirname, '..', '..');

/** What `run.json` says of a running instance. */
export interface RunFile {
  pid: number;
  urls: Record<string, string>;
  children: Record<string, { pid: number }>;
}

/** The whole service, started as a user starts it, with a data directory and ports of its own. */
export interface Instance {
  /** Of the API. */
  url: string;
  key: string;
  dataDir: string;
  process: ChildProcess;
  run(): Promise<RunFile>;
  /** Ends it in order, as Ctrl-C does; data stay when asked. */
  stop(options?: { keepData?: boolean }): Promise<void>;
}

/**
 * Starts Winnow and waits until all of it is ready.
 * @param options.dataDir an existing one, to start on the data of an earlier instance
 * @param options.env settings beside those that every test instance has
 */
export async function startInstance(
  options: { dataDir?: string; env?: Record<string, string> } = {},
): Promise<Instance> {
  const dataDir = options.dataDir ?? (await makeDataDir());
  const child = spawn(process.execPath, [path.join(root, 'bin', 'winnow.js'), 'up'], {
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
  const run = async (): Promise<RunFile> =>
    JSON.parse(await readFile(path.join(dataDir, 'run.json'), 'utf8'));
  const ended = once(child, 'exit');
  const waiting = new AbortController();
  const url = await Promise.race([
    waitForApi(run, waiting.signal),
    ended.then(() => Promise.reject(new Error(`the instance ended before it was ready:\n${output}`))),
  ]).finally(() => waiting.abort());
  return {
    url,
    key: options.env?.WINNOW_API_KEY ?? (await readFile(path.join(dataDir, 'api-key'), 'utf8')).trim(),
    dataDir,
    process: child,
    run,
    async stop({ keepData = false } = {}) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGINT');
        await ended;
      }
      if (!keepData) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** `host:port` of the engine of the instance that runs on this data. */
export async function temporalAddress(dataDir: string): Promise<string> {
  const run: RunFile = JSON.parse(await readFile(path.join(dataDir, 'run.json'), 'utf8'));
  if (!run.urls.temporal) throw new Error(`${dataDir}/run.json names no Temporal server`);
  return run.urls.temporal;
}

async function makeDataDir(): Promise<string> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'winnow-test-'));
  // As root, Postgres runs as another user, who must get through.
  await chmod(dataDir, 0o711);
  return dataDir;
}

async function waitForApi(run: () => Promise<RunFile>, signal: AbortSignal): Promise<string> {
  for (;;) {
    await sleep(100, undefined, { signal });
    const url = await run().then(
      (file) => file.urls.api,
      () => undefined,
    );
    if (
      url &&
      (await fetch(`${url}/ready`).then(
        (answer) => answer.ok,
        () => false,
      ))
    )
      return url;
  }
}
