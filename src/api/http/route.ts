import type { Express, RequestHandler, Response } from 'express';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import type { StartDirectly } from '../../jobs/direct-start/protocol.ts';
import type { DiskSpace } from '../../storage/blobs/disk-space.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import type { Database } from '../../storage/db/client.ts';
import type { Caller } from '../../storage/db/teams/teams.ts';
import type { Logger } from '../../system/logger.ts';
import type { Temporal } from '../../temporal/workflow-client.ts';
import type { WatchedJobs } from '../page-jobs/watched-jobs.ts';
import { validate } from '../validation/validate.ts';
import type { Authenticate } from './auth.ts';
import { createBaseUrl } from './base-url.ts';
import type { EncryptedFile } from './encrypted-file.ts';
import { JsonStream } from './json-stream.ts';
import { JsonText } from './json-text.ts';
import type { OpenRequests } from './open-requests.ts';
import type { RateBucket, RateLimit } from './rate-limit.ts';
import type { RequestTurns } from './request-turns.ts';
import { requireCredits, requireCreditsUnlessJoining } from './required-credits.ts';
import { validateText } from './validate-text.ts';

/** The services that handlers depend on. */
export interface ApiDeps {
  config: Config & { secretKey: string };
  db: Database;
  /** The results of jobs, and the files that belong to them. */
  results: Blobs;
  /** Storage of uploaded files. */
  uploads: Blobs;
  /** What checks of monitors have found. */
  monitorBlobs: Blobs;
  temporal: Temporal;
  /** The batches and crawls that clients wait for. */
  watched: WatchedJobs;
  /** Starts quick scrapes directly, where a worker is on this machine. */
  startDirectly?: StartDirectly | undefined;
  storage: DiskSpace;
  logger: Logger;
  /** Fires when the process was asked to stop. Requests that only wait for a job then end with an error. */
  closing: AbortSignal;
}

/** A request that passed all checks, as its handler receives it. */
interface RouteRequest<Body, Query, Params> {
  caller: Caller;
  body: Body;
  /** The file of a multipart body; see `Route.fileOptions`. */
  file: EncryptedFile | undefined;
  query: Query;
  params: Params;
  /** The body before its schema filled in defaults. */
  rawBody: unknown;
  /** Base of the URLs in responses, without a trailing slash. */
  baseUrl: string;
  /** The value of the header `x-idempotency-key`, or of `Idempotency-Key`, as other APIs call it. */
  idempotencyKey: string | undefined;
  /** Fires when the client has disconnected. */
  disconnected: AbortSignal;
  /** Fires when the client has disconnected or the process was asked to stop. */
  signal: AbortSignal;
}

/** The definition of one endpoint. Routing, validation, limits and the API reference are derived from it. */
export interface Route<Body, Query, Params, ResponseBody> {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** The path in the syntax of Express, such as `/v2/scrape/:id`. */
  path: string;
  /** The group of the route in the API reference. */
  tag: string;
  summary: string;
  body?: z.ZodType<Body>;
  /**
   * The schema of the part `options` of a multipart body, which replaces a JSON body and has a file besides.
   * Without it, bodies are JSON.
   */
  fileOptions?: z.ZodType<Body>;
  /** Whether a request without a file is refused, so that the API reference has no JSON body. */
  needsFile?: true;
  /** The path that takes the place of the route, which is deprecated. Responses name it in their headers. */
  replacement?: string;
  query?: z.ZodType<Query>;
  params?: z.ZodType<Params>;
  response: z.ZodType<ResponseBody>;
  /** Error codes that the handler may throw. `errorCodesOf` adds those of the checks before the handler. */
  errors: readonly ErrorCode[];
  /** Begins messages about a body that does not match its schema, where clients of the API expect that. */
  faultPrefix?: string;
  /** Whether the rate limit of the team applies; true by default, false for routes that only read a state. */
  rateLimited?: boolean;
  /** With which others its requests are counted; `request` by default. */
  rateBucket?: RateBucket;
  /** Credits that the team needs to have left. A function receives the body before it is validated. */
  minCredits?: number | ((rawBody: unknown) => number);
  /**
   * Whether a request may join an earlier scrape, which costs nothing more; see
   * {@link requireCreditsUnlessJoining}.
   */
  mayJoinScrape?: true;
  handler: (
    request: RouteRequest<Body, Query, Params>,
    deps: ApiDeps,
  ) => Promise<ResponseBody | JsonStream | JsonText>;
}

/** A route of unknown body, query, path and response types, as lists of routes contain it. */
export type AnyRoute = Route<unknown, unknown, unknown, unknown>;

