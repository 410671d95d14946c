import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inheritedEnvironment } from '../../src/config.ts';
import { openLog } from '../../src/embedded/supervision/log-files.ts';
import type { ProcessPlan } from '../../src/embedded/supervision/supervised-process.ts';
import { withoutSurroundings } from './places.ts';

const POLL_MS = 50;
/** Variables of the server's own configuration; in a container each has its usual port. */
const PORTS = [
  'FRONTEND_HTTP_PORT',
  'FRONTEND_MEMBERSHIP_PORT',
  'HISTORY_GRPC_PORT',
  'HISTORY_MEMBERSHIP_PORT',
  'MATCHING_GRPC_PORT',
  'MATCHING_MEMBERSHIP_PORT',
  'WORKER_GRPC_PORT',
  'WORKER_MEMBERSHIP_PORT',
];

/** What the server is started with. */
export interface TemporalServerOptions {
  program: string;
  dataDir: string;
  /** Where its clients reach it. */
  port: number;
  /** As many as {@link SPARE_PORTS}: the talk among its own services. */
  sparePorts: number[];
  /** The environment of its container. */
  environment: Record<string, string>;
}

/** How many ports the server needs beside the one for its clients. */
export const SPARE_PORTS = PORTS.length;

/** Plans Temporal's server as its image starts it: configured by its environment alone. */
export function planTemporalServer(options: TemporalServerOptions): ProcessPlan {
  const { program, dataDir, port, sparePorts, environment } = options;
  const log = openLog(dataDir, 'temporal');
  const ports = Object.fromEntries(PORTS.map((variable, index) => [variable, String(sparePorts[index])]));
  return {
    name: 'temporal',
    title: 'Temporal',
    log,
    launch: () =>
      spawn(program, ['start'], {
        detached: true,
        cwd: dataDir,
        env: inheritedEnvironment(
          withoutSurroundings({ ...environment, ...ports, FRONTEND_GRPC_PORT: String(port) }),
        ),
        stdio: ['ignore', log.fd, log.fd],
      }),
    // The health check of the cluster file asks no more either.
    async ready(_child, signal) {
      while (!signal.aborted && !(await accepts(port))) await sleep(POLL_MS);
    },
    readyWithinMs: 120_000,
    attempts: 3,
    stopSignal: 'SIGTERM',
    graceMs: 10_000,
  };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false; // Nothing listens there yet.
  } finally {
    socket.destroy();
  }
}
