import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, toServiceError } from './errors.ts';
import type { Logger } from './logger.ts';

/** A running API or worker: its URL, if it serves one, and how to stop it. */
export interface ServiceRole {
  url?: string;
  stop: () => Promise<void>;
}

/** Running work is aborted this many milliseconds after a stop was requested. */
const DRAIN_TIMEOUT_MS = 12_000;

/** How long a start waits for Postgres and Temporal, which may be starting or restarting too. */
const DEPENDENCY_TIMEOUT_MS = 30_000;
const RETRY_INTERVAL_MS = 250;

/**
 * Repeats a step of the start while the process it depends on is unavailable.
 * @param step safe to repeat; fails with `SERVICE_UNAVAILABLE` when the other process does not respond
 * @throws any other error of the step, and the last error after 30 s
 */
export async function waitForDependency<Result>(
  step: () => Promise<Result>,
  logger: Logger,
): Promise<Result> {
  const until = performance.now() + DEPENDENCY_TIMEOUT_MS;
  for (let told = false; ; told = true) {
    try {
      return await step();
    } catch (error) {
      if (toServiceError(error).code !== 'SERVICE_UNAVAILABLE' || performance.now() > until) throw error;
      if (!told) logger.warn({ err: error }, 'waiting for a dependency of the start');
      await sleep(RETRY_INTERVAL_MS);
    }
  }
}

/**
 * Runs the API or the worker in this process: sends `ready` to the parent, and shuts down in order on SIGTERM, SIGINT, or
 * when the parent is gone.
 */
export async function runProcess(name: string, start: () => Promise<ServiceRole>): Promise<void> {
  let role: ServiceRole;
  try {
    role = await start();
  } catch (error) {
    process.stderr.write(
      `${name}: ${error instanceof Error && error.name === 'ServiceError' ? messageOf(error) : ((error as Error)?.stack ?? error)}\n`,
    );
    process.exit(1);
  }
  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(1), DRAIN_TIMEOUT_MS).unref();
    await role.stop();
    process.exit(0);
  };
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, () => void end());
  process.send?.({ ready: true, url: role.url });
}
