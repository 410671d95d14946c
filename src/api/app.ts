import type { RequestListener } from 'node:http';
import express, { type Express } from 'express';
import { pinoHttp } from 'pino-http';
import { MAX_UPLOAD_BYTES } from '../schemas/parse.ts';
import { createHealth, createMetrics } from '../system/health.ts';
import { mountConsole } from './console/console-page.ts';
import { mountDocs } from './docs/docs-pages.ts';
import { mountFiles } from './files.ts';
import { createAuth } from './http/auth.ts';
import { protectResponse } from './http/browser-protection.ts';
import { ByteBudget } from './http/byte-budget.ts';
import { createErrorHandler } from './http/error-responses.ts';
import { createJsonParser } from './http/json-body.ts';
import { timeRequests } from './http/metrics.ts';
import { mountRoute } from './http/mount-route.ts';
import { createMultipartParser } from './http/multipart.ts';
import { OpenRequests } from './http/open-requests.ts';
import { createOtherSiteCheck, refuseOtherSites } from './http/other-sites.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { RequestTurns } from './http/request-turns.ts';
import type { ApiDeps } from './http/route.ts';
import { mountMcp } from './mcp/endpoint.ts';
import { mountFeeds } from './monitors/feeds.ts';
import { mountSubscriptions } from './monitors/subscriptions.ts';
import { createOperatorAuth } from './operator/operator-key.ts';
import { OPERATOR_ROUTES } from './operator/routes.ts';
import { createServiceMetrics, readWorkerMetrics } from './operator/service-metrics.ts';
import { mountExports } from './page-jobs/export.ts';
import { mountUploads } from './parse/uploads.ts';
import { listProbes } from './probes.ts';
import { ROUTES } from './routes.ts';
import { mountSessionPages } from './sessions/session-pages.ts';
import { hideSessionSecret } from './sessions/session-urls.ts';
import { createTeamMetrics } from './sessions/team-metrics.ts';
import { createPathCheck, createUnknownRouteHandler } from './unknown-route.ts';
import { V1_ROUTES } from './v1/routes.ts';

/** Maximum bytes of uploaded files that are in memory before they are stored. */
const MAX_UPLOADING_BYTES = 4 * MAX_UPLOAD_BYTES;
/** Those of one team. */
const MAX_UPLOADING_BYTES_OF_TEAM = 2 * MAX_UPLOAD_BYTES;
/** Maximum bytes of large JSON bodies whose requests are open, of all teams and of one. */
const JSON_BYTES = { bytes: 400 * 1024 * 1024, bytesOfTeam: 40 * 1024 * 1024 };
/**
 * Requests of one key that are checked at once, and lists of one team of which a part is read: half as many
 * as the database has connections for this process. No more get to their handler at once either, so that it
 * bounds their statements too.
 */
const MAX_AT_ONCE = 10;

/**
 * Creates the HTTP application: health checks, the API reference, file downloads and every route of the API.
 */
export function createApp(deps: ApiDeps): RequestListener {
  const { config, db, logger } = deps;
  const app = express();
  app.disable('x-powered-by');
  // Responses that clients may keep have an ETag of their own, and their routes compare it. Express would send 304 without
  // content to `If-None-Match: *` from all others.
  app.disable('etag');
  Object.defineProperty(app.request, 'fresh', { value: false });
  app.set('query parser', 'simple');
  app.use(protectResponse);
  const open = new OpenRequests(config.openRequestsPerKey);
  app.use(open.refuse);
  const registry = createMetrics('api');
  timeRequests(app, registry);
  app.use(
    pinoHttp({
      logger,
      useLevel: 'debug',
      quietReqLogger: true,
      serializers: {
        req: ({ raw, params: _, ...rest }) => ({ ...rest, url: hideSessionSecret(raw.originalUrl) }),
      },
    }),
  );
  app.use(config.authRequired ? allowAnyOrigin : refuseOtherSites(createOtherSiteCheck(config)));
  const authenticate = createAuth(db, config.authRequired);
  createServiceMetrics(registry, deps);
  const handleHealth = createHealth(listProbes(deps), {
    registry,
    moreMetrics: [
      () => readWorkerMetrics(deps),
      createTeamMetrics(deps, { authenticate, authRequired: config.authRequired }),
    ],
  });
  app.use((request, response, next) => {
    if (!handleHealth(request, response)) next();
  });
  mountDocs(app);
  mountConsole(app, config);
  mountLegacyHealthChecks(app);
  mountFiles(app, deps, config.secretKey);
  const budget = new ByteBudget({
    bytes: MAX_UPLOADING_BYTES,
    bytesOfTeam: MAX_UPLOADING_BYTES_OF_TEAM,
    what: 'files',
  });
  const rateLimit = createRateLimit(db);
  const parseJson = createJsonParser(new ByteBudget({ ...JSON_BYTES, what: 'JSON' }));
  mountUploads(app, deps, { budget, rateLimit });
  const checks = {
    authenticate,
    rateLimit,
    turns: new RequestTurns(MAX_AT_ONCE),
    open,
    parseJson,
    parseMultipart: createMultipartParser({ secretKey: config.secretKey, budget, parseJson }),
  };
  mountSessionPages(app, deps, checks);
  mountExports(app, deps, checks);
  mountMcp(app, deps, checks);
  mountSubscriptions(app, deps);
  mountFeeds(app, deps);
  const operatorChecks = { ...checks, authenticate: createOperatorAuth(config.adminKey) };
  const routes = [...ROUTES, ...V1_ROUTES];
  app.use(createPathCheck([...routes, ...OPERATOR_ROUTES]));
  for (const route of routes) mountRoute(app, route, checks, deps);
  for (const route of OPERATOR_ROUTES) mountRoute(app, route, operatorChecks, deps);
  app.use(createUnknownRouteHandler(app));
  app.use(createErrorHandler(logger));
  return (request, response) => open.receive(request, response, () => app(request, response));
}

/** Lets pages of any origin call the API, where access is protected by API keys and not by origins. */
const allowAnyOrigin: express.RequestHandler = (request, response, next) => {
  response.set('Access-Control-Allow-Origin', '*');
  if (request.method !== 'OPTIONS') return next();
  response.set({
    'Access-Control-Allow-Methods': 'GET,POST,PUT,PATCH,DELETE',
    'Access-Control-Allow-Headers': request.get('access-control-request-headers') ?? '*',
    'Access-Control-Max-Age': '86400',
  });
  response.status(204).end();
};

/** Serves the health checks that existing clients of this API call. */
function mountLegacyHealthChecks(app: Express): void {
  app.get(['/v0/health/readiness', '/v0/health/liveness'], (_request, response) => {
    response.json({ status: 'ok' });
  });
  app.get('/e2e-test', (_request, response) => {
    response.type('text').send('OK');
  });
}
