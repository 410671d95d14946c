import type { Express, RequestHandler } from 'express';
import type { z } from 'zod';
import type { Blobs } from '../blobs.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/client.ts';
import type { Caller } from '../db/teams.ts';
import type { DiskSpace } from '../disk-space.ts';
import { type ErrorCode, ServiceError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Temporal } from '../temporal.ts';
import type { Authenticate } from './auth.ts';
import { baseUrlOf } from './base-url.ts';
import { validationError } from './errors.ts';
import { JsonStream } from './json-stream.ts';
import type { RateLimit } from './rate-limit.ts';
import { requireStorable } from './storable.ts';

/** What the API reaches the outside world through. */
export interface ApiDoors {
  config: Config & { secretKey: string };
  db: Database;
  blobs: Blobs;
  temporal: Temporal;
  storage: DiskSpace;
  logger: Logger;
  /** Fires when the process is asked to end: who only waits is answered then. */
  closing: AbortSignal;
}

/** What a handler is given: everything checked. */
interface Call<Body, Query, Params> {
  caller: Caller;
  body: Body;
  query: Query;
  params: Params;
  /** The body before its schema put defaults in. */
  sent: unknown;
  /** Base of the addresses in answers, without a slash at its end. */
  baseUrl: string;
  /** Of the header `x-idempotency-key`. */
  idempotencyKey: string | undefined;
  /** Fires when nobody waits any more: the client has gone, or the process is asked to end. */
  signal: AbortSignal;
}

/** One endpoint: feeds the router, the validation, the limits and the API reference. */
export interface Route<Body, Query, Params, Answer> {
  method: 'get' | 'post' | 'delete';
  /** With Express parameters, e.g. `/v2/scrape/:id`. */
  path: string;
  tag: string;
  summary: string;
  body?: z.ZodType<Body>;
  query?: z.ZodType<Query>;
  params?: z.ZodType<Params>;
  answer: z.ZodType<Answer>;
  /** What its handler may fail with; `errorsOf` adds what may come before it. */
  errors: readonly ErrorCode[];
  /** Reading a job's state is never limited. */
  limited?: boolean;
  /** Credits that the team must have left; they may depend on the body, which is not checked yet. */
  leastCredits?: number | ((sent: unknown) => number);
  handler: (call: Call<Body, Query, Params>, doors: ApiDoors) => Promise<Answer | JsonStream>;
}

/** A route whose types no longer matter to the compiler. */
export type AnyRoute = Route<unknown, unknown, unknown, unknown>;

/** Keeps the types of a route's schemas together while its handler is written. */
export function defineRoute<Body, Query, Params, Answer>(
  route: Route<Body, Query, Params, Answer>,
): AnyRoute {
  // The handler only ever meets what its own schemas gave out.
  return route as unknown as AnyRoute;
}

/** What stands before every handler. */
export interface Checks {
  authenticate: Authenticate;
  rateLimit: RateLimit;
  parseJson: RequestHandler;
}

/** Mounts a route: key, rate limit, credits, then the request against its schemas (compatibility 1.0, order of checks). */
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
  // What costs nothing is open to a team that owes, too.
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
