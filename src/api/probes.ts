import { REQUIRED_ROLES } from '../config.ts';
import { requireWorkers } from '../storage/db/workers.ts';
import type { Probe } from '../system/health.ts';
import type { ApiDeps } from './http/route.ts';

/**
 * The checks of what the API server depends on, by the name of each part. The worker of the same machine says
 * which of its parts do not respond; elsewhere each worker says so at its own port.
 */
export function listProbes({
  db,
  results,
  temporal,
  worker,
}: Pick<ApiDeps, 'db' | 'results' | 'temporal' | 'worker'>): Record<string, Probe> {
  return {
    database: db.ready,
    blobs: results.ready,
    temporal: () => temporal.ready(),
    workers: () => requireWorkers(db, REQUIRED_ROLES),
    ...(worker && { worker: worker.ready }),
  };
}
