import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { loadSecretKey } from '../../../src/run/embedded/keys.ts';
import { runningDatabaseUrl } from '../../../src/run/embedded/postgres.ts';
import { reserveServerPort } from '../network/server-port.ts';
import { type RunningService, startService, temporalAddressOf } from '../service/start-service.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

/** A process of the cluster beside those that `npm start` runs. */
interface ClusterProcess {
  process: ChildProcess;
  /** Resolves to the exit code; `null` if a signal ended it. */
  ended: Promise<number | null>;
}

/** A worker that only hosts browser sessions. */
export interface SessionWorker extends ClusterProcess {
  /** URL at which the API reaches its sessions. */
  url: string;
}

/** A service with two APIs and two hosts of browser sessions on this machine. */
export interface SessionCluster {
  service: RunningService;
  /** URLs of both APIs. */
  urls: [string, string];
  hosts: SessionWorker[];
  /** The second API. */
  api: ClusterProcess;
  databaseUrl: string;
  secretKey: string;
  /** Starts another host of sessions. @param roles its roles as a worker; by default it has no other one */
  startHost(roles?: string): Promise<SessionWorker>;
  stop(): Promise<void>;
}

/**
 * Starts what `npm start` runs, but for the role `sessions`; beside it another API, and two workers with that
 * role.
 */
export async function startSessionCluster(): Promise<SessionCluster> {
  const service = await startService({ env: { WINNOW_WORKER_ROLES: 'scrape,pages,webhooks' } });
  const { dataDir } = service;
  const databaseUrl = runningDatabaseUrl(dataDir);
  const secretKey = loadSecretKey({ dataDir }).value;
  const settings = {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddressOf(service),
    WINNOW_SECRET_KEY: secretKey,
    WINNOW_API_KEY: service.key,
    WINNOW_DATA_DIR: dataDir,
    WINNOW_ALLOW_PRIVATE: '127.0.0.0/8,::1/128',
  };
  const hosts: SessionWorker[] = [];
  const started: ClusterProcess[] = [];
  const startHost = async (roles = 'sessions') => {
    const { port } = await reserveServerPort();
    const address = `127.0.0.1:${port}`;
    const env = { ...settings, WINNOW_WORKER_ROLES: roles, WINNOW_SESSION_ADDRESS: address };
    const host = { ...(await startProgram('worker.ts', env)), url: `http://${address}` };
    hosts.push(host);
    started.push(host);
    return host;
  };
  const stop = async () => {
    for (const each of started) if (each.process.exitCode === null) each.process.kill('SIGTERM');
    await Promise.all(started.map(({ ended }) => ended));
    await service.stop();
  };
  try {
    const api = await startProgram('server.ts', { ...settings, PORT: '0' });
    started.push(api);
    await Promise.all([startHost(), startHost()]);
    return {
      service,
      api,
      databaseUrl,
      secretKey,
      hosts,
      startHost,
      stop,
      urls: [service.url, api.url],
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Runs a program of `src/`, and waits until it is ready. @throws Error with its output if it ends before */
async function startProgram(entry: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [path.join(ROOT, 'src', entry)], {
    env: { ...process.env, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let output = '';
  child.stderr?.on('data', (chunk) => {
    output = (output + chunk).slice(-10_000);
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const ready = once(child, 'message').then(([message]) => message as { url?: string });
  const message = await Promise.race([
    ready,
    ended.then(() => Promise.reject(new Error(`${entry} ended before it was ready:\n${output}`))),
  ]);
  return { process: child, ended, url: message.url ?? '' };
}
