import express, { type Express } from 'express';
import { pinoHttp } from 'pino-http';
// The main module of swagger-ui-dist would load the scripts of the reference page into this process.
import absolutePath from 'swagger-ui-dist/absolute-path.js';
import { WORKER_ROLES } from '../config.ts';
import { requireWorkers } from '../db/workers.ts';
import { ServiceError } from '../errors.ts';
import { createHealth, createMetrics } from '../health.ts';
import { createAuth } from './auth.ts';
import { errorHandler } from './errors.ts';
import { mountFiles } from './files.ts';
import { timeRequests } from './metrics.ts';
import { describeApi } from './openapi.ts';
import { createRateLimit } from './rate-limit.ts';
import { type ApiDoors, mountRoute } from './route.ts';
import { ROUTES } from './routes.ts';
import { requireAvailable } from './unimplemented.ts';

const JSON_LIMIT = '10mb';

/** Creates the HTTP application: probes, the API reference, file downloads and every route of the API. */
export function createApp(doors: ApiDoors): Express {
  const { config, db, blobs, temporal, logger } = doors;
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  const registry = createMetrics('api');
  timeRequests(app, registry);
  app.use(pinoHttp({ logger, useLevel: 'debug', quietReqLogger: true }));
  app.use(allowAnyOrigin);
  const health = createHealth(
    {
      database: db.ready,
      blobs: blobs.ready,
      temporal: temporal.ready,
      workers: () => requireWorkers(db, WORKER_ROLES),
    },
    registry,
  );
  app.use((request, response, next) => {
    if (!health(request, response)) next();
  });
  mountReference(app);
  mountLegacyProbes(app);
  mountFiles(app, blobs, config.secretKey);
  const checks = {
    authenticate: createAuth(db, config.authRequired),
    rateLimit: createRateLimit(db),
    parseJson: express.json({ limit: JSON_LIMIT, type: () => true, strict: false }),
  };
  for (const route of ROUTES) mountRoute(app, route, checks, doors);
  app.use((request, response) => {
    const other = ROUTES.filter((route) => pathMatches(route.path, request.path)).map((route) =>
      route.method.toUpperCase(),
    );
    if (other.length) {
      response.set('Allow', other.join(', '));
      throw new ServiceError(
        'METHOD_NOT_ALLOWED',
        `${request.method} is not possible on ${request.path}. Use ${other.join(' or ')}.`,
      );
    }
    requireAvailable(request.path);
    throw new ServiceError(
      'NOT_FOUND',
      `There is no ${request.method} ${request.path}. The reference is at /docs.`,
    );
  });
  app.use(errorHandler(logger));
  return app;
}

const pathMatches = (pattern: string, path: string) =>
  new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}/?$`).test(path);

/** Lets pages of any origin call the API, because access is protected by API keys and not by origins. */
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

/** Serves `/openapi.json` and the reference at `/docs`, whose scripts come from this server and no other. */
function mountReference(app: Express): void {
  const document = describeApi(ROUTES);
  app.get('/openapi.json', (_request, response) => {
    response.json(document);
  });
  app.get('/', (_request, response) => response.redirect('/docs'));
  app.get('/docs/swagger-initializer.js', (_request, response) => {
    response
      .type('js')
      .send(
        "window.onload = () => { window.ui = SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui' }); };",
      );
  });
  app.use('/docs', express.static(absolutePath()));
}

/** Serves the probes that existing clients of this API call. */
function mountLegacyProbes(app: Express): void {
  app.get(['/v0/health/readiness', '/v0/health/liveness'], (_request, response) => {
    response.json({ status: 'ok' });
  });
  app.get('/e2e-test', (_request, response) => {
    response.send('OK');
  });
}
