import { Context, getClient } from '@temporalio/activity';
import type { SessionEndReason } from '../../schemas/session-end.ts';
import type { HostedSession } from '../../sessions/hosted-session.ts';
import type { SessionUsage } from '../../sessions/session-usage.ts';
import type { Database } from '../../storage/db/client.ts';
import { areSessionsCovered, endSession, findSession, recordActivity } from '../../storage/db/sessions.ts';
import { every } from '../../system/every.ts';
import { startHeartbeat } from '../heartbeat.ts';

/** How often activity is looked for, in milliseconds. */
const CHECK_MS = 1_000;
/** Activity is reported to the workflow four times per `activityTtl`, but at most every 15 seconds. */
const MAX_REPORT_MS = 15_000;

/** How often it is checked that a session may continue, in milliseconds. */
const NEED_CHECK_MS = 10_000;

/** The end of a session on its host. A session that is not on the host was not used there. */
export interface KeptSession {
  reason: SessionEndReason;
  usage?: SessionUsage;
}

/**
 * Keeps a session until it ends, with heartbeats of the running activity, and signals its activity to the
 * workflow.
 * @param activityTtlMs milliseconds after which the workflow ends the session if it is not used
 * @returns why it ended, and how it was used
 */
export async function keepUntilEnd(
  db: Database,
  session: HostedSession,
  activityTtlMs: number,
): Promise<KeptSession> {
  using _ = startHeartbeat(undefined, () => session.usage);
  const reports = reportActivity(db, session, Math.min(MAX_REPORT_MS, activityTtlMs / 4));
  const { log } = Context.current();
  const checks = every(
    NEED_CHECK_MS,
    () => endIfNeeded(db, session),
    (error) => log.warn('it was not checked whether a session may continue', { error: String(error) }),
  );
  try {
    const reason = await Promise.race([session.ended, Context.current().cancelled]);
    await settleEarly(db, session.id, reason);
    return { reason, usage: session.usage };
  } catch (cancellation) {
    // The workflow has given the session up or has ended, so nobody would bill the browser or end it.
    await session.end('lost');
    await settleEarly(db, session.id, await session.ended);
    throw cancellation;
  } finally {
    clearInterval(reports);
    clearInterval(checks);
  }
}

/**
 * Signals new activity of a session to its workflow, and records it.
 * @returns the timer, which the caller ends
 */
function reportActivity(db: Database, session: HostedSession, reportMs: number): NodeJS.Timeout {
  const { info, log } = Context.current();
  const workflow = getClient().workflow.getHandle(info.workflowExecution?.workflowId ?? '');
  let reportedAt = 0;
  let reported = session.lastActivityAt;
  const report = async () => {
    const { lastActivityAt } = session;
    if (lastActivityAt === reported || Date.now() - reportedAt < reportMs) return;
    reportedAt = Date.now();
    reported = lastActivityAt;
    await Promise.all([
      workflow.signal('touch', lastActivityAt, session.usage),
      recordActivity(db, { id: session.id, at: new Date(lastActivityAt) }),
    ]);
  };
  return every(CHECK_MS, report, (error) =>
    log.warn('the activity of a session was not reported', { error: String(error) }),
  );
}

/**
 * Ends a session when its team cannot pay for it any longer, or when its row has ended already: an API that
 * lost its connection to Temporal while the session was started gives it up. A database that does not respond
 * is asked again later.
 */
async function endIfNeeded(db: Database, session: HostedSession): Promise<void> {
  const stored = await findSession(db, session.id);
  if (stored?.end_reason) await session.end(stored.end_reason);
  else if (!(await areSessionsCovered(db, session.id))) await session.end('credits');
}

/**
 * Records the end of a session when it has happened. The workflow does so too, but possibly much later: if
 * the whole service is stopped, after its next start.
 */
async function settleEarly(db: Database, id: string, reason: SessionEndReason): Promise<void> {
  await endSession(db, { id, reason }).catch((error) =>
    Context.current().log.warn('the workflow has to record the end of a session', { error: String(error) }),
  );
}
