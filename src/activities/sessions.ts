import { Context, getClient } from '@temporalio/activity';
import type { Database } from '../db/client.ts';
import { endSession, recordActivity, type SessionOutcome } from '../db/sessions.ts';
import { ServiceError } from '../errors.ts';
import type { SessionEndReason } from '../schemas/session-end.ts';
import type { SessionHost } from '../sessions/session-host.ts';
import { startHeartbeat } from './heartbeat.ts';
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

/** How often activity is looked for, in milliseconds. */
const CHECK_MS = 1_000;
/** Activity is reported to the workflow four times per `activityTtl`, but at most every 15 seconds. */
const MAX_REPORT_MS = 15_000;

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
     */
    async startSession(id: string): Promise<{ queue: string }> {
      const { opener, queue } = requireSessions();
      using _ = startHeartbeat();
      await opener.open(id);
      return { queue };
    },

    /**
     * Keeps a session of this host until it ends, and signals its activity to the workflow.
     * @returns why it ended
     */
    async keepSession(id: string, activityTtlMs: number): Promise<SessionEndReason> {
      const { host } = requireSessions();
      using _ = startHeartbeat();
      const session = await host.find(id);
      if (!session) return 'lost';
      const reportMs = Math.min(MAX_REPORT_MS, activityTtlMs / 4);
      const workflow = getClient().workflow.getHandle(
        Context.current().info.workflowExecution?.workflowId ?? '',
      );
      let reportedAt = 0;
      let reported = session.lastActivityAt;
      const timer = setInterval(() => {
        const { lastActivityAt } = session;
        if (lastActivityAt === reported || Date.now() - reportedAt < reportMs) return;
        reportedAt = Date.now();
        reported = lastActivityAt;
        Promise.all([
          workflow.signal('touch', lastActivityAt),
          recordActivity(db, { id, at: new Date(lastActivityAt) }),
        ]).catch((error) =>
          Context.current().log.warn('the activity of a session was not reported', { error: String(error) }),
        );
      }, CHECK_MS);
      try {
        return await Promise.race([host.keep(id), Context.current().cancelled]);
      } finally {
        clearInterval(timer);
      }
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

    /** Records the end of a session and bills it, once. */
    async settleSession(id: string, reason: SessionEndReason): Promise<SessionOutcome | undefined> {
      return endSession(db, { id, reason });
    },
  };
}
