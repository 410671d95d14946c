import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startBalancer } from './balancer.ts';
import type { ClusterOptions } from './options.ts';
import { startCluster } from './start.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** The tests that need only the URL of a service and an API key. */
const TESTS = ['test/e2e/sdk.test.ts', 'test/e2e/sdk-jobs.test.ts', 'test/api/sockets.test.ts'];

/**
 * Runs the end-to-end tests against a cluster, through a load balancer in front of its APIs.
 * @returns whether all passed
 */
export async function testCluster(options: ClusterOptions): Promise<boolean> {
  const env = { WINNOW_ALLOW_PRIVATE: '127.0.0.0/8,::1/128', ...options.env };
  const cluster = await startCluster({ ...options, env });
  const balancer = await startBalancer(cluster.urls);
  try {
    const service = { url: balancer.url, key: cluster.key, dataDir: cluster.dataDir };
    const tests = spawn(
      join(ROOT, 'node_modules', '.bin', 'vitest'),
      ['run', '--project', 'service', ...TESTS],
      {
        cwd: ROOT,
        stdio: 'inherit',
        env: { ...process.env, WINNOW_TEST_SERVICE: JSON.stringify(service) },
      },
    );
    options.signal?.addEventListener('abort', () => tests.kill('SIGINT'));
    const [code] = await once(tests, 'exit');
    return code === 0;
  } finally {
    balancer.close();
    await cluster.stop({ keepData: options.dataDir !== undefined });
  }
}
