import { v7 as uuidv7 } from 'uuid';
import { commandOf } from '../../config.ts';
import { SESSION_MIN_CREDITS } from '../../credits.ts';
import { ServiceError, toServiceError } from '../../errors.ts';
import type { SessionKind } from '../../job-kinds.ts';
import type { SessionRequest } from '../../schemas/session.ts';
import { forgetResult, performOnce } from '../../storage/db/idempotency.ts';
import {
  endSession,
  findSession,
  insertSession,
  type NewSession,
  type StoredSession,
} from '../../storage/db/sessions.ts';
import type { Caller } from '../../storage/db/teams/teams.ts';
import { chooseSessionHost, type SessionHostAddress } from '../../storage/db/workers.ts';
import { createSessionSalt } from '../../system/encryption/session-secrets.ts';
import { reserveCredits } from '../http/required-credits.ts';
import type { ApiDeps } from '../http/route.ts';
import { callHost } from './host-client.ts';
import { type OpenedSession, openedSession, requireSession, toStart } from './session-state.ts';

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

/** How long a host may take to start a browser before its workflow decides, in milliseconds. */
const OPEN_TIMEOUT_MS = 30_000;
/** How long the workflow of a session whose start has failed may take to end, in milliseconds. */
const FAILURE_TIMEOUT_MS = 10_000;

/**
 * Stores a session, starts its browser and waits until it can be used.
 * @returns the session, which a repeated request also gets if it has ended since
 * @throws ServiceError `SESSION_LIMIT_REACHED`, `INSUFFICIENT_CREDITS`, `SESSIONS_UNAVAILABLE` if no worker
 * runs sessions, `SESSION_FAILED` if the
 *   browser does not start, `PROFILE_LOCKED` if another session saves the profile
 */
export async function startSession(
  { caller, request, idempotencyKey, rawBody, scrape }: RequestedSession,
  deps: ApiDeps,
): Promise<StoredSession> {
  const { config, db } = deps;
  const host = await requireSessionHost(deps);
  const { teamId, apiKeyId } = caller;
  const kind: SessionKind = scrape ? 'interact' : 'browser';
  const session: NewSession = {
    id: uuidv7(),
    teamId,
    apiKeyId,
    kind,
    target: scrape?.url ?? 'browser session',
    ...(scrape && { scrapeId: scrape.id }),
    salt: createSessionSalt(),
    ttlSeconds: request.ttl,
    activityTtlSeconds: request.activityTtl,
    streamWebView: request.streamWebView,
    profile: request.profile,
    visitor: { location: request.location, mobile: request.mobile, blockAds: request.blockAds },
    // A session that continues a scrape is never recorded: the scrape may have zero data retention.
    isRecorded: !scrape && (request.recordSession ?? config.recordsSessions),
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
      if (inserted.result === 'stored') {
        await reserveCredits(query, caller, { minimum: SESSION_MIN_CREDITS, jobId: session.id });
        created = inserted.session;
      }
      return inserted.id;
    },
  );
  try {
    const opened = created && !scrape && (await openAtOnce(created, host, deps));
    if (opened) return opened;
    const stored = await requireSession(id, teamId, deps);
    // The first response is repeated, whatever has become of the session. Its state says that it has ended.
    const isRepeated = !created && !scrape && stored.opened_at !== null;
    return isRepeated ? stored : await openedSession(stored, deps);
  } catch (error) {
    const reason = await findReason(id, error, deps);
    // The workflow of a session that was deleted records that by itself, and a session that another request
    // has opened goes on.
    const isDeleted = reason.code === 'SESSION_DESTROYED';
    if (!isDeleted && (created || (await findSession(db, id))?.state !== 'active')) {
      // If Temporal did not respond, the workflow may run nonetheless; it then finds that its session has
      // ended.
      await endSession(db, { id, reason: 'failed' });
      // The session never started, so a request that repeats the idempotency key may start one.
      await forgetResult(db, { teamId, key: idempotencyKey, result: id });
    }
    throw reason;
  }
}

/**
 * The reason why a session was not started. Its workflow may have failed and recorded the end of the session
 * before it was asked; then it is asked for its failure.
 */
async function findReason(
  id: string,
  error: unknown,
  { db, temporal }: Pick<ApiDeps, 'db' | 'temporal'>,
): Promise<ServiceError> {
  const known = toServiceError(error);
  if (known.code !== 'SESSION_DESTROYED') return known;
  const { end_reason: end } = (await findSession(db, id)) ?? {};
  const hasFailed = end === 'failed' || end === 'lost';
  return (hasFailed && (await temporal.failureOfSession(id, FAILURE_TIMEOUT_MS))) || known;
}

/**
 * Asks a host for the browser of a new session while its workflow starts, which takes as long. The workflow
 * asks the same host, so neither has to wait for the other.
 * @returns `undefined` if the host has not opened it, which its workflow then does or explains
 */
async function openAtOnce(
  session: StoredSession,
  host: SessionHostAddress,
  deps: ApiDeps,
): Promise<OpenedSession | undefined> {
  const opened: OpenedSession = { ...session, state: 'active', host: host.url };
  const request = { method: 'POST', resource: 'open', timeoutMs: OPEN_TIMEOUT_MS } as const;
  const [isOpen] = await Promise.all([
    callHost(opened, request, deps).then(
      (response) => Boolean(response.resume()),
      (error: unknown) => {
        deps.logger.debug({ err: error, session: session.id }, 'the host did not open a browser session');
        return false;
      },
    ),
    deps.temporal.beginSession({ ...toStart(session), hostQueue: host.queue }),
  ]);
  if (!isOpen) return undefined;
  // The host has recorded what it warns of.
  const warning = session.visitor?.location?.country && (await findSession(deps.db, session.id))?.warning;
  return { ...opened, warning: warning ?? null };
}

/**
 * Chooses the host of a new session.
 * @throws ServiceError `SESSIONS_UNAVAILABLE` if no worker runs sessions
 */
async function requireSessionHost({ db }: ApiDeps): Promise<SessionHostAddress> {
  const host = await chooseSessionHost(db);
  if (host) return host;
  throw new ServiceError(
    'SESSIONS_UNAVAILABLE',
    `No worker of this service can run browser sessions. Start one with the role sessions on a machine with bubblewrap and user namespaces; \`${commandOf('doctor')}\` says what is missing.`,
  );
}

const limitError = () =>
  new ServiceError(
    'SESSION_LIMIT_REACHED',
    'The team has as many browser sessions as it may have. Delete one, or wait until one ends; an operator can raise the limit with `team set --sessions`.',
  );
