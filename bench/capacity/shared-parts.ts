import { setTimeout as sleep } from 'node:timers/promises';
import { msToTs } from '@temporalio/common/lib/time.js';
import { readConfig } from '../../src/config.ts';
import { runningDatabaseUrl } from '../../src/run/embedded/postgres.ts';
import { type Database, openDatabase } from '../../src/storage/db/client.ts';
import { migrate } from '../../src/storage/db/migrate.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { prepareNamespace } from '../../src/temporal/namespace.ts';
import { workflowBundle } from '../../src/temporal/workflow-bundle.ts';
import { startCluster } from '../cluster.ts';
import type { SharedParts } from './loads/load.ts';

/** How long Temporal keeps histories; no run lasts as long. */
const RETENTION = '1 day';
/** The server reads its namespaces as often as docker-compose.yml says. */
const NAMESPACES_READ_MS = 11_000;

/** One Postgres and one Temporal server, as docker-compose.yml has them, without APIs and workers. */
export interface StartedParts {
  db: Database;
  /** Process ids by part. */
  roots: Record<'postgres' | 'temporal', number>;
  /** What each generator is told. */
  generators: SharedParts[];
  stop(): Promise<void>;
}

/** Starts them, with the tables of Winnow and a namespace for each generator. */
export async function startParts(options: {
  generators: number;
  interrupt: AbortSignal;
}): Promise<StartedParts> {
  const cluster = await startCluster({ apis: 0, workers: [], signal: options.interrupt });
  const { dataDir, temporalAddress, parts } = cluster;
  const databaseUrl = runningDatabaseUrl(dataDir);
  const db = openDatabase(databaseUrl, (error) => console.error(error.message));
  const stop = async () => {
    await db.close();
    await cluster.stop();
  };
  try {
    await migrate(db);
    const names = Array.from({ length: options.generators }, (_, index) => `capacity-${index}`);
    await addNamespaces(temporalAddress, names);
    const bundle = await workflowBundle(readConfig().cacheDir);
    return {
      db,
      roots: { postgres: parts.postgres!.pid!, temporal: parts.temporal!.pid! },
      generators: names.map((name) => ({ databaseUrl, temporalAddress, namespace: name, bundle, name })),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function addNamespaces(address: string, names: string[]): Promise<void> {
  const connection = await connectTemporal(address);
  try {
    for (const namespace of names)
      await connection.workflowService.registerNamespace({
        namespace,
        workflowExecutionRetentionPeriod: msToTs(RETENTION),
      });
    await sleep(NAMESPACES_READ_MS);
    for (const namespace of names) await prepareNamespace(connection, namespace);
    await sleep(NAMESPACES_READ_MS);
  } finally {
    await connection.close();
  }
}
