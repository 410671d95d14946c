import type { Express } from 'express';
import { ServiceError } from '../../errors.ts';
import { jobIdParams } from '../../schemas/job-id.ts';
import { requestBaseUrl } from '../http/base-url.ts';
import type { ApiDeps } from '../http/route.ts';
import { findAccessedSession } from './session-access.ts';
import { sessionUrls } from './session-urls.ts';
import { destroyedError } from './start-session.ts';

/** Serves what the secret URLs of sessions lead to, besides WebSockets. No API key is needed. */
export function mountSessionPages(app: Express, deps: ApiDeps): void {
  const { config } = deps;
  // Playwright accepts the HTTP form of the URL too, and looks for the WebSocket here.
  const paths = ['browser', 'interact'].map((base) => `/v2/${base}/:id/cdp/:secret/json/version`);
  app.get(paths, async (request, response) => {
    const [id, secret] = [String(request.params.id), String(request.params.secret)];
    const isId = jobIdParams.safeParse({ id }).success;
    const found = isId ? await findAccessedSession({ id, resource: 'cdp', secret }, deps) : undefined;
    if (!found) throw new ServiceError('NOT_FOUND', 'There is no browser session at this URL.');
    if (found.session.state === 'destroyed') throw destroyedError(found.session);
    const baseUrl = requestBaseUrl(request, config.publicUrl);
    const { cdpUrl } = sessionUrls(found.session, { baseUrl, secretKey: config.secretKey });
    response.set('Cache-Control', 'no-store').json({
      Browser: 'Chrome',
      'Protocol-Version': '1.3',
      webSocketDebuggerUrl: cdpUrl,
    });
  });
}
