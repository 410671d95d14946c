import { pipeline } from 'node:stream/promises';
import type { Express, Request, RequestHandler, Response } from 'express';
import { toServiceError } from '../../errors.ts';
import { jobIdParams } from '../../schemas/job-id.ts';
import { replayQuery } from '../../schemas/replay.ts';
import { sessionTargets } from '../../schemas/session.ts';
import type { StoredSession } from '../../storage/db/sessions.ts';
import { findRateLimit } from '../../storage/db/teams/teams.ts';
import { createAuth } from '../http/auth.ts';
import { createBaseUrl } from '../http/base-url.ts';
import { FOREIGN_FILE_POLICY } from '../http/browser-protection.ts';
import { FILE_ENDPOINTS } from '../http/file-endpoints.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import type { ApiDeps } from '../http/route.ts';
import { mountLiveViewAssets, renderLiveViewPage } from '../live-view/live-view-page.ts';
import {
  MESSAGE_PAGE_HEADERS,
  renderNoSessionPage,
  renderSessionEndedPage,
} from '../live-view/message-pages.ts';
import { validate } from '../validation/validate.ts';
import { callHost, DOWNLOAD_TIMEOUT_MS, readHostResponse } from './host-client.ts';
import { openRecording } from './recording.ts';
import { type AccessedSession, findAccessedSession } from './session-access.ts';
import { destroyedError, noSessionError, noViewError, requireSession } from './session-state.ts';
import { sessionUrls } from './session-urls.ts';
import { uploadFile } from './upload-file.ts';
import { withoutFrames } from './without-frames.ts';

/** How long the host of a session may take to list its tabs, in milliseconds. */
const TARGETS_TIMEOUT_MS = 10_000;

/** The paths of a session under both names of the resource. */
const paths = (rest: string) => ['browser', 'interact'].map((base) => `/v2/${base}/:id/${rest}`);

