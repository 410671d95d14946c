import { SESSION_MIN_CREDITS } from '../../credits.ts';
import { fieldsOf } from '../../json/json-object.ts';
import { jobIdParams } from '../../schemas/job-id.ts';
import * as schemas from '../../schemas/session.ts';
import { listSessions, outcomeOf, type StoredSession } from '../../storage/db/sessions.ts';
import { type AnyRoute, type ApiDeps, defineRoute } from '../http/route.ts';
import { deleteSession } from './delete-session.ts';
import { executeCode } from './execute-code.ts';
import { lengthenSession } from './extend-session.ts';
import { callHost, DOWNLOAD_TIMEOUT_MS, readHostResponse } from './host-client.ts';
import { interactRoutes } from './interact.ts';
import { destroyedError, OPENED_SESSION_ERRORS, requireSession } from './session-state.ts';
import { sessionUrls } from './session-urls.ts';
import { startSession } from './start-session.ts';
import { uploadFile } from './upload-file.ts';

/** The outcome of a session that has ended, as the API returns it. */
const billOf = (session: StoredSession) => {
  const { durationMs, credits } = outcomeOf(session);
  return { sessionDurationMs: durationMs, creditsBilled: credits };
};

function toItem(session: StoredSession, baseUrl: string, { config }: Pick<ApiDeps, 'config'>) {
  return {
    id: session.id,
    status: session.state === 'destroyed' ? ('destroyed' as const) : ('active' as const),
    // The official SDKs require this one in lists.
    liveViewUrl: '',
    ...sessionUrls(session, { baseUrl, secretKey: config.secretKey }),
    streamWebView: session.stream_web_view,
    recordSession: session.is_recorded,
    createdAt: session.created_at.toISOString(),
    lastActivity: session.last_activity_at.toISOString(),
    expiresAt: session.expires_at.toISOString(),
    ...(session.warning !== null && { warning: session.warning }),
    ...(session.end_reason && { endReason: session.end_reason, ...billOf(session) }),
  };
}

