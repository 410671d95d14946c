import type { TestProject } from 'vitest/node';
import { type ServiceAccess, startService } from './service.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The service that all test files of the project share. */
    service: ServiceAccess;
  }
}

/**
 * Starts the real service (Postgres, Temporal, worker and API) once for all test files, and stops it after the last one.
 * Where WINNOW_TEST_SERVICE describes a running service as JSON, the tests use that one.
 */
export default async function setup({ provide }: TestProject) {
  const given = process.env.WINNOW_TEST_SERVICE;
  if (given) return void provide('service', JSON.parse(given));
  // A browser takes many seconds for a page of the default limit of 50 MiB.
  const service = await startService({ env: { LOG_LEVEL: 'warn', WINNOW_MAX_BODY_MB: '10' } });
  provide('service', { url: service.url, key: service.key, dataDir: service.dataDir });
  return () => service.stop();
}
