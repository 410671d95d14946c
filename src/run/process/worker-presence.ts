import type { Database } from '../../storage/db/client.ts';
import { type ReportingWorker, removeWorker, reportWorker } from '../../storage/db/workers.ts';
import { every } from '../../system/every.ts';
import type { Logger } from '../../system/logger.ts';
import { watchLoad } from './process-load.ts';

const REPORT_EVERY_MS = 3_000;

/** Options of {@link startReportingPresence}. */
export interface PresenceOptions {
  db: Database;
  worker: Omit<ReportingWorker, 'hasRoom' | 'load'>;
  /** Whether the worker has memory for another browser session at this moment. */
  hasRoom(): boolean;
  /** How many activities the worker runs at this moment. */
  countTasks(): number;
  /** Whether the worker polls all its queues at this moment. */
  isPolling(): boolean;
  /** Called with the URLs of all hosts of browser sessions after each report. */
  onHosts(urls: string[]): void;
  logger: Logger;
}

/**
 * Reports every three seconds that this worker polls its queues, which the API needs for `/ready`.
 * @returns once the first report is stored; `end` withdraws it
 */
export async function startReportingPresence(options: PresenceOptions): Promise<{ end(): Promise<void> }> {
  const { db, worker, hasRoom, countTasks, isPolling, onHosts, logger } = options;
  const readLoad = watchLoad();
  let failed = false;
  const onUnreported = (error: unknown) => {
    // Reports follow each other closely, so only the first failure in a row is logged. It explains why the
    // API treats this worker as gone.
    if (!failed)
      logger.warn(
        { err: error },
        'the presence of this worker could not be reported, so the API may treat it as gone',
      );
    failed = true;
  };
  const report = async () => {
    try {
      if (!isPolling()) return;
      const load = { ...readLoad(), tasks: countTasks() };
      onHosts(await reportWorker(db, { ...worker, hasRoom: hasRoom(), load }));
      failed = false;
    } catch (error) {
      onUnreported(error);
    }
  };
  let last = report();
  await last;
  const reportNext = () => {
    last = last.then(report);
  };
  const timer = every(REPORT_EVERY_MS, reportNext, onUnreported);
  return {
    async end() {
      clearInterval(timer);
      await last;
      await removeWorker(db, worker.id).catch((error) =>
        logger.debug(
          { err: error },
          'the presence of this worker could not be withdrawn; it expires by itself',
        ),
      );
    },
  };
}
