import { pipeline } from 'node:stream/promises';
import type { Express, Request, RequestHandler } from 'express';
import { jobIdParams } from '../../schemas/job-id.ts';
import { sessionTargets } from '../../schemas/session.ts';
import { findRateLimit } from '../../storage/db/teams/teams.ts';
import { createAuth } from '../http/auth.ts';
import { createBaseUrl } from '../http/base-url.ts';
import { FOREIGN_FILE_POLICY } from '../http/browser-protection.ts';
import { FILE_ENDPOINTS } from '../http/file-endpoints.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import type { ApiDeps } from '../http/route.ts';
import { LIVE_VIEW_HEADERS, mountLiveViewAssets, renderLiveViewPage } from '../live-view/live-view-page.ts';
import { renderSessionEndedPage } from '../live-view/session-ended-page.ts';
import { validate } from '../validation/validate.ts';
import { callHost, DOWNLOAD_TIMEOUT_MS, readHostResponse } from './host-client.ts';
import { type AccessedSession, findAccessedSession } from './session-access.ts';
import { destroyedError, noSessionError, noViewError, requireSession } from './session-state.ts';
import { sessionUrls } from './session-urls.ts';
import { uploadFile } from './upload-file.ts';

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
  app.post(
    FILE_ENDPOINTS.sessionUpload.paths,
    async (request, response, next) => {
      const { session } = await find(request, 'cdp');
      if (session.state === 'destroyed') throw destroyedError(session);
      const { team_id: teamId } = session;
      const rateLimitPerMinute = await findRateLimit(deps.db, teamId);
      if (rateLimitPerMinute === undefined) throw noSessionError();
      await rateLimit({ teamId, rateLimitPerMinute }, 'upload');
      response.locals.session = session;
      response.locals.caller = { teamId };
      next();
    },
    parseMultipart,
    async (_request, response) => {
      const { session, file } = response.locals;
      response.json(await uploadFile(session, file, deps));
    },
  );

  const authenticate = createAuth(deps.db, config.authRequired);
  app.get(FILE_ENDPOINTS.sessionDownload.paths, async (request, response) => {
    const { teamId } = await authenticate(request.headers.authorization);
    const { id } = validate(jobIdParams, { id: request.params.id }, 'path');
    const session = await requireSession(id, teamId, deps);
    const name = String(request.params.name);
    const resource = `downloads/${encodeURIComponent(name)}`;
    const file = await callHost(session, { method: 'GET', resource, timeoutMs: DOWNLOAD_TIMEOUT_MS }, deps);
    response.attachment(name);
    response.set({
      'Content-Type': 'application/octet-stream',
      'Content-Length': file.headers['content-length'],
      'Content-Security-Policy': FOREIGN_FILE_POLICY,
    });
    await pipeline(file, response);
  });

  mountLiveViewAssets(app);
  app.get(paths('view/:secret'), async (request, response) => {
    const { session, access } = await find(request, 'view');
    if (!session.stream_web_view) throw noViewError();
    response.set(LIVE_VIEW_HEADERS).removeHeader('X-Frame-Options');
    if (session.state === 'destroyed')
      response.status(410).send(renderSessionEndedPage(session.end_reason ?? undefined));
    else response.send(renderLiveViewPage({ mayControl: access === 'control' }));
  });
}
