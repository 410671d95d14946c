import { v7 as uuidv7 } from 'uuid';
import { forgetResult, performOnce } from '../../db/idempotency.ts';
import { endSession, insertSession, type NewSession } from '../../db/sessions.ts';
import type { Caller } from '../../db/teams/teams.ts';
import { requireWorkers } from '../../db/workers.ts';
import { createSessionSalt } from '../../encryption/session-secrets.ts';
import { ServiceError, toServiceError } from '../../errors.ts';
import type { SessionKind } from '../../job-kinds.ts';
import type { SessionRequest } from '../../schemas/session.ts';
import type { ApiDeps } from '../http/route.ts';
import { type OpenedSession, openedSession, requireSession } from './session-state.ts';

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
): Promise<OpenedSession> {
  const { config, db } = deps;
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
  try {
    return await openedSession(await requireSession(id, teamId, deps), deps);
  } catch (error) {
    // If Temporal did not respond, the workflow may run nonetheless; it then finds that its session has ended.
    await endSession(db, { id, reason: 'failed' });
    // Nothing was done, so a repetition may try again.
    if (toServiceError(error).code !== 'SESSION_DESTROYED')
      await forgetResult(db, { teamId, key: idempotencyKey, result: id });
    throw toServiceError(error);
  }
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
