import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { runningDatabaseUrl } from '../../src/run/embedded/postgres.ts';
import { isRunning, type ProcessId } from '../../src/run/embedded/supervision/process-identity.ts';
import { readRunFile } from '../../src/run/embedded/supervision/run-file.ts';
import { startService } from '../support/service/start-service.ts';
import { browsersBelow } from './browsers.ts';

/** The service that a chaos run attacks. */
export interface ChaosTarget {
  /** URLs of all API processes. */
  urls: string[];
  key: string;
  databaseUrl: string;
  /** Directory of logs and data. */
  dataDir: string;
  /** Names of what can be killed: the processes, and `browser`, a Chromium process of any worker. */
  victims: string[];
  /** Kills a victim with SIGKILL. @returns false if it is not running */
  kill(victim: string): Promise<boolean>;
  /** Resolves when the victim is ready again, or the signal fires. */
  untilUp(victim: string, signal: AbortSignal): Promise<void>;
  stop(options: { keepData: boolean }): Promise<void>;
}

const POLL_MS = 100;
/** Settings of the service under test: the test site and the receiver of webhooks listen on loopback. */
export const TARGET_ENV = { WINNOW_ALLOW_PRIVATE: '127.0.0.0/8,::1/128', LOG_LEVEL: 'warn' };

/** Starts everything on one machine, as `npm start` does. */
export async function startEmbedded(): Promise<ChaosTarget> {
  const { url, key, dataDir, stop } = await startService({ env: TARGET_ENV });
  const databaseUrl = runningDatabaseUrl(dataDir);
  const pids: Record<string, number> = {};
  const childOf = (name: string): ProcessId | undefined => readRunFile(dataDir)?.children[name];
  const workers = () => [childOf('worker')?.pid].filter((pid) => pid !== undefined);
  const browser = browserVictim(workers);
  const serves: Record<string, () => Promise<boolean>> = {
    api: () => answers(url),
    postgres: () => answers(databaseUrl),
    temporal: () => answers(`tcp://${readRunFile(dataDir)?.urls.temporal}`),
    // A worker starts Chromium last.
    worker: async () => browsersBelow(workers()).length > 0,
  };
  return {
    urls: [url],
    key,
    dataDir,
    databaseUrl,
    stop,
    victims: [...Object.keys(serves), 'browser'],
    async kill(victim) {
      if (victim === 'browser') return browser.kill();
      const child = childOf(victim);
      // The pid may belong to another process by now.
      if (!child || !isRunning(child)) return false;
      pids[victim] = child.pid;
      return sendKill(child.pid);
    },
    async untilUp(victim, signal) {
      if (victim === 'browser') return browser.untilUp(signal);
      while (!signal.aborted) {
        const pid = childOf(victim)?.pid;
        if (pid !== undefined && pid !== pids[victim] && (await serves[victim]?.())) return;
        await sleep(POLL_MS);
      }
    },
  };
}

/**
 * A Chromium process of one of the workers: it exists once a worker has started, and again when a page needs
 * it.
 */
export function browserVictim(workers: () => number[]) {
  let last: number | undefined;
  return {
    async kill() {
      last = browsersBelow(workers()).at(-1);
      return last !== undefined && sendKill(last);
    },
    async untilUp(signal: AbortSignal) {
      while (!signal.aborted && !browsersBelow(workers()).some((pid) => pid !== last)) await sleep(POLL_MS);
    },
  };
}

function sendKill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false; // It has just ended by itself.
  }
}

/** Whether a server listens at the URL. */
function answers(url: string): Promise<boolean> {
  const { hostname: host, port } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host, port: Number(port) });
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
