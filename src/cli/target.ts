import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { firstTeamKey } from '../embedded/keys.ts';
import type { Progress } from '../embedded/progress.ts';
import { findRunning, type RunFile } from '../embedded/run-file.ts';
import { ServiceError } from '../errors.ts';
import { startInstance } from '../main.ts';
import type { Interrupt } from './interrupt.ts';

const POLL_MS = 100;
/** A first start may have to build the engine. */
const STARTING_MS = 15 * 60_000;

/** Where a verb sends its requests. */
export interface Target {
  url: string;
  apiKey: string;
}

/** What a verb works with. */
export interface VerbContext {
  config: Config;
  progress: Progress;
  interrupt: Interrupt;
}

/** Runs work against the instance on this data, or against one that is brought up for that time. */
export async function withTarget<T>(context: VerbContext, work: (target: Target) => Promise<T>): Promise<T> {
  const { config, progress, interrupt } = context;
  const { signal } = interrupt;
  for (;;) {
    const running = findRunning(config.dataDir);
    const url =
      running && (await progress.step('Waiting for Winnow to be up', () => waitForApi(config, signal)));
    if (url) return work({ url, apiKey: firstTeamKey(config).value });

    const own = await startInstance({ config, progress, ...interrupt, port: 0 });
    // Another start was quicker: it is that one's turn.
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

/** The running instance, once its API answers; `undefined` when none runs, or it ended meanwhile. */
export async function waitForInstance(dataDir: string, signal: AbortSignal): Promise<RunFile | undefined> {
  const deadline = Date.now() + STARTING_MS;
  for (;;) {
    const running = findRunning(dataDir);
    if (!running || running.urls.api) return running;
    if (Date.now() > deadline) {
      throw new ServiceError(
        'SERVICE_UNAVAILABLE',
        `Winnow (process ${running.pid}) is starting since ${running.startedAt}.`,
      );
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

const waitForApi = async (config: Config, signal: AbortSignal) =>
  (await waitForInstance(config.dataDir, signal))?.urls.api;
