import http from 'node:http';
import { messageOf } from '../../errors.ts';
import { DIRECT_AGENT } from '../../system/direct-agent.ts';
import type { Logger } from '../../system/logger.ts';
import { collectWheneverAtRest } from './collect-at-rest.ts';
import { tellParent } from './tell-parent.ts';

/** A running API or worker: its URL, if it serves one, its log, and how to stop it. */
export interface RunningService {
  url?: string;
  logger: Pick<Logger, 'error'>;
  stop: () => Promise<void>;
}

/** The text of the log line about an error that nothing has caught. */
export const UNCAUGHT_ERROR = 'an error was not caught where it happened, and this process goes on';

/** Running work is aborted this many milliseconds after a stop was requested. */
const DRAIN_TIMEOUT_MS = 12_000;

/**
 * Runs the API or the worker in this process: sends `ready` to the parent, and shuts down in order on
 * SIGTERM, SIGINT, or when the parent is gone. Once it runs, an error that nothing has caught is logged, and
 * the process goes on: it works for all teams, and what one of them sends must not end the work of the
 * others.
 */
export async function runProcess(name: string, start: () => Promise<RunningService>): Promise<void> {
  // The client that records finished scrapes takes no agent, and sends the password of Temporal.
  http.globalAgent = DIRECT_AGENT;
  let service: RunningService;
  try {
    service = await start();
  } catch (error) {
    process.stderr.write(
      `${name}: ${error instanceof Error && error.name === 'ServiceError' ? messageOf(error) : ((error as Error)?.stack ?? error)}\n`,
    );
    process.exit(1);
  }
  // Node turns a rejection that nobody handles into such an exception.
  process.on('uncaughtException', (error, origin) =>
    service.logger.error({ err: error, origin }, UNCAUGHT_ERROR),
  );
  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(1), DRAIN_TIMEOUT_MS).unref();
    try {
      await service.stop();
      process.exit(0);
    } catch (error) {
      service.logger.error({ err: error }, 'this process did not stop in order');
      process.exit(1);
    }
  };
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, () => void end());
  tellParent({ ready: true, url: service.url });
  void collectWheneverAtRest();
}
