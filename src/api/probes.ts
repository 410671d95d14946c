import { REQUIRED_ROLES } from '../config.ts';
import { requireWorkers } from '../storage/db/workers.ts';
import type { Probe } from '../system/health.ts';
import type { ApiDeps } from './http/route.ts';

/** The checks of what the API server depends on, by the name of each part. */
export function listProbes({
  db,
  results,
  temporal,
}: Pick<ApiDeps, 'db' | 'results' | 'temporal'>): Record<string, Probe> {
  return {
    database: db.ready,
    blobs: results.ready,
    temporal: () => temporal.ready(),
    workers: () => requireWorkers(db, REQUIRED_ROLES),
  };
}
