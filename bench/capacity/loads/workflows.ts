import { Client } from '@temporalio/client';
import { Runtime } from '@temporalio/worker';
import type { Activities } from '../../../src/activities/index.ts';
import { openDatabase } from '../../../src/storage/db/client.ts';
import { connectTemporal } from '../../../src/temporal/connection.ts';
import { temporalLogger } from '../../../src/temporal/logger.ts';
import { createTemporalWorkers } from '../../../src/temporal/workers.ts';
import { createBenchLogger, type SharedParts } from './load.ts';

/**
 * Runs the product's workflows with made activities, on the queues and with the settings of its workers.
 * @param hostQueue the queue of a host of sessions, if this is one
 */
export async function openWorkflows(
  { databaseUrl, temporalAddress, namespace, bundle }: SharedParts,
  made: Partial<Activities>,
  hostQueue?: string,
) {
  const logger = createBenchLogger();
  Runtime.install({ logger: temporalLogger(logger), shutdownSignals: [] });
  // Only a failed activity would ask it whether it responds.
  const db = openDatabase(databaseUrl, (error) => console.error(error.message));
  const connection = await connectTemporal(temporalAddress);
  const workers = await createTemporalWorkers({
    connection,
    namespace,
    bundle,
    roles: ['scrape', 'pages'],
    hostQueue,
    // The workflows of a load call no others.
    activities: made as Activities,
    db,
    logger,
  });
  const runs = Promise.all(workers.map((worker) => worker.run()));
  // A failure is reported by `close`.
  runs.catch(() => undefined);
  return {
    client: new Client({ connection, namespace }),
    async close() {
      for (const worker of workers) worker.shutdown();
      await runs;
      await connection.close();
      await db.close();
    },
  };
}
