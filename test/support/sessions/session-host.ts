import { Registry } from 'prom-client';
import { readConfig } from '../../../src/config.ts';
import { USER_AGENT } from '../../../src/fetch/net/user-agent.ts';
import { findChromium } from '../../../src/run/embedded/chromium.ts';
import { SessionHost, type SessionHostOptions } from '../../../src/sessions/session-host.ts';
import { createSessionMetrics } from '../../../src/sessions/session-metrics.ts';
import { createLogger } from '../../../src/system/logger.ts';

/** A host of sessions, and what it counts. */
export interface TestSessionHost extends AsyncDisposable {
  host: SessionHost;
  /** Reads one of its metrics. @param name with its labels @returns 0 before it was counted */
  readMetric(name: string): Promise<number>;
}

/** A proxy that closes all connections. */
const NO_NETWORK: SessionHostOptions['proxy'] = {
  serve: (connection) => connection.destroy(),
  failureOf: () => undefined,
  forRoute: async () => NO_NETWORK,
};

/** Opens a host of sessions without a service. Its browsers have no network. */
export async function openTestSessionHost(
  options: Partial<SessionHostOptions> = {},
): Promise<TestSessionHost> {
  const registry = new Registry();
  const config = readConfig();
  const host = await SessionHost.open({
    executablePath: options.executablePath ?? (await findChromium(config)).path,
    cacheDir: config.cacheDir,
    logger: createLogger('test', 'error'),
    metrics: createSessionMetrics(registry),
    proxy: NO_NETWORK,
    userAgent: USER_AGENT,
    recordLoss: async () => undefined,
    availableMemory: () => 8 * 1024 ** 3,
    ...options,
  });
  return {
    host,
    async readMetric(name) {
      const lines = (await registry.metrics()).split('\n');
      const line = lines.find((each) => each.startsWith(`${name} `));
      return Number(line?.split(' ').at(-1) ?? 0);
    },
    [Symbol.asyncDispose]: () => host.close(),
  };
}
