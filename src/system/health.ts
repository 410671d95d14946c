import type { IncomingMessage, ServerResponse } from 'node:http';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { messageOf } from '../errors.ts';
import { mergeMetrics } from './merge-metrics.ts';
import { withTimeLimit } from './time-limit.ts';

/** Checks one dependency; rejects when it is not available. */
export type Probe = () => Promise<void>;

const PROBE_TIMEOUT_MS = 5_000;
/**
 * Milliseconds between two samples of the event loop's delay. Each wakes the process, which costs an idle one
 * 70 microseconds of CPU time, and 5 milliseconds per second at the default of 10 ms.
 */
const EVENT_LOOP_SAMPLE_MS = 1_000;

/**
 * Runs all probes concurrently.
 * @param timeoutMs milliseconds after which a part counts as one that does not respond
 * @returns the state of each: `ok` or an error message
 */
export async function runProbes(
  probes: Record<string, Probe>,
  timeoutMs = PROBE_TIMEOUT_MS,
): Promise<Record<string, string>> {
  const states = Object.entries(probes).map(async ([name, probe]) => {
    const state = await withTimeLimit(probe(), timeoutMs).then(() => 'ok', messageOf);
    return [name, state] as const;
  });
  return Object.fromEntries(await Promise.all(states));
}

/**
 * Creates the metrics of one process, labelled with its name.
 * @param options.withProcess whether those of the process itself are among them (memory, event loop)
 */
export function createMetrics(processName: string, { withProcess = true } = {}): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ process: processName });
  if (withProcess)
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
  return registry;
}

/**
 * Creates the handler of `/health` (the process runs), `/ready` (state of each dependency) and `/metrics`
 * (Prometheus).
 * @param options.registry the metrics that everyone may read who reaches the port
 * @param options.moreMetrics return those of other parts, and those that only the sender of the request may
 *   read, in the same format
 * @param options.probeTimeoutMs see {@link runProbes}
 * @returns whether the request was one of these
 */
export function createHealth(
  probes: Record<string, Probe>,
  {
    registry,
    moreMetrics = [],
    probeTimeoutMs,
  }: {
    registry: Registry;
    moreMetrics?: ((request: IncomingMessage) => Promise<string>)[];
    probeTimeoutMs?: number;
  },
) {
  type Page = { status: number; type: string; body: string };
  const pages: Record<string, (request: IncomingMessage) => Promise<Page>> = {
    '/health': async () => ({ status: 200, type: 'application/json', body: '{"status":"ok"}' }),
    '/ready': async () => {
      const parts = await runProbes(probes, probeTimeoutMs);
      const ready = Object.values(parts).every((state) => state === 'ok');
      const body = JSON.stringify({ status: ready ? 'ok' : 'not ready', parts });
      return { status: ready ? 200 : 503, type: 'application/json', body };
    },
    '/metrics': async (request) => {
      const texts = await Promise.all([registry.metrics(), ...moreMetrics.map((read) => read(request))]);
      return { status: 200, type: registry.contentType, body: mergeMetrics(texts) };
    },
  };
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const page = request.method === 'GET' ? pages[request.url?.split('?')[0] ?? ''] : undefined;
    if (!page) return false;
    page(request).then(
      ({ status, type, body }) => response.writeHead(status, { 'Content-Type': type }).end(body),
      (error) => response.destroy(error),
    );
    return true;
  };
}

/** Responds to requests about the health of a process. @returns whether the request was one */
export type HealthHandler = ReturnType<typeof createHealth>;
