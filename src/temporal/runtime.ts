import { once } from 'node:events';
import { createServer } from 'node:net';
import { Runtime } from '@temporalio/worker';
import { requestText } from '../system/http-text.ts';
import type { Logger } from '../system/logger.ts';
import { collectLogsPatiently, temporalLogger } from './logger.ts';

/** Milliseconds that the native library has to return its metrics, which it keeps in memory. */
const METRICS_TIMEOUT_MS = 2_000;

/** The metrics of Temporal's native library. */
export interface TemporalMetrics {
  /** The port of 127.0.0.1 at which the library serves them. */
  port: number;
  /** Reads them in the format of Prometheus. @throws the error of the connection */
  read(): Promise<string>;
}

/**
 * Installs Temporal's native library: it logs to our log, and leaves signals to us. It must precede its other
 * use.
 */
export async function installTemporalRuntime(logger: Logger): Promise<TemporalMetrics> {
  collectLogsPatiently();
  const port = await findFreePort();
  Runtime.install({
    logger: temporalLogger(logger),
    shutdownSignals: [],
    telemetryOptions: {
      logging: { forward: {}, filter: { core: 'WARN', other: 'WARN' } },
      // The library cannot return its metrics to a program, except one by one.
      metrics: {
        prometheus: {
          bindAddress: `127.0.0.1:${port}`,
          countersTotalSuffix: true,
          unitSuffix: true,
          useSecondsForDurations: true,
        },
      },
    },
  });
  return {
    port,
    async read() {
      const { body } = await requestText({ port }, { path: '/metrics', timeoutMs: METRICS_TIMEOUT_MS });
      return body;
    },
  };
}

/** Asks the system for a port that is free now. The library cannot say which one it got. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  // The address of a TCP server is no path.
  return typeof address === 'object' && address ? address.port : 0;
}
