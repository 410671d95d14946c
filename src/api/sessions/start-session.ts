import { v7 as uuidv7 } from 'uuid';
import { performOnce } from '../../db/idempotency.ts';
import {
  endSession,
  findSession,
  insertSession,
  type NewSession,
  type StoredSession,
} from '../../db/sessions.ts';
import type { Caller } from '../../db/teams/teams.ts';
import { requireWorkers } from '../../db/workers.ts';
import { createSessionSalt } from '../../encryption/session-secrets.ts';
import { ServiceError, toServiceError } from '../../errors.ts';
import type { SessionKind } from '../../job-kinds.ts';
import type { SessionRequest } from '../../schemas/session.ts';
import type { ApiDeps } from '../http/route.ts';

/** A session that a caller requested. */
interface RequestedSession {
  caller: Caller;
  request: SessionRequest;
  /** Makes a repeated request return the same session. */
  idempotencyKey?: string | undefined;
  /** The body as it was sent, which a repeated request must equal. */
  rawBody?: unknown;
  /** The scrape that the session continues. */
  scrape?: { id: string; url: string };
}

const RETRY_AFTER_SECONDS = 30;

/**
 * Stores a session, starts its browser and waits until it can be used.
 * @throws ServiceError `SESSION_LIMIT_REACHED`, `SESSIONS_UNAVAILABLE` if no worker runs sessions, `SESSION_FAILED` if the
 *   browser does not start, `PROFILE_LOCKED` if another session saves the profile
 */
export async function startSession(
  { caller, request, idempotencyKey, rawBody, scrape }: RequestedSession,
  deps: ApiDeps,
): Promise<StoredSession> {
  const { config, db, temporal } = deps;
  await requireSessionHost(deps);
  const { teamId, apiKeyId } = caller;
  const kind: SessionKind = scrape ? 'interact' : 'browser';
  const session: NewSession = {
    ...{ id: uuidv7(), teamId, apiKeyId, kind, target: scrape?.url ?? 'browser session' },
    ...(scrape && { scrapeId: scrape.id }),
    salt: createSessionSalt(),
    ttlSeconds: request.ttl,
    activityTtlSeconds: request.activityTtl,
    streamWebView: request.streamWebView,
    profile: request.profile,
    keptMs: config.resultTtlMs,
  };
  const id = await performOnce(
    db,
    { teamId, key: idempotencyKey, request: ['browser', rawBody] },
    async (query) => {
      const { result, id: storedId } = await insertSession(query, session);
      if (result === 'limit') throw limitError();
      return storedId;
    },
  );
  const stored = await requireSession(id, teamId, deps);
  if (stored.state === 'destroyed') throw destroyedError(stored);
  try {
    await temporal.startSession({
      ...{ sessionId: id, kind, teamId, label: scrape ? `Interact with ${scrape.url}` : 'Browser session' },
      expiresAt: stored.expires_at.getTime(),
      activityTtlMs: stored.activity_ttl_seconds * 1000,
    });
  } catch (error) {
    // If Temporal did not respond, the workflow may run nonetheless; it then finds that its session has ended.
    await endSession(db, { id, reason: 'failed' });
    throw toServiceError(error);
  }
  // The row names the host of the browser now.
  return requireSession(id, teamId, deps);
}

/** @throws ServiceError `SESSIONS_UNAVAILABLE` if no worker runs sessions */
async function requireSessionHost({ db }: ApiDeps): Promise<void> {
  try {
    await requireWorkers(db, ['sessions']);
  } catch (error) {
    if (toServiceError(error).code !== 'SERVICE_UNAVAILABLE') throw error;
    throw new ServiceError(
      'SESSIONS_UNAVAILABLE',
      'No worker of this service can run browser sessions. Start one with the role sessions on a machine with bubblewrap and user namespaces; `winnow doctor` says what is missing.',
      { cause: error },
    );
  }
}

const limitError = () =>
  new ServiceError(
    'SESSION_LIMIT_REACHED',
    'The team has as many browser sessions as it may have. Delete one, or wait until one ends; an operator can raise the limit with `team set --sessions`.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );

/** The error for a request to a session that has ended. */
export const destroyedError = ({ id, end_reason: reason }: Pick<StoredSession, 'id' | 'end_reason'>) =>
  new ServiceError(
    'SESSION_DESTROYED',
    `The browser session ${id} has ended (${reason ?? 'unknown reason'}). Create a new one.`,
  );

/**
 * Finds a session of the team.
 * @throws ServiceError `NOT_FOUND`, or `FORBIDDEN` if it belongs to another team
 */
export async function requireSession(
  id: string,
  teamId: string,
  { db }: Pick<ApiDeps, 'db'>,
): Promise<StoredSession> {
  const session = await findSession(db, id);
  if (!session) throw new ServiceError('NOT_FOUND', `Browser session not found. There is no session ${id}.`);
  if (session.team_id !== teamId)
    throw new ServiceError('FORBIDDEN', 'Forbidden. The browser session belongs to another team.');
  return session;
}
