import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, commandOf } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { startInstance } from '../main.ts';
import { readFirstTeamKey } from '../run/embedded/keys.ts';
import { findRunningInstance, type RunFile } from '../run/embedded/supervision/run-file.ts';
import type { Progress } from '../run/embedded/terminal-progress.ts';
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

/**
 * Runs work against the service that `WINNOW_URL` names; without one, against the running instance on this
 * data directory, else against one that is started for it.
 * @throws ServiceError `UNAUTHORIZED` if there is no key for it
 */
export const withConnection = <T>(
  context: CommandContext,
  work: (target: ServiceConnection) => Promise<T>,
): Promise<T> => {
  const named = namedService(context.config);
  if (named) return work(named);
  return withInstance(context, ({ url, apiKey = readFirstTeamKey(context.config) }) => work({ url, apiKey }));
};

/** The service that the settings name; `undefined` if they name none. */
function namedService({ serviceUrl, apiKey }: Config): ServiceConnection | undefined {
  if (serviceUrl === undefined) return undefined;
  if (apiKey !== undefined) return { url: serviceUrl, apiKey };
  throw new ServiceError(
    'UNAUTHORIZED',
    `WINNOW_URL names the service ${serviceUrl}, but there is no key for it. Set WINNOW_API_KEY to one of its API keys.`,
  );
}

/**
 * Runs work while an instance runs on this data directory, which is started if necessary.
 * @param work gets the key of the first team only from an instance that was started for it
 */
export async function withInstance<T>(
  context: CommandContext,
  work: (instance: { url: string; apiKey?: string }) => Promise<T>,
): Promise<T> {
  const { config, progress, interrupt } = context;
  const { signal } = interrupt;
  for (;;) {
    const url = await findUrl(context);
    if (url) return work({ url });

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

/**
 * Runs work against the service that `WINNOW_URL` names, else against the running instance on this data
 * directory. Browser sessions end with their service, so
 * one that is started for a single command is of no use to them.
 * @throws ServiceError `SERVICE_UNAVAILABLE` if none runs
 */
export async function withRunningInstance<T>(
  context: CommandContext,
  work: (target: ServiceConnection) => Promise<T>,
): Promise<T> {
  const named = namedService(context.config);
  if (named) return work(named);
  const url = await findUrl(context);
  if (url) return work({ url, apiKey: readFirstTeamKey(context.config) });
  throw new ServiceError(
    'SERVICE_UNAVAILABLE',
    `No Winnow runs on the data directory ${resolve(context.config.dataDir)}. Start it with \`${commandOf('up')}\` and repeat the command, or set WINNOW_DATA_DIR to that of the one that runs.`,
  );
}

/** The URL of the running instance on the data directory, once its API is ready; `undefined` if none runs. */
async function findUrl({ config, progress, interrupt }: CommandContext): Promise<string | undefined> {
  if (!findRunningInstance(config.dataDir)) return undefined;
  return progress.step('Waiting until Winnow is ready', () => waitForApi(config, interrupt.signal));
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
