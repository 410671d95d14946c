import type { Socket } from 'node:net';
import type { SessionService } from '../activities/sessions.ts';
import { messageOf, ServiceError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { serveSessions } from '../sessions/host-server.ts';
import { SessionHost } from '../sessions/session-host.ts';

/** What a worker with the role `sessions` needs. */
interface HostingOptions {
  /** The id of the worker, which names its task queue. A restarted process has another one. */
  workerId: string;
  executablePath: string;
  /** Serves a connection that a browser opens to its proxy. */
  serveProxy(connection: Socket): void;
  /** The directory of installed and prepared programs. */
  cacheDir: string;
  secretKey: string;
  /** Where to serve the API. */
  sessionAddress: { address: string; port: number };
  logger: Logger;
}

/** Browser sessions that this process runs. */
export interface HostedSessions extends SessionService {
  close(): Promise<void>;
}

/**
 * Starts hosting browser sessions.
 * @returns `undefined` where browsers cannot run in a sandbox, after a warning that says what is missing
 * @throws ServiceError `BAD_REQUEST` if the address cannot be listened on
 */
export async function hostSessions(options: HostingOptions): Promise<HostedSessions | undefined> {
  const { workerId, executablePath, serveProxy, cacheDir, secretKey, sessionAddress, logger } = options;
  try {
    const host = await SessionHost.open({ executablePath, serveProxy, cacheDir, logger });
    const server = await serveSessions(host, { ...sessionAddress, secretKey });
    return {
      host,
      url: server.url,
      queue: `sessions-${workerId}`,
      async close() {
        await host.close();
        server.close();
      },
    };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'SESSIONS_UNAVAILABLE') throw error;
    logger.warn(`this worker runs no browser sessions: ${messageOf(error)}`);
    return undefined;
  }
}
