import type { Express, Request, RequestHandler, Response } from 'express';
import { inSpan, runInTrace } from '../../system/tracing.ts';
import type { Authenticate } from './auth.ts';
import { createBaseUrl } from './base-url.ts';
import { DEPRECATIONS, deprecationHeaders } from './deprecations.ts';
import { JsonStream } from './json-stream.ts';
import { JsonText } from './json-text.ts';
import type { OpenRequests } from './open-requests.ts';
import type { AnyRoute, ApiDeps } from './route.ts';
import { admitRequest, type RequestLimits, requireConnected, runRoute } from './run-route.ts';

/** The checks that a request passes before its handler runs. */
export interface RequestChecks extends RequestLimits {
  authenticate: Authenticate;
  /** The requests that wait for their response. */
  open: OpenRequests;
  parseJson: RequestHandler;
  /** Parses JSON, or a multipart body with a file. */
  parseMultipart: RequestHandler;
}

/**
 * Adds a route to the application. Requests are checked in the order that clients of this API expect: API
 * key, rate limit, credits, then the schemas.
 */
export function mountRoute(app: Express, route: AnyRoute, checks: RequestChecks, deps: ApiDeps): void {
  const admit: RequestHandler = async (request, response, next) => {
    if (route.deprecation)
      response.set(deprecationHeaders(DEPRECATIONS[route.deprecation.of], route.deprecation.replacement));
    const { authorization } = request.headers;
    // The team is not known before.
    const owner = authorization ?? request.ip ?? '';
    checks.open.take(owner, response);
    const disconnected = disconnectionOf(response);
    response.locals.caller = await checks.turns.run(owner, async () => {
      requireConnected(disconnected);
      const caller = await checks.authenticate(authorization, request.ip);
      await admitRequest(route, caller, checks, deps);
      return caller;
    });
    next();
  };
  const findBaseUrl = createBaseUrl(deps.config);
  const respond: RequestHandler = async (request, response) => {
    const received = {
      caller: response.locals.caller,
      idempotencyKey: request.get('x-idempotency-key') ?? request.get('idempotency-key'),
      disconnected: disconnectionOf(response),
      body: request.body,
      file: response.locals.file,
      query: { ...request.query },
      params: { ...request.params },
      baseUrl: findBaseUrl(request),
    };
    await traceRequest(request, route, async () => {
      const { result, inTurn } = await runRoute(route, received, checks, deps);
      if (result instanceof JsonStream) await result.sendTo(response, inTurn);
      else if (result instanceof JsonText) await result.sendTo(response);
      else response.json(result);
    });
  };
  const parseBody = route.fileOptions ? checks.parseMultipart : checks.parseJson;
  app[route.method](route.path, admit, ...(route.body ? [parseBody] : []), respond);
}

/** Responds to a request in a span of the trace that its client has begun, or of a new one. */
const traceRequest = <Result>(
  request: Request,
  { method, path }: AnyRoute,
  work: () => Promise<Result>,
): Promise<Result> =>
  runInTrace({ traceparent: request.get('traceparent') }, () =>
    inSpan(
      `${method.toUpperCase()} ${path}`,
      {
        kind: 'server',
        isRoot: true,
        attributes: { 'http.request.method': method.toUpperCase(), 'http.route': path },
      },
      work,
    ),
  );

/**
 * A signal that fires when a response is closed, or at once if it is.
 * @param reason that of the signal
 */
export function disconnectionOf(response: Response, reason?: Error): AbortSignal {
  const disconnected = new AbortController();
  if (response.destroyed || response.closed) disconnected.abort(reason);
  else response.once('close', () => disconnected.abort(reason));
  return disconnected.signal;
}