/**
 * Defines a route. The compiler checks its handler against the types of its schemas.
 * @example
 * const status = defineRoute({
 *   method: 'get',
 *   path: '/v2/team/jobs/:id',
 *   tag: 'Team',
 *   summary: 'Get the status of a job of the team',
 *   params: jobIdParams,
 *   response: z.object({ status: z.string() }),
 *   errors: ['NOT_FOUND'],
 *   async handler({ caller, params: { id } }, { db }) {
 *     const job = await findJob(db, id);
 *     if (job?.team_id !== caller.teamId) throw new ServiceError('NOT_FOUND', `There is no job ${id}.`);
 *     return { status: job.status };
 *   },
 * });
 */
export function defineRoute<Body, Query, Params, ResponseBody>(
  route: Route<Body, Query, Params, ResponseBody>,
): AnyRoute {
  // Safe, because `mountRoute` calls the handler only with values that the schemas of the route returned.
  return route as unknown as AnyRoute;
}

/** The checks that a request passes before its handler runs. */
export interface RequestChecks {
  authenticate: Authenticate;
  rateLimit: RateLimit;
  /** The requests that wait for their response. */
  open: OpenRequests;
  /** The turns of requests that are checked, and of the parts of long lists. */
  turns: RequestTurns;
  parseJson: RequestHandler;
  /** Parses JSON, or a multipart body with a file. */
  parseMultipart: RequestHandler;
}

/**
 * Adds a route to the application. Requests are checked in the order that clients of this API expect: API
 * key, rate limit, credits, then the schemas.
 */
export function mountRoute(app: Express, route: AnyRoute, checks: RequestChecks, deps: ApiDeps): void {
  const { minCredits = 0, rateBucket = 'request', query = NO_QUERY } = route;
  const admitCredits = route.mayJoinScrape ? requireCreditsUnlessJoining : requireCredits;
  const admit: RequestHandler = async (request, response, next) => {
    if (route.replacement) response.set(deprecationHeaders(route.replacement));
    const { authorization } = request.headers;
    // The team is not known before.
    const owner = authorization ?? request.ip ?? '';
    checks.open.take(owner, response);
    response.locals.caller = await checks.turns.run(owner, async () => {
      requireConnected(response);
      const caller = await checks.authenticate(authorization);
      if (route.rateLimited !== false) await checks.rateLimit(caller, rateBucket);
      if (typeof minCredits === 'number') await admitCredits(deps.db, caller, { minimum: minCredits });
      return caller;
    });
    next();
  };
  const findBaseUrl = createBaseUrl(deps.config);
  const respond: RequestHandler = async (request, response) => {
    const { caller, file } = response.locals;
    validateText(request.body);
    if (typeof minCredits === 'function' && caller.creditsRemaining !== null)
      await requireCredits(deps.db, caller, { minimum: minCredits(request.body), isForPages: true });
    const disconnected = new AbortController();
    response.on('close', () => disconnected.abort());
    const routeRequest = {
      caller,
      rawBody: request.body,
      idempotencyKey: request.get('x-idempotency-key') ?? request.get('idempotency-key'),
      disconnected: disconnected.signal,
      signal: AbortSignal.any([disconnected.signal, deps.closing]),
      body: check(file ? route.fileOptions : route.body, request.body, 'body', route.faultPrefix),
      file,
      query: check(query, { ...request.query }, 'query'),
      params: check(route.params, { ...request.params }, 'path'),
      baseUrl: findBaseUrl(request),
    };
    const inTurn = <Result>(task: () => Promise<Result>) => checks.turns.run(caller.teamId, task);
    const handle = async () => {
      requireConnected(response);
      return route.handler(routeRequest, deps);
    };
    // What only reads has no rate limit, and takes statements of the database and little else.
    const result = await (route.method === 'get' ? inTurn(handle) : handle());
    if (result instanceof JsonStream) await result.sendTo(response, inTurn);
    else if (result instanceof JsonText) await result.sendTo(response);
    else response.json(result);
  };
  const parseBody = route.fileOptions ? checks.parseMultipart : checks.parseJson;
  app[route.method](route.path, admit, ...(route.body ? [parseBody] : []), respond);
}

/** @throws ServiceError `BAD_REQUEST` if the client has gone, so that nothing is done for it */
function requireConnected(response: Response): void {
  if (response.destroyed || response.closed)
    throw new ServiceError('BAD_REQUEST', 'The client has disconnected.');
}

/**
 * Without a schema, a route has no query parameters. One that it ignored could be the misspelt filter of a
 * list.
 */
const NO_QUERY = z.strictObject({});

/**
 * Since when routes count as deprecated, in seconds since 1970. The interface gives no date, so it is that of
 * its version.
 */
const DEPRECATED_SINCE = Date.UTC(2026, 0, 1) / 1000;

/** The headers of a deprecated route (RFC 9745), with the one that takes its place (RFC 5829). */
const deprecationHeaders = (replacement: string) => ({
  Deprecation: `@${DEPRECATED_SINCE}`,
  Link: `<${replacement}>; rel="successor-version"`,
});

const check = (
  schema: z.ZodType | undefined,
  value: unknown,
  part: 'body' | 'query' | 'path',
  prefix?: string,
) => schema && validate(schema, value, part, prefix);
