import { Context } from '@temporalio/activity';
import { ServiceError } from '../../errors.ts';
import type { SessionEndReason } from '../../schemas/session-end.ts';
import type { SessionHost } from '../../sessions/session-host.ts';
import type { Database } from '../../storage/db/client.ts';
import { endSession, type SessionOutcome } from '../../storage/db/sessions.ts';
import { chooseSessionHost } from '../../storage/db/workers.ts';
import { startHeartbeat } from '../heartbeat.ts';
import { type KeptSession, keepUntilEnd } from './keep-session.ts';
import type { SessionOpener } from './session-opener.ts';

/** The sessions of this process, and how workflows reach it. */
export interface SessionService {
  host: SessionHost;
  opener: SessionOpener;
  /** Task queue of this process alone. */
  queue: string;
}

/** Dependencies of the session activities. */
export interface SessionDeps {
  db: Database;
  /** Absent in workers without the role `sessions`. */
  sessions?: SessionService | undefined;
}

/** The activities of browser sessions. */
export function sessionActivities({ db, sessions }: SessionDeps) {
  const requireSessions = () => {
    if (sessions) return sessions;
    throw new ServiceError('SESSIONS_UNAVAILABLE', 'This worker does not run browser sessions.');
  };
  return {
    /**
     * Starts the browser of a session on this host, unless the API has done so already.
     * @returns the task queue of this process, on which all further activities of the session run
     * @throws ServiceError `SESSION_DESTROYED` if the session was ended meanwhile
     */
    async startSession(id: string): Promise<{ queue: string }> {
      const { opener, queue } = requireSessions();
      using _ = startHeartbeat();
      await opener.open(id, Context.current().cancellationSignal);
      return { queue };
    },

    /**
     * Keeps a session of this host until it ends, and signals its activity to the workflow. Its heartbeats
     * show how it is used now.
     * @returns why it ended, and how it was used
     */
    async keepSession(id: string, activityTtlMs: number): Promise<KeptSession> {
      const session = await requireSessions().host.keep(id);
      return session ? keepUntilEnd(db, session, activityTtlMs) : { reason: 'lost' };
    },

    /**
     * Ends a session of this host. An idle one that has been active after all continues.
     * @returns when it was last active, if it continues
     */
    async stopSession(id: string, reason: SessionEndReason, idleSince: number): Promise<number | undefined> {
      using _ = startHeartbeat();
      const session = await requireSessions().host.find(id);
      if (reason === 'idle' && session && session.lastActivityAt > idleSince) return session.lastActivityAt;
      await session?.end(reason);
      return undefined;
    },

    /**
     * Finds a host that has not failed to start a session yet.
     * @param excludedQueues the queues of the others
     * @returns its task queue; `undefined` if there is none
     */
    async findOtherHost(excludedQueues: string[]): Promise<string | undefined> {
      return (await chooseSessionHost(db, excludedQueues))?.queue;
    },

    /** Records the end of a session and bills it, once. */
    async settleSession(id: string, reason: SessionEndReason): Promise<SessionOutcome | undefined> {
      return endSession(db, { id, reason });
    },
  };
}
