import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, toServiceError } from './errors.ts';
import type { Logger } from './logger.ts';

/** A running role of the service: where it answers, if anywhere, and how it ends. */
export interface Role {
  url?: string;
  stop: () => Promise<void>;
}

/** Work that is still under way is cut off after this long. */
const DRAIN_MS = 12_000;

/** What a role needs may be starting too, or starting again after it died; its start waits so long for it. */
const PATIENCE_MS = 30_000;
const TRY_AGAIN_MS = 250;

/**
 * Does a step of a role's start that needs another process, again and again while that one is away.
 * @param step safe to repeat; fails with `SERVICE_UNAVAILABLE` where the other process does not answer
 * @throws whatever else the step fails with, and its last failure after 30 s
 */
export async function patiently<Result>(step: () => Promise<Result>, logger: Logger): Promise<Result> {
  const until = performance.now() + PATIENCE_MS;
  for (let told = false; ; told = true) {
    try {
      return await step();
    } catch (error) {
      if (toServiceError(error).code !== 'SERVICE_UNAVAILABLE' || performance.now() > until) throw error;
      if (!told) logger.warn({ err: error }, 'waiting for what the start needs');
      await sleep(TRY_AGAIN_MS);
    }
  }
}

/**
 * Runs one role as this process: tells the parent when it is ready, and ends in order on SIGTERM, SIGINT, or when the
 * parent is gone.
 */
export async function runProcess(name: string, start: () => Promise<Role>): Promise<void> {
  let role: Role;
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
    setTimeout(() => process.exit(1), DRAIN_MS).unref();
    await role.stop();
    process.exit(0);
  };
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, () => void end());
  process.send?.({ ready: true, url: role.url });
}
