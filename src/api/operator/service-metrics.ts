import { Gauge, type Registry } from 'prom-client';
import { listDataDirectories, measureDisks } from '../../storage/blobs/disk-space.ts';
import { createDatabaseMetrics } from '../../storage/db/database-metrics.ts';
import { readOperatorHealth } from '../../storage/db/operator-health.ts';
import { readServiceLoad } from '../../storage/db/service-load.ts';
import { withTimeLimit } from '../../system/time-limit.ts';
import type { ApiDeps } from '../http/route.ts';

/** Anybody who reaches the port may ask for metrics, so the state is read at most this often, in milliseconds. */
const STATE_TTL_MS = 5_000;
/** Milliseconds after which the metrics are returned without the state. */
const STATE_TIMEOUT_MS = 4_000;

type ServiceState = Awaited<ReturnType<typeof readServiceState>>;

async function readServiceState({ db, temporal }: Pick<ApiDeps, 'db' | 'temporal'>) {
  const [health, load, server] = await Promise.all([
    readOperatorHealth(db),
    readServiceLoad(db),
    temporal.readServerState(),
  ]);
  return { ...health, ...load, queues: server.queues };
}

/**
 * Creates the metrics of the whole service: what is open and waits in the database and in Temporal, and the
 * disks. Every API process has them, with the same values. While the database or Temporal does not respond,
 * they are absent, and `winnow_state_known` is 0.
 */
export function createServiceMetrics(registry: Registry, deps: ApiDeps): void {
  createDatabaseMetrics(registry, deps.db);
  measureFreeDisk(registry, deps);
  const state = keepState(deps);
  const gauge = createStateGauge(registry, state);
  new Gauge({
    name: 'winnow_state_known',
    help: 'Whether the state of the service could be read from the database and Temporal: 1 or 0',
    registers: [registry],
    async collect() {
      this.set((await state()) ? 1 : 0);
    },
  });
  gauge('winnow_jobs_open', 'Jobs that have not ended, by kind', ['kind'], ({ openJobs }) =>
    openJobs.map(({ kind, count }) => [{ kind }, count]),
  );
  gauge('winnow_job_oldest_seconds', 'Age of the oldest job that has not ended', ['kind'], ({ openJobs }) =>
    openJobs.map(({ kind, oldest }) => [{ kind }, (Date.now() - oldest.getTime()) / 1000]),
  );
  gauge('winnow_pages_pending', 'Pages of batches and crawls that have not ended', [], ({ pages }) => [
    [{}, pages],
  ]);
  gauge(
    'winnow_slots',
    'Slots of all teams that scrapes have taken, and scrapes that wait for one',
    ['state'],
    ({ slots }) => Object.entries(slots).map(([name, count]) => [{ state: name }, count]),
  );
  gauge('winnow_queue_tasks', 'Tasks that wait in the queues of Temporal', ['role'], ({ queues }) =>
    queues.map(({ role, waiting }) => [{ role }, waiting]),
  );
  gauge('winnow_queue_oldest_seconds', 'Age of the oldest task in each queue', ['role'], ({ queues }) =>
    queues.map(({ role, oldestMs }) => [{ role }, oldestMs / 1000]),
  );
  gauge('winnow_deliveries_pending', 'Webhook events that are not delivered yet', [], ({ deliveries }) => [
    [{}, deliveries.pending],
  ]);
  gauge('winnow_database_bytes', 'Size of the database', [], ({ bytes }) => [[{}, bytes]]);
  gauge(
    'winnow_migrations',
    'Migrations of the database that have run, and those of this version that are missing',
    ['state'],
    ({ migrations }) => Object.entries(migrations).map(([name, count]) => [{ state: name }, count]),
  );
}

/** Reads the state when it is asked for, and not again for some seconds; `undefined` while it cannot be read. */
function keepState(deps: ApiDeps): () => Promise<ServiceState | undefined> {
  let readAt = Number.NEGATIVE_INFINITY;
  let state: Promise<ServiceState | undefined> = Promise.resolve(undefined);
  return () => {
    if (performance.now() - readAt < STATE_TTL_MS) return state;
    readAt = performance.now();
    state = withTimeLimit(readServiceState(deps), STATE_TIMEOUT_MS).catch((error) => {
      // The other metrics are needed most while a part does not respond.
      deps.logger.warn({ err: error }, 'the state of the service could not be read for its metrics');
      return undefined;
    });
    return state;
  };
}

type Sample = [labels: Record<string, string>, value: number];

/** Creates gauges whose values are a part of the state, and which have none while it is unknown. */
function createStateGauge(registry: Registry, state: () => Promise<ServiceState | undefined>) {
  return (name: string, help: string, labelNames: string[], pick: (state: ServiceState) => Sample[]) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const known = await state();
        this.reset();
        // Without labels, that sets the value to 0.
        if (labelNames.length === 0) this.remove();
        for (const [labels, value] of known ? pick(known) : []) this.set(labels, value);
      },
    });
}

function measureFreeDisk(registry: Registry, { config }: ApiDeps): void {
  const directories = listDataDirectories(config);
  new Gauge({
    name: 'winnow_disk_bytes',
    help: 'Space of the disks with the data and the blobs, each disk once: free and in all',
    labelNames: ['disk', 'of'],
    registers: [registry],
    async collect() {
      for (const { path, freeBytes, totalBytes } of await measureDisks(directories)) {
        const disk = path === config.dataDir ? 'data' : 'blobs';
        this.set({ disk, of: 'free' }, freeBytes);
        this.set({ disk, of: 'all' }, totalBytes);
      }
    },
  });
  new Gauge({
    name: 'winnow_disk_required_bytes',
    help: 'Free space below which new work is refused (WINNOW_MIN_FREE_DISK_MB)',
    registers: [registry],
    collect() {
      this.set(config.minFreeBytes);
    },
  });
}

/** Reads the metrics of the worker on the same machine; empty if there is none, or it does not respond. */
export async function readWorkerMetrics({
  worker,
  logger,
}: Pick<ApiDeps, 'worker' | 'logger'>): Promise<string> {
  try {
    return (await worker?.metrics()) ?? '';
  } catch (error) {
    logger.warn({ err: error }, 'the metrics of the worker on this machine could not be read');
    return '';
  }
}
