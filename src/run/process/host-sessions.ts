import { SessionOpener, type SessionOpenerOptions } from '../../activities/sessions/session-opener.ts';
import type { SessionService } from '../../activities/sessions/sessions.ts';
import { messageOf, ServiceError } from '../../errors.ts';
import type { Models } from '../../models/index.ts';
import { serveSessions } from '../../sessions/host-server.ts';
import { createPromptRunner } from '../../sessions/prompts/prompt-runner.ts';
import { SessionHost, type SessionHostOptions } from '../../sessions/session-host.ts';
import type { SessionMetrics } from '../../sessions/session-metrics.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import { endSession, storeRecording } from '../../storage/db/sessions.ts';
import type { Logger } from '../../system/logger.ts';

/** Settings and dependencies of a worker with the role `sessions`. */
interface HostingOptions
  extends Pick<SessionOpenerOptions, 'db' | 'replay' | 'profiles' | 'proxies'>,
    Pick<SessionHostOptions, 'proxy' | 'userAgent' | 'adBlocker'> {
  /** The id of the worker, which names its task queue. A restarted process has another one. */
  workerId: string;
  executablePath: string;
  /** The directory of installed and prepared programs. */
  cacheDir: string;
  metrics: SessionMetrics;
  /** The language models for prompts; `undefined` if none is configured. */
  models: Models | undefined;
  secretKey: string;
  /** Where to serve the API. */
  sessionAddress: { address: string; port: number };
  /** Where recordings are kept. */
  results: Blobs;
  logger: Logger;
}

/** Browser sessions that this process runs. */
export interface HostedSessions extends SessionService {
  /** URL of the host inside the cluster. */
  url: string;
  close(): Promise<void>;
}

/**
 * Starts hosting browser sessions.
 * @returns `undefined` where browsers cannot run in a sandbox, after a warning that says what is missing
 * @throws ServiceError `BAD_REQUEST` if the address cannot be listened on
 */
export async function hostSessions(options: HostingOptions): Promise<HostedSessions | undefined> {
  const { workerId, secretKey, sessionAddress, db, results, logger } = options;
  try {
    const host = await SessionHost.open({
      ...options,
      recordLoss: async (id) => void (await endSession(db, { id, reason: 'lost' })),
      keepRecording: async (id, file) => storeRecording(db, { id, key: await results.putFile(file) }),
    });
    const server = await serveSessions(host, {
      ...sessionAddress,
      secretKey,
      // `opener` is assigned below. No request arrives before that, because only the opener makes the URL of
      // this server known.
      open: (id) => opener.open(id),
      runPrompt: createPromptRunner(options),
      logger,
    });
    const opener = new SessionOpener({ ...options, host, url: server.url });
    return {
      host,
      opener,
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