const routesAt = (base: '/v2/browser' | '/v2/interact'): AnyRoute[] => [
  defineRoute({
    method: 'post',
    path: base,
    tag: 'Browser',
    summary: 'Start a browser session',
    // All members are optional, and so is the body.
    body: schemas.sessionBody.prefault({}),
    response: schemas.sessionResponse,
    errors: [
      ...(['PROFILE_LOCKED', 'PROFILE_ERROR', 'IDEMPOTENCY_KEY_REUSED', 'SESSION_DESTROYED'] as const),
      ...(['SESSION_LIMIT_REACHED', 'SESSION_FAILED', 'SESSIONS_UNAVAILABLE', 'WORKER_LOST'] as const),
    ],
    minCredits: SESSION_MIN_CREDITS,
    rateBucket: 'sessionStart',
    async handler({ caller, body, rawBody, idempotencyKey, baseUrl }, deps) {
      const session = await startSession({ caller, request: body, rawBody, idempotencyKey }, deps);
      const { id, expires_at: expiresAt, warning } = session;
      const urls = sessionUrls(session, { baseUrl, secretKey: deps.config.secretKey });
      return {
        success: true,
        id,
        ...urls,
        expiresAt: expiresAt.toISOString(),
        ...(warning !== null && { warning }),
      };
    },
  }),
  defineRoute({
    method: 'get',
    path: base,
    tag: 'Browser',
    summary: 'List the browser sessions of the team, newest first',
    query: schemas.sessionsQuery,
    response: schemas.sessionsResponse,
    errors: [],
    rateLimited: false,
    async handler({ caller, query: { status }, baseUrl }, deps) {
      const sessions = await listSessions(deps.db, { teamId: caller.teamId, status });
      return { success: true, sessions: sessions.map((session) => toItem(session, baseUrl, deps)) };
    },
  }),
  defineRoute({
    method: 'get',
    path: `${base}/:id`,
    tag: 'Browser',
    summary: 'Get the state of a browser session',
    params: jobIdParams,
    response: schemas.sessionStatusResponse,
    errors: ['NOT_FOUND'],
    rateLimited: false,
    async handler({ caller, params: { id }, baseUrl }, deps) {
      const session = await requireSession(id, caller.teamId, deps);
      return { success: true, ...toItem(session, baseUrl, deps) };
    },
  }),
  defineRoute({
    method: 'post',
    path: `${base}/:id/execute`,
    tag: 'Browser',
    summary: 'Run code in a browser session',
    params: jobIdParams,
    body: schemas.executeBody,
    response: schemas.executeResponse,
    errors: ['NOT_FOUND', ...OPENED_SESSION_ERRORS, 'LANGUAGE_NOT_AVAILABLE'],
    rateBucket: 'sessionCode',
    async handler({ caller, params: { id }, body, disconnected }, deps) {
      const session = await requireSession(id, caller.teamId, deps);
      return { ...(await executeCode(session, body, { ...deps, disconnected })), success: true };
    },
  }),
  defineRoute({
    method: 'post',
    path: `${base}/:id/extend`,
    tag: 'Browser',
    summary: 'Lengthen the lifetime of a browser session',
    params: jobIdParams,
    body: schemas.extendBody.prefault({}),
    response: schemas.extendResponse,
    errors: ['NOT_FOUND', ...OPENED_SESSION_ERRORS],
    async handler({ caller, params: { id }, body: { ttl } }, deps) {
      const session = await requireSession(id, caller.teamId, deps);
      const expiresAt = await lengthenSession(session, ttl, deps);
      return { success: true, id, expiresAt: expiresAt.toISOString() };
    },
  }),
  defineRoute({
    method: 'post',
    path: `${base}/:id/files`,
    tag: 'Browser',
    summary: 'Upload a file to a browser session, for its pages and its code',
    params: jobIdParams,
    body: schemas.fileUploadBody,
    fileOptions: schemas.fileUploadOptions,
    needsFile: true,
    response: schemas.fileUploadResponse,
    errors: ['NOT_FOUND', 'UPLOAD_TOO_SLOW', ...OPENED_SESSION_ERRORS],
    rateBucket: 'sessionCode',
    async handler({ caller, params: { id }, file }, deps) {
      const session = await requireSession(id, caller.teamId, deps);
      return uploadFile(session, file, deps);
    },
  }),
  defineRoute({
    method: 'get',
    path: `${base}/:id/downloads`,
    tag: 'Browser',
    summary: 'List the files that the browser and the code of a session have stored',
    params: jobIdParams,
    response: schemas.downloadsResponse,
    errors: ['NOT_FOUND', ...OPENED_SESSION_ERRORS],
    rateLimited: false,
    async handler({ caller, params: { id } }, deps) {
      const session = await requireSession(id, caller.teamId, deps);
      const request = { method: 'GET', resource: 'downloads', timeoutMs: DOWNLOAD_TIMEOUT_MS } as const;
      const list = fieldsOf(JSON.parse(await readHostResponse(await callHost(session, request, deps))));
      return schemas.downloadsResponse.parse({ success: true, ...list });
    },
  }),
  defineRoute({
    method: 'delete',
    path: `${base}/:id`,
    tag: 'Browser',
    summary: 'End a browser session',
    params: jobIdParams,
    response: schemas.sessionEndResponse,
    errors: ['NOT_FOUND', 'SESSION_DESTROYED', 'SESSION_FAILED'],
    rateLimited: false,
    async handler({ caller, params: { id } }, deps) {
      const session = await requireSession(id, caller.teamId, deps);
      if (session.state === 'destroyed') throw destroyedError(session);
      return deleteSession(session, deps);
    },
  }),
];

/** The routes of browser sessions. They are one resource under two paths. */
export const sessionRoutes = [...routesAt('/v2/browser'), ...routesAt('/v2/interact'), ...interactRoutes];
