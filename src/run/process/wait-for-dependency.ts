import { setTimeout as sleep } from 'node:timers/promises';
import { toServiceError } from '../../errors.ts';
import type { Logger } from '../../system/logger.ts';

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
  for (let logged = false; ; logged = true) {
    try {
      return await step();
    } catch (error) {
      if (toServiceError(error).code !== 'SERVICE_UNAVAILABLE' || performance.now() > until) throw error;
      if (!logged) logger.warn({ err: error }, 'waiting for Postgres or Temporal to start');
      await sleep(RETRY_INTERVAL_MS);
    }
  }
}
