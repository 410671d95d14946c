import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { loadFirstTeamKey } from '../embedded/keys.ts';
import { findRunningInstance, type RunFile } from '../embedded/supervision/run-file.ts';
import type { Progress } from '../embedded/terminal-progress.ts';
import { ServiceError } from '../errors.ts';
import { startInstance } from '../main.ts';
import type { Interrupt } from './interrupt.ts';

const POLL_MS = 100;
/** The first start may have to build Temporal, which takes minutes. */
const START_TIMEOUT_MS = 15 * 60_000;

/** The URL and API key of an instance. */
export interface ServiceConnection {
  url: string;
  apiKey: string;
}

/** The settings, progress output and abort signals of a running command. */
export interface CommandContext {
  config: Config;
  progress: Progress;
  interrupt: Interrupt;
}

/** Runs work against the running instance on this data directory, else against one that is started for it. */
export async function withConnection<T>(
  context: CommandContext,
  work: (target: ServiceConnection) => Promise<T>,
): Promise<T> {
  const { config, progress, interrupt } = context;
  const { signal } = interrupt;
  for (;;) {
    const running = findRunningInstance(config.dataDir);
    const url =
      running && (await progress.step('Waiting until Winnow is ready', () => waitForApi(config, signal)));
    if (url) return work({ url, apiKey: loadFirstTeamKey(config).value });

    const own = await startInstance({ config, progress, ...interrupt, port: 0 });
    // Another process has started an instance meanwhile: use that one.
    if (!own) {
      await sleep(POLL_MS, undefined, { signal });
      continue;
    }
    try {
      return await work({ url: own.urls.api ?? '', apiKey: own.apiKey.value });
    } finally {
      await progress.step('Stopping', () => own.stop());
    }
  }
}

/** Waits until the running instance's API is ready; `undefined` when no instance runs, or it has ended. */
export async function waitForInstance(dataDir: string, signal: AbortSignal): Promise<RunFile | undefined> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const running = findRunningInstance(dataDir);
    if (!running || running.urls.api) return running;
    if (Date.now() > deadline) {
      throw new ServiceError(
        'SERVICE_UNAVAILABLE',
        `Winnow (process ${running.pid}) has been starting since ${running.startedAt} and is not ready yet. Check its logs, or stop it and try again.`,
      );
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

const waitForApi = async (config: Config, signal: AbortSignal) =>
  (await waitForInstance(config.dataDir, signal))?.urls.api;
