import { excerpt, ServiceError } from '../../errors.ts';
import { isJsonObject, parseJson } from '../../json/json-object.ts';
import type { Caller } from '../../storage/db/teams/teams.ts';
import { JsonStream } from '../http/json-stream.ts';
import { JsonText } from '../http/json-text.ts';
import type { AnyRoute, ApiDeps } from '../http/route.ts';
import { admitRequest, type RequestLimits, runRoute } from '../http/run-route.ts';

/** A request to a route of the API, as tools make them. */
export interface RouteCall {
  method: AnyRoute['method'];
  /** The path in the syntax of Express, such as `/v2/crawl/:id`. */
  path: string;
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** The JSON object that a route responds with. */
export type RouteResponse = Record<string, unknown>;

/** How a result is read again, by a route that only reads. */
export interface Reading {
  /** The path in the syntax of Express. */
  path: string;
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  /** The member of the response that is the result; absent if all of it is. */
  member?: string;
  /** What the result has besides the response. */
  extra?: Record<string, unknown>;
  /** Where the part begins that is read, in bytes; absent for the beginning. */
  from?: number;
}

/**
 * Calls a route.
 * @param disconnected ends the wait for the response when it fires
 * @throws ServiceError that of the route
 */
export type CallRoute = (call: RouteCall, disconnected: AbortSignal) => Promise<RouteResponse>;

/** Who calls routes, and the base of the URLs in their responses. */
interface RouteCaller {
  caller: Caller;
  baseUrl: string;
}

/** Makes the calls of a caller whose key has been checked; see {@link CallRoute}. */
export type CallRoutesAs = (caller: RouteCaller) => CallRoute;

/**
 * Calls routes within the process, with the same limits, prices and validation as a request over HTTP.
 * @param routes those that can be called
 */
export function createRouteCalls(
  routes: readonly AnyRoute[],
  limits: RequestLimits,
  deps: ApiDeps,
): CallRoutesAs {
  const byName = new Map(routes.map((route) => [nameOf(route), route]));
  return ({ caller, baseUrl }) =>
    async (call, disconnected) => {
      const route = byName.get(nameOf(call));
      if (!route) throw new ServiceError('BAD_REQUEST', `There is no route ${excerpt(nameOf(call))}.`);
      await limits.turns.run(caller.teamId, () => admitRequest(route, caller, limits, deps));
      const { params = {}, body } = call;
      const request = { caller, body, params, query: queryOf(call), baseUrl, disconnected };
      const unused = { file: undefined, idempotencyKey: undefined };
      const { result } = await runRoute(route, { ...request, ...unused }, limits, deps);
      return toJson(result);
    };
}

/** The name of a route, or of that of a call: `POST /v2/scrape`. */
const nameOf = ({ method, path }: Pick<RouteCall, 'method' | 'path'>) => `${method.toUpperCase()} ${path}`;

/** The query of a call as URLs have it. */
const queryOf = ({ query = {} }: RouteCall): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]],
    ),
  );

/** What a client gets as the body of the response. */
async function toJson(result: unknown): Promise<RouteResponse> {
  const json = result instanceof JsonText ? parseJson(result.text) : result;
  const value = json instanceof JsonStream ? parseJson(await textOf(json)) : json;
  // Values such as dates and absent members have their JSON form only after they were written.
  const written = value === json && !(result instanceof JsonText) ? parseJson(JSON.stringify(value)) : value;
  if (!isJsonObject(written)) throw new Error('a route has responded with something else than an object');
  return written;
}

async function textOf(stream: JsonStream): Promise<string> {
  let text = '';
  for await (const part of stream.text()) text += part;
  return text;
}
