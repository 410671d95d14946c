import { Context, getClient } from '@temporalio/activity';
import type { Profiles } from '../browser/browser-profile.ts';
import { Disconnected } from '../browser/chromium/cdp.ts';
import type { Database } from '../db/client.ts';
import { findJobToReplay } from '../db/jobs/jobs.ts';
import {
  areSessionsCovered,
  endSession,
  findSession,
  openSession,
  recordActivity,
  type SessionOutcome,
  type StoredSession,
} from '../db/sessions.ts';
import { chooseSessionHost } from '../db/workers.ts';
import type { Replay } from '../engines/replay.ts';
import { messageOf, ServiceError, toServiceError } from '../errors.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';
import type { SessionEndReason } from '../schemas/session-end.ts';
import type { HostedSession } from '../sessions/hosted-session.ts';
import type { SessionHost } from '../sessions/session-host.ts';
import type { SessionUsage } from '../sessions/session-usage.ts';
import { startHeartbeat } from './heartbeat.ts';

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

/** Dependencies of {@link createSessionOpener}. */
export interface SessionOpenerOptions {
  db: Database;
  host: SessionHost;
  /** URL of the host inside the cluster. */
  url: string;
  /** Opens the page of a scrape in a session. */
  replay: Replay;
  profiles: Profiles;
}

/** How often activity is looked for, in milliseconds. */
const CHECK_MS = 1_000;
/** Activity is reported to the workflow four times per `activityTtl`, but at most every 15 seconds. */
const MAX_REPORT_MS = 15_000;

/** How often it is checked that a session may continue, in milliseconds. */
const NEED_CHECK_MS = 10_000;

/** Longest time of a replay in milliseconds. */
const MAX_REPLAY_MS = 300_000;

/** The end of a session on its host. A session that is not on the host was not used there. */
export interface KeptSession {
  reason: SessionEndReason;
  usage?: SessionUsage;
}

const endedError = (id: string) =>
  new ServiceError(
    'SESSION_DESTROYED',
    `The browser session ${id} was ended before its browser had started.`,
  );

const endedEarlyError = (cause?: unknown) =>
  new ServiceError(
    'SERVICE_UNAVAILABLE',
    'The browser of the session ended before it could be used. Try again.',
    { cause },
  );

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
     * Keeps a session of this host until it ends, and signals its activity to the workflow. Its heartbeats show how it is
     * used now.
     * @returns why it ended, and how it was used
     */
    async keepSession(id: string, activityTtlMs: number): Promise<KeptSession> {
      const session = await requireSessions().host.keep(id);
      if (!session) return { reason: 'lost' };
      using _ = startHeartbeat(undefined, () => session.usage);
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
          workflow.signal('touch', lastActivityAt, session.usage),
          recordActivity(db, { id, at: new Date(lastActivityAt) }),
        ]).catch((error) =>
          Context.current().log.warn('the activity of a session was not reported', { error: String(error) }),
        );
      }, CHECK_MS);
      const checks = setInterval(() => void endIfNeeded(session), NEED_CHECK_MS);
      try {
        const reason = await Promise.race([session.ended, Context.current().cancelled]);
        await settleEarly(id, reason);
        return { reason, usage: session.usage };
      } catch (cancellation) {
        // The workflow has given the session up or has ended, so nobody would bill the browser or end it.
        await session.end('lost');
        await settleEarly(id, await session.ended);
        throw cancellation;
      } finally {
        clearInterval(timer);
        clearInterval(checks);
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

  /**
   * Ends a session when its team cannot pay for it any longer, or when its row has ended already: an API that lost its
   * connection to Temporal while the session was started gives it up. A database that does not respond is asked again later.
   */
  async function endIfNeeded(session: HostedSession): Promise<void> {
    const { log } = Context.current();
    try {
      const stored = await findSession(db, session.id);
      if (stored?.end_reason) await session.end(stored.end_reason);
      else if (!(await areSessionsCovered(db, session.id))) await session.end('credits');
    } catch (error) {
      log.warn('it was not checked whether a session may continue', { error: String(error) });
    }
  }

  /**
   * Records the end of a session when it has happened. The workflow does so too, but possibly much later: if the whole
   * service is stopped, after its next start.
   */
  async function settleEarly(id: string, reason: SessionEndReason): Promise<void> {
    await endSession(db, { id, reason }).catch((error) =>
      Context.current().log.warn('the workflow has to record the end of a session', { error: String(error) }),
    );
  }
}