/** Serves what the secret URLs of sessions lead to, besides WebSockets. No API key is needed. */
export function mountSessionPages(
  app: Express,
  deps: ApiDeps,
  { parseMultipart, rateLimit }: { parseMultipart: RequestHandler; rateLimit: RateLimit },
): void {
  const { config } = deps;
  const findBaseUrl = createBaseUrl(config);
  const find = async ({ params }: Request, resource: 'cdp' | 'view'): Promise<AccessedSession> => {
    const parsed = jobIdParams.safeParse({ id: params.id });
    const { id = '' } = parsed.data ?? {};
    const found = id
      ? await findAccessedSession({ id, resource, secret: String(params.secret) }, deps)
      : undefined;
    if (!found) throw noSessionError();
    return found;
  };

  const describe = async (request: Request) => {
    const { session } = await find(request, 'cdp');
    if (session.state === 'destroyed') throw destroyedError(session);
    const baseUrl = findBaseUrl(request);
    const { cdpUrl } = sessionUrls(session, { baseUrl, secretKey: config.secretKey });
    const host = { method: 'GET', resource: 'targets', timeoutMs: TARGETS_TIMEOUT_MS } as const;
    const targets = JSON.parse(await readHostResponse(await callHost(session, host, deps)));
    return { cdpUrl, ...sessionTargets.parse(targets) };
  };

  // Playwright accepts the HTTP form of the URL too, and looks for the WebSocket here, as others do.
  app.get(paths('cdp/:secret/json/version'), async (request, response) => {
    const { cdpUrl, version } = await describe(request);
    response.set('Cache-Control', 'no-store').json({
      Browser: version.product,
      'Protocol-Version': version.protocolVersion,
      'User-Agent': version.userAgent,
      'V8-Version': version.jsVersion,
      // chromedriver connects to no browser without it.
      'WebKit-Version': `537.36 (${version.revision})`,
      webSocketDebuggerUrl: cdpUrl,
    });
  });
  app.get([...paths('cdp/:secret/json'), ...paths('cdp/:secret/json/list')], async (request, response) => {
    const { cdpUrl, targets } = await describe(request);
    response.set('Cache-Control', 'no-store').json(
      targets.map((target) => ({
        description: '',
        ...target,
        webSocketDebuggerUrl: `${cdpUrl}/devtools/page/${target.id}`,
      })),
    );
  });

  // A program that has only this URL may upload files for the pages. As under signed upload URLs, it must not
  // use up what the team may request with its keys.
  const receiveFile =
    (findSession: (request: Request) => Promise<StoredSession>): RequestHandler =>
    async (request, response, next) => {
      const session = await findSession(request);
      const { team_id: teamId } = session;
      const rateLimitPerMinute = await findRateLimit(deps.db, teamId);
      if (rateLimitPerMinute === undefined) throw noSessionError();
      await rateLimit({ teamId, rateLimitPerMinute }, 'upload');
      response.locals.session = session;
      response.locals.caller = { teamId };
      next();
    };
  const storeFile: RequestHandler = async (_request, response) => {
    const { session, file } = response.locals;
    response.json(await uploadFile(session, file, deps));
  };
  const findConnectable = async (request: Request) => {
    const { session } = await find(request, 'cdp');
    if (session.state === 'destroyed') throw destroyedError(session);
    return session;
  };
  app.post(FILE_ENDPOINTS.sessionUpload.paths, receiveFile(findConnectable), parseMultipart, storeFile);

  const authenticate = createAuth(deps.db, config.authRequired);
  app.get(FILE_ENDPOINTS.sessionDownload.paths, async (request, response) => {
    const { teamId } = await authenticate(request.headers.authorization);
    const { id } = validate(jobIdParams, { id: request.params.id }, 'path');
    await sendDownload(await requireSession(id, teamId, deps), String(request.params.name), response);
  });
  const sendDownload = async (session: StoredSession, name: string, response: Response) => {
    const resource = `downloads/${encodeURIComponent(name)}`;
    const file = await callHost(session, { method: 'GET', resource, timeoutMs: DOWNLOAD_TIMEOUT_MS }, deps);
    response.attachment(name);
    response.set({
      'Content-Type': 'application/octet-stream',
      'Content-Length': file.headers['content-length'],
      'Content-Security-Policy': FOREIGN_FILE_POLICY,
    });
    await pipeline(file, response);
  };

  app.get(FILE_ENDPOINTS.sessionReplay.paths, async (request, response) => {
    const { teamId } = await authenticate(request.headers.authorization);
    const { id } = validate(jobIdParams, { id: request.params.id }, 'path');
    const { frames } = validate(replayQuery, request.query, 'query');
    const recording = await openRecording(await requireSession(id, teamId, deps), deps);
    response.set({ 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' });
    if (frames) await pipeline(recording, response);
    else await pipeline(recording, withoutFrames, response);
  });

  mountLiveViewAssets(app);
  app.get(paths('view/:secret'), async (request, response) => {
    const found = await find(request, 'view').catch((error) => {
      // People open these URLs; programs get the error as JSON.
      if (toServiceError(error).code === 'NOT_FOUND' && request.accepts(['json', 'html']) === 'html')
        return undefined;
      throw error;
    });
    if (found && !found.session.stream_web_view) throw noViewError();
    response.set(MESSAGE_PAGE_HEADERS).removeHeader('X-Frame-Options');
    if (!found) return void response.status(404).send(renderNoSessionPage());
    const { session, access } = found;
    if (session.state === 'destroyed')
      return void response.status(410).send(renderSessionEndedPage(session.end_reason ?? undefined));
    const remainingMs = session.expires_at.getTime() - Date.now();
    const { html, headers } = await renderLiveViewPage({ mayControl: access === 'control', remainingMs });
    response.set(headers).send(html);
  });

  // Viewers with control give the page files of their machine, and get those that it has downloaded.
  const findControlled = async (request: Request) => {
    const { session, access } = await find(request, 'view');
    if (access !== 'control') throw noSessionError();
    if (session.state === 'destroyed') throw destroyedError(session);
    return session;
  };
  app.post(paths('view/:secret/files'), receiveFile(findControlled), parseMultipart, storeFile);
  app.get(paths('view/:secret/downloads/:name'), async (request, response) => {
    await sendDownload(await findControlled(request), String(request.params.name), response);
  });
}
