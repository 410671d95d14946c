import type { Express, RequestHandler } from 'express';
import type { z } from 'zod';
import type { DiskSpace } from '../blobs/disk-space.ts';
import type { Blobs } from '../blobs/index.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/client.ts';
import type { Caller } from '../db/teams/teams.ts';
import { type ErrorCode, ServiceError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Temporal } from '../temporal.ts';
import type { Authenticate } from './auth.ts';
import { baseUrlOf } from './base-url.ts';
import { validationError } from './errors.ts';
import { JsonStream } from './json-stream.ts';
import type { RateLimit } from './rate-limit.ts';
import { requireStorable } from './validate-text.ts';

/** The services that handlers depend on. */
export interface ApiDoors {
  config: Config & { secretKey: string };
  db: Database;
  blobs: Blobs;
  temporal: Temporal;
  storage: DiskSpace;
  logger: Logger;
  /** Fires when the process was asked to stop. Requests that only wait are then answered with an error. */
  closing: AbortSignal;
}

/** A request that passed all checks, as its handler receives it. */
interface Call<Body, Query, Params> {
  caller: Caller;
  body: Body;
  query: Query;
  params: Params;
  /** The body before its schema filled in defaults. */
  sent: unknown;
  /** Base of the URLs in responses, without a trailing slash. */
  baseUrl: string;
  /** The value of the header `x-idempotency-key`. */
  idempotencyKey: string | undefined;
  /** Fires when the client has disconnected or the process was asked to stop. */
  signal: AbortSignal;
}

/** The definition of one endpoint. Routing, validation, limits and the API reference are derived from it. */
export interface Route<Body, Query, Params, Answer> {
  method: 'get' | 'post' | 'delete';
  /** The path in the syntax of Express, such as `/v2/scrape/:id`. */
  path: string;
  tag: string;
  summary: string;
  body?: z.ZodType<Body>;
  query?: z.ZodType<Query>;
  params?: z.ZodType<Params>;
  answer: z.ZodType<Answer>;
  /** Error codes that the handler may throw. `errorsOf` adds those of the checks before the handler. */
  errors: readonly ErrorCode[];
  /** Whether the rate limit of the team applies; true by default, false for routes that only read a state. */
  limited?: boolean;
  /** Credits that the team needs to have left. A function receives the body before it is validated. */
  leastCredits?: number | ((sent: unknown) => number);
  handler: (call: Call<Body, Query, Params>, doors: ApiDoors) => Promise<Answer | JsonStream>;
}

/** A route of unknown body, query, path and response types, as lists of routes contain it. */
export type AnyRoute = Route<unknown, unknown, unknown, unknown>;

/** Defines a route. The compiler checks its handler against the types of its schemas. */
export function defineRoute<Body, Query, Params, Answer>(
  route: Route<Body, Query, Params, Answer>,
): AnyRoute {
  // Safe, because `mountRoute` calls the handler only with values that the schemas of the route returned.
  return route as unknown as AnyRoute;
}

/** The checks that a request passes before its handler runs. */
export interface Checks {
  authenticate: Authenticate;
  rateLimit: RateLimit;
  parseJson: RequestHandler;
}

/**
 * Adds a route to the application. Requests are checked in the order that clients of this API expect: API key,
 * rate limit, credits, then the schemas.
 */
export function mountRoute(app: Express, route: AnyRoute, checks: Checks, doors: ApiDoors): void {
  const admit: RequestHandler = async (request, response, next) => {
    const caller = await checks.authenticate(request.headers.authorization);
    if (route.limited !== false) await checks.rateLimit(caller);
    response.locals.caller = caller;
    next();
  };
  const answer: RequestHandler = async (request, response) => {
    const { caller } = response.locals;
    const { leastCredits = 0 } = route;
    requireStorable(request.body);
    requireCredits(caller, typeof leastCredits === 'number' ? leastCredits : leastCredits(request.body));
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const call = {
      caller,
      sent: request.body,
      idempotencyKey: request.get('x-idempotency-key'),
      signal: AbortSignal.any([gone.signal, doors.closing]),
      body: check(route.body, request.body, 'body'),
      query: check(route.query, { ...request.query }, 'query'),
      params: check(route.params, { ...request.params }, 'path'),
      baseUrl: baseUrlOf(request, doors.config.publicUrl),
    };
    const result = await route.handler(call, doors);
    if (result instanceof JsonStream) await result.sendTo(response);
    else response.json(result);
  };
  app[route.method](route.path, admit, ...(route.body ? [checks.parseJson] : []), answer);
}

function requireCredits({ creditsRemaining }: Caller, least: number): void {
  // Free requests are allowed even if the team has a negative number of credits.
  if (least === 0 || creditsRemaining === null || creditsRemaining >= least) return;
  throw new ServiceError(
    'INSUFFICIENT_CREDITS',
    `Insufficient credits: this request needs ${least}, the team has ${creditsRemaining}. Ask your operator for more.`,
  );
}

function check(schema: z.ZodType | undefined, value: unknown, part: 'body' | 'query' | 'path'): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw validationError(parsed.error, part);
  return parsed.data;
}
