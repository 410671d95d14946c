import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inheritedEnvironment } from '../../src/config.ts';
import { openLog } from '../../src/run/embedded/supervision/log-files.ts';
import type { ProcessPlan } from '../../src/run/embedded/supervision/supervised-process.ts';
import { withoutSurroundings } from './places.ts';

const POLL_MS = 50;
/** Variables with the ports of the server. In a container, the default ports are used. */
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

/** The options of the Temporal server. */
export interface TemporalServerOptions {
  program: string;
  dataDir: string;
  /** Port for clients. */
  port: number;
  /** {@link SPARE_PORTS} ports for the communication among its own services. */
  sparePorts: number[];
  /** The environment variables of its container. */
  environment: Record<string, string>;
}

/** Number of ports that the server needs in addition to the one for clients. */
export const SPARE_PORTS = PORTS.length;

/** Plans the Temporal server as its image starts it, configured only by environment variables. */
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
    // The health check in docker-compose.yml also checks only that the port is open.
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
    return false; // The server does not listen yet.
  } finally {
    socket.destroy();
  }
}
