import type { Database } from './db/client.ts';
import { type ReportingWorker, removeWorker, reportWorker } from './db/workers.ts';
import type { Logger } from './logger.ts';

const REPORT_EVERY_MS = 3_000;

/** What a worker reports with. */
export interface PresenceOptions {
  db: Database;
  worker: ReportingWorker;
  /** Whether all its queues are polled at this moment. */
  isPolling(): boolean;
  logger: Logger;
}

/**
 * Lets the API know, every few seconds, that this worker polls its queues: `/ready` depends on it.
 * @returns once the first report is written; `end` takes it back
 */
export async function keepPresent(options: PresenceOptions): Promise<{ end(): Promise<void> }> {
  const { db, worker, isPolling, logger } = options;
  let failed = false;
  const report = async () => {
    if (!isPolling()) return;
    try {
      await reportWorker(db, worker);
      failed = false;
    } catch (error) {
      // The next report follows soon; until then one line says why the API counts this worker as gone.
      if (!failed) logger.warn({ err: error }, 'the API cannot be told that this worker polls');
      failed = true;
    }
  };
  let last = report();
  await last;
  const timer = setInterval(() => {
    last = last.then(report);
  }, REPORT_EVERY_MS);
  return {
    async end() {
      clearInterval(timer);
      await last;
      // Without the database the row goes stale by itself.
      await removeWorker(db, worker.id).catch((error) =>
        logger.debug({ err: error }, 'still counted as present'),
      );
    },
  };
}