/** Opens the sessions of a host. */
export interface SessionOpener {
  /**
   * Starts the browser of a stored session, loads its profile or the page of its scrape, and records that it can be used.
   * The API and the workflow both ask for it: the second one waits for the first, or finds the open session.
   * @param signal ends the replay of the scrape
   * @throws ServiceError why that is impossible, and then no browser remains; `SESSION_DESTROYED` if the session was ended
   *   meanwhile, `WORKER_LOST` if another host has opened it
   */
  open(id: string, signal?: AbortSignal): Promise<void>;
}

/** Creates what opens the sessions of a host. */
export function createSessionOpener({
  db,
  host,
  url,
  replay,
  profiles,
}: SessionOpenerOptions): SessionOpener {
  const opening = new Map<string, Promise<void>>();
  return {
    async open(id, signal) {
      const known = opening.get(id) ?? open(id, signal);
      opening.set(id, known);
      await known.finally(() => opening.delete(id));
    },
  };

  async function open(id: string, signal: AbortSignal | undefined): Promise<void> {
    const stored = await findSession(db, id);
    if (!stored || stored.state === 'destroyed') return endWithRow(id);
    // A client may use it there.
    if (stored.state === 'active' && stored.host !== url)
      throw new ServiceError('WORKER_LOST', `The host that had opened the browser session ${id} was lost.`);
    const session = await host.open(id, stored.scrape_id);
    if (stored.state === 'creating') await prepareSession(session, stored, signal);
    if (session.hasEnded) throw endedEarlyError();
    if (!(await openSession(db, { id, host: url }))) await endWithRow(id);
  }

  /** Ends the browser of a session whose row has ended, for the same reason. @throws ServiceError always */
  async function endWithRow(id: string): Promise<never> {
    const session = await host.find(id);
    await session?.end((await findSession(db, id))?.end_reason ?? 'deleted');
    throw endedError(id);
  }

  /** Loads the profile of a new session, and the page of its scrape. @throws ServiceError why that is impossible */
  async function prepareSession(
    session: HostedSession,
    stored: StoredSession,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { id, team_id: teamId, profile: name, saves_profile: isSaved, scrape_id: scrapeId } = stored;
    try {
      if (name !== null) {
        const saver = isSaved ? id : undefined;
        const profile = await profiles.open({ teamId, name, saver, isLoaded: session.hasPage });
        await session.useProfile(profile);
      }
    } catch (error) {
      await session.end('failed');
      if (error instanceof Disconnected || (await session.ended) === 'crashed') throw endedEarlyError(error);
      throw error;
    }
    if (scrapeId === null) return;
    // Code follows at once, in most cases JavaScript.
    void session.startLanguage('node');
    if (!session.hasPage) await replayScrape(session, scrapeId, signal);
  }

  /**
   * Brings the page of a scrape into the state that the scrape left it in.
   * @throws ServiceError `INTERACT_REPLAY_UNAVAILABLE` with the reason; the session has ended then
   */
  async function replayScrape(
    session: HostedSession,
    scrapeId: string,
    cancelled: AbortSignal | undefined,
  ): Promise<void> {
    const scrape = await findJobToReplay(db, scrapeId);
    try {
      if (!scrape || scrape.seal) throw new ServiceError('NOT_FOUND', 'its options are not stored any more');
      // The API validated the request before it stored it.
      const request = scrape.request as ScrapeRequest;
      const timeout = AbortSignal.timeout(Math.min(request.timeout, MAX_REPLAY_MS));
      const signal = AbortSignal.any([timeout, ...(cancelled ? [cancelled] : [])]);
      await replay(request, (use, visitSignal) => session.visit(use, visitSignal), signal);
    } catch (cause) {
      await session.end('failed');
      if (cause instanceof Disconnected || (await session.ended) === 'crashed') throw endedEarlyError(cause);
      const reason = cause instanceof ServiceError ? toServiceError(cause).message : messageOf(cause);
      throw new ServiceError(
        'INTERACT_REPLAY_UNAVAILABLE',
        `The scrape ${scrapeId} could not be continued: ${reason} Rerun the scrape and interact with the new one.`,
        { cause },
      );
    }
  }
}
