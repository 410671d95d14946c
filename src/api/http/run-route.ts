import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { Caller } from '../../storage/db/teams/teams.ts';
import { validate } from '../validation/validate.ts';
import type { RateLimit } from './rate-limit.ts';
import type { RequestTurns } from './request-turns.ts';
import { requireCredits, requireCreditsUnlessJoining } from './required-credits.ts';
import type { AnyRoute, ApiDeps, RouteRequest } from './route.ts';
import { validateText } from './validate-text.ts';

/** A request to a route before it is validated, whatever protocol it came by. */
export type ReceivedRequest = Omit<RouteRequest<unknown, unknown, unknown>, 'rawBody' | 'signal'>;

/** What bounds the requests of a team. */
export interface RequestLimits {
  rateLimit: RateLimit;
  /** The turns of requests that are checked, and of the parts of long lists. */
  turns: RequestTurns;
}

/** Runs a part of a request when it is its turn among those of its team. */
type InTurn = <Result>(task: () => Promise<Result>) => Promise<Result>;

/**
 * Admits a request of a known caller, before its body is read.
 * @throws ServiceError `RATE_LIMITED` or `INSUFFICIENT_CREDITS`
 */
export async function admitRequest(
  { rateLimited, rateBucket = 'request', minCredits = 0, mayJoinScrape }: AnyRoute,
  caller: Caller,
  { rateLimit }: Pick<RequestLimits, 'rateLimit'>,
  { db }: Pick<ApiDeps, 'db'>,
): Promise<void> {
  if (rateLimited !== false) await rateLimit(caller, rateBucket);
  const admitCredits = mayJoinScrape ? requireCreditsUnlessJoining : requireCredits;
  if (typeof minCredits === 'number') await admitCredits(db, caller, { minimum: minCredits });
}

/**
 * Validates an admitted request and runs the handler of its route.
 * @throws ServiceError for what the request breaks, and what the handler throws
 */
export async function runRoute(
  route: AnyRoute,
  received: ReceivedRequest,
  { turns }: Pick<RequestLimits, 'turns'>,
  deps: ApiDeps,
): Promise<{ result: unknown; inTurn: InTurn }> {
  const { minCredits, query = NO_QUERY } = route;
  const { caller, body, file, disconnected } = received;
  validateText(body);
  if (typeof minCredits === 'function' && caller.creditsRemaining !== null)
    await requireCredits(deps.db, caller, { minimum: minCredits(body), isForPages: true });
  const request = {
    ...received,
    rawBody: body,
    signal: AbortSignal.any([disconnected, deps.closing]),
    body: check(file ? route.fileOptions : route.body, body, 'body', route.faultPrefix),
    query: check(query, received.query, 'query'),
    params: check(route.params, received.params, 'path'),
  };
  const inTurn: InTurn = (task) => turns.run(caller.teamId, task);
  const handle = async () => {
    requireConnected(disconnected);
    return route.handler(request, deps);
  };
  // What only reads has no rate limit, and takes statements of the database and little else.
  const result = await (route.method === 'get' ? inTurn(handle) : handle());
  return { result, inTurn };
}

/** @throws ServiceError `BAD_REQUEST` if the client has gone, so that nothing is done for it */
export function requireConnected(disconnected: AbortSignal): void {
  if (disconnected.aborted) throw new ServiceError('BAD_REQUEST', 'The client has disconnected.');
}

/**
 * Without a schema, a route has no query parameters. One that it ignored could be the misspelt filter of a
 * list.
 */
const NO_QUERY = z.strictObject({});

const check = (
  schema: z.ZodType | undefined,
  value: unknown,
  part: 'body' | 'query' | 'path',
  prefix?: string,
) => schema && validate(schema, value, part, prefix);
