import type { TestProject } from 'vitest/node';
import { startInstance } from './instance.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The instance that all tests of the service share. */
    service: { url: string; key: string; dataDir: string };
  }
}

/**
 * Starts the real service once for the run: engine, database, worker, API; ends it after the last test. Where
 * WINNOW_TEST_SERVICE describes one that runs, it is that.
 */
export default async function setup({ provide }: TestProject) {
  const given = process.env.WINNOW_TEST_SERVICE;
  if (given) return void provide('service', JSON.parse(given));
  const instance = await startInstance({ env: { LOG_LEVEL: 'warn' } });
  provide('service', { url: instance.url, key: instance.key, dataDir: instance.dataDir });
  return () => instance.stop();
}
