import { v7 as uuidv7 } from 'uuid';
import { performOnce } from '../../db/idempotency.ts';
import { endSession, insertSession, type NewSession, type StoredSession } from '../../db/sessions.ts';
import type { Caller } from '../../db/teams/teams.ts';
import { chooseSessionHost, type SessionHostAddress } from '../../db/workers.ts';
import { createSessionSalt } from '../../encryption/session-secrets.ts';
import { ServiceError, toServiceError } from '../../errors.ts';
import type { SessionKind } from '../../job-kinds.ts';
import type { SessionRequest } from '../../schemas/session.ts';
import type { ApiDeps } from '../http/route.ts';
import { callHost } from './host-client.ts';
import { destroyedError, requireSession } from './require-session.ts';

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

/** How long the host may take to open a session, in milliseconds. The scrape that it continues may take five minutes. */
const OPEN_TIMEOUT_MS = 330_000;

/**
 * Stores a session, starts its browser and waits until it can be used. Its host starts the browser while its workflow
 * starts. If the host does not manage that, the workflow tries it again, and decides.
 * @throws ServiceError `SESSION_LIMIT_REACHED`, `SESSIONS_UNAVAILABLE` if no worker runs sessions, `SESSION_FAILED` if the
 *   browser does not start, `PROFILE_LOCKED` if another session saves the profile
 */
export async function startSession(
  { caller, request, idempotencyKey, rawBody, scrape }: RequestedSession,
  deps: ApiDeps,
): Promise<StoredSession> {
  const { config, db, temporal } = deps;
  const host = await requireSessionHost(deps);
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
  /** The session if this request has stored it; a repeated request finds the session of the first one. */
  let created: StoredSession | undefined;
  const id = await performOnce(
    db,
    { teamId, key: idempotencyKey, request: ['browser', rawBody] },
    async (query) => {
      const inserted = await insertSession(query, session);
      if (inserted.result === 'limit') throw limitError();
      if (inserted.result === 'stored') created = inserted.session;
      return inserted.id;
    },
  );
  const stored = created ?? (await requireSession(id, teamId, deps));
  if (stored.state === 'destroyed') throw destroyedError(stored);
  const label = scrape ? `Interact with ${scrape.url}` : 'Browser session';
  const opening = created && openOnHost({ ...created, host: host.url }, deps);
  try {
    await temporal.startSession({
      ...{ sessionId: id, kind, teamId, label, ...(created && { hostQueue: host.queue }) },
      expiresAt: stored.expires_at.getTime(),
      activityTtlMs: stored.activity_ttl_seconds * 1000,
    });
    const opened = await opening;
    if (opened) return opened;
    await temporal.waitUntilSessionOpened(id);
  } catch (error) {
    // If Temporal did not respond, the workflow may run nonetheless; it then finds that its session has ended.
    await endSession(db, { id, reason: 'failed' });
    throw toServiceError(error);
  }
  // The row names the host of the browser now.
  return requireSession(id, teamId, deps);
}

/** Asks a host to open a session. @returns the open session; `undefined` if that failed, so that the workflow has to do it */
async function openOnHost(session: StoredSession, deps: ApiDeps): Promise<StoredSession | undefined> {
  const request = { method: 'POST', resource: 'open', timeoutMs: OPEN_TIMEOUT_MS } as const;
  try {
    const response = await callHost(session, request, deps);
    response.resume();
    return { ...session, state: 'active' };
  } catch (error) {
    deps.logger.debug({ err: error, session: session.id }, 'the host did not open a browser session at once');
    return undefined;
  }
}

/** Chooses the host of a new session. @throws ServiceError `SESSIONS_UNAVAILABLE` if no worker runs sessions */
async function requireSessionHost({ db }: ApiDeps): Promise<SessionHostAddress> {
  const host = await chooseSessionHost(db);
  if (host) return host;
  throw new ServiceError(
    'SESSIONS_UNAVAILABLE',
    'No worker of this service can run browser sessions. Start one with the role sessions on a machine with bubblewrap and user namespaces; `winnow doctor` says what is missing.',
  );
}

const limitError = () =>
  new ServiceError(
    'SESSION_LIMIT_REACHED',
    'The team has as many browser sessions as it may have. Delete one, or wait until one ends; an operator can raise the limit with `team set --sessions`.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
