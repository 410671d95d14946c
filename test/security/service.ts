import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startDns } from '../support/network/dns.ts';
import { type ProjectService, startService } from '../support/service/start-service.ts';
import { ALLOWED, startCanary } from './canary.ts';
import { NAMES } from './names.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Its port on every address of the machine, and the file it writes to. */
    canary: { port: number; ledger: string };
  }
}

/** The environment of somebody whose programs should all go by a proxy, which is the canary. */
export function proxyEnvironment(port: number): Record<string, string> {
  const proxy = `http://127.0.0.1:${port}`;
  const names = ['http_proxy', 'https_proxy', 'all_proxy', 'ftp_proxy'];
  const both = names.flatMap((name) => [name, name.toUpperCase()]);
  return {
    ...Object.fromEntries(both.map((name) => [name, proxy])),
    no_proxy: '',
    NO_PROXY: '',
    NODE_USE_ENV_PROXY: '1',
  };
}

/**
 * Starts the canary, and an instance that may not reach it, with names of its own.
 * @param emptyPostgres its Postgres is a copy of it
 */
export async function startSecurityService(emptyPostgres: string): Promise<ProjectService> {
  const directory = await mkdtemp(path.join(tmpdir(), 'winnow-canary-'));
  const ledger = path.join(directory, 'sightings');
  const [canary, dns] = await Promise.all([startCanary(ledger), startDns(NAMES)]);
  const service = await startService({
    emptyPostgres,
    env: {
      LOG_LEVEL: 'warn',
      WINNOW_ALLOW_PRIVATE: `${ALLOWED}/32`,
      WINNOW_DNS: dns.address,
      ...proxyEnvironment(canary.port),
    },
  });
  const { url, key, dataDir } = service;
  return {
    provide(project) {
      project.provide('canary', { port: canary.port, ledger });
      project.provide('service', { url, key, dataDir });
    },
    async stop() {
      await service.stop();
      await dns.close();
      canary.close();
      await rm(directory, { recursive: true });
    },
  };
}
