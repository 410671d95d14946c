import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorCode, ServiceError, toServiceError } from '../../errors.ts';
import { SESSION_END_SENTENCES } from '../../schemas/session-end.ts';
import { findHostOfScrape } from '../../storage/db/open-scrape-pages.ts';
import { findSession, type StoredSession } from '../../storage/db/sessions.ts';
import { withoutCredentials } from '../../url/credentials.ts';
import type { ApiDeps } from '../http/route.ts';
import { jobNotFound } from '../job-not-found.ts';

/** The error for a request to a session that has ended. Without a reason, its end is not recorded yet. */
export const destroyedError = ({ id, end_reason: reason }: Pick<StoredSession, 'id' | 'end_reason'>) =>
  new ServiceError(
    'SESSION_DESTROYED',
    `The browser session ${id} has ended${reason ? ` (${reason}). ${SESSION_END_SENTENCES[reason]}` : '.'} Create a new one.`,
  );

/** The error for a URL of a session whose id or secret is wrong; it says nothing of which. */
export const noSessionError = () =>
  new ServiceError(
    'NOT_FOUND',
    'There is no browser session at this URL. Use a URL of POST /v2/browser as it is.',
  );

/** The error for the live view of a session that was created without one. */
export const noViewError = () =>
  new ServiceError(
    'NOT_FOUND',
    'This browser session has no live view, because it was created with streamWebView false.',
  );

/**
 * Finds a session of the team.
 * @throws ServiceError `NOT_FOUND`, also if it belongs to another team
 */
export async function requireSession(
  id: string,
  teamId: string,
  { db }: Pick<ApiDeps, 'db'>,
): Promise<StoredSession> {
  const session = await findSession(db, id);
  if (session?.team_id === teamId) return session;
  const message = `Browser session not found. There is no session ${id}.`;
  throw await jobNotFound({ db }, { id, teamId, message });
}

/** A session whose browser can be used. */
export type OpenedSession = StoredSession & { host: string };

/** The reasons why the browser of a session that was started cannot be used. */
export const OPENED_SESSION_ERRORS = [
  'SESSION_DESTROYED',
  'SESSION_FAILED',
  'SESSION_LIMIT_REACHED',
  'SESSIONS_UNAVAILABLE',
  'WORKER_LOST',
  'PROFILE_LOCKED',
  'PROFILE_ERROR',
  'INTERACT_REPLAY_UNAVAILABLE',
] as const satisfies ErrorCode[];

/**
 * Waits until the browser of a session can be used. It starts the workflow of a session whose API process
 * died before it could.
 * @throws ServiceError {@link OPENED_SESSION_ERRORS}: `SESSION_DESTROYED` if the session has ended; why its
 * browser could not be started
 */
export async function openedSession(
  session: StoredSession,
  { db, temporal }: Pick<ApiDeps, 'db' | 'temporal'>,
): Promise<OpenedSession> {
  if (session.state === 'creating') {
    const hostQueue = session.scrape_id === null ? undefined : await findHostOfScrape(db, session.scrape_id);
    const starting = temporal.startSession({ ...toStart(session), hostQueue });
    await untilEnded(session.id, starting, { db }).catch(async (error) => {
      // A request that arrives at the moment at which the workflow ends is refused, as if Temporal were down.
      const { code } = toServiceError(error);
      const current = code === 'SERVICE_UNAVAILABLE' ? await findSession(db, session.id) : undefined;
      throw current?.state === 'destroyed' ? destroyedError(current) : error;
    });
  }
  const opened = session.state === 'creating' ? await findSession(db, session.id) : session;
  if (opened?.state !== 'active' || opened.host === null) throw destroyedError(opened ?? session);
  return { ...opened, host: opened.host };
}

/** How often it is checked whether a session that starts was ended, in milliseconds. */
const END_CHECK_MS = 1_000;

/**
 * Waits for the start of a session, but not beyond its end: Temporal may keep a request waiting that arrives
 * at the very moment at which the workflow ends.
 */
async function untilEnded(id: string, starting: Promise<void>, { db }: Pick<ApiDeps, 'db'>): Promise<void> {
  let hasStarted = false;
  const started = starting.finally(() => {
    hasStarted = true;
  });
  const watchEnd = async (): Promise<void> => {
    do await sleep(END_CHECK_MS, undefined, { ref: false });
    while (!hasStarted && (await findSession(db, id))?.state !== 'destroyed');
  };
  await Promise.race([started, watchEnd()]);
}

/** Returns the input of the workflow of a session. */
export const toStart = ({ id, team_id: teamId, scrape_id: scrapeId, target, ...session }: StoredSession) => ({
  sessionId: id,
  teamId,
  kind: scrapeId === null ? ('browser' as const) : ('interact' as const),
  label: scrapeId === null ? 'Browser session' : `Interact with ${withoutCredentials(target ?? '')}`,
  expiresAt: session.expires_at.getTime(),
  activityTtlMs: session.activity_ttl_seconds * 1000,
});
