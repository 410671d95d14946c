import { messageOf } from '../../errors.ts';
import { collectAtRest } from './collect-at-rest.ts';

/** A running API or worker: its URL, if it serves one, and how to stop it. */
export interface RunningService {
  url?: string;
  stop: () => Promise<void>;
}

/** Running work is aborted this many milliseconds after a stop was requested. */
const DRAIN_TIMEOUT_MS = 12_000;

/**
 * Runs the API or the worker in this process: sends `ready` to the parent, and shuts down in order on
 * SIGTERM, SIGINT, or when the parent is gone.
 */
export async function runProcess(name: string, start: () => Promise<RunningService>): Promise<void> {
  let service: RunningService;
  try {
    service = await start();
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
    await service.stop();
    process.exit(0);
  };
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, () => void end());
  process.send?.({ ready: true, url: service.url });
  void collectAtRest();
}
