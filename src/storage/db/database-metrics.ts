import { Gauge, type Registry } from 'prom-client';
import type { Database } from './client.ts';
import { billedCredits, endedJobs } from './jobs/ended-jobs.ts';

/** Creates the metrics of the database connections of a process, and of the jobs that it has ended. */
export function createDatabaseMetrics(registry: Registry, { pool }: Pick<Database, 'pool'>): void {
  registry.registerMetric(endedJobs);
  registry.registerMetric(billedCredits);
  new Gauge({
    name: 'winnow_database_connections',
    help: 'Connections of this process to the database that are busy or idle, those that there may be at most, and statements that wait for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
      this.set({ state: 'limit' }, pool.options.max);
    },
  });
}
