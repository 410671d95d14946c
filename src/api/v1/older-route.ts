import { z } from 'zod';
import type { AnyRoute, ApiDeps } from '../http/route.ts';
import { ROUTES } from '../routes.ts';
import { validateKnownKeys } from './known-members.ts';

/** A request of version 1, with its body as it was sent. */
export type RouteRequest = Parameters<AnyRoute['handler']>[0];

/** A body of version 1 in terms of version 2. */
export interface TranslatedBody {
  /** The body that the route of version 2 checks. */
  body: unknown;
  /** Adds to the checked body what no body of version 2 can say. */
  amend?(checked: unknown): unknown;
}

/** How a route of version 1 differs from the one of version 2 that serves it. */
interface Translation {
  /** Another method, for clients that use a wrong one. */
  method?: AnyRoute['method'];
  /**
   * Converts the body.
   * @throws ServiceError `BAD_REQUEST` for a wrong value of an option that only version 1 has
   */
  request?(body: unknown): TranslatedBody;
  /** Converts the response. */
  response?(response: unknown, request: RouteRequest): unknown;
  /** Finds another route of version 2 for a request whose id is that of another kind of job. */
  choose?(request: RouteRequest, deps: ApiDeps): Promise<AnyRoute>;
}

/**
 * Finds a route of version 2.
 * @throws Error if there is none
 */
export function routeAt(method: AnyRoute['method'], path: string): AnyRoute {
  const route = ROUTES.find((each) => each.method === method && each.path === path);
  if (!route) throw new Error(`There is no route ${method} ${path}.`);
  return route;
}

/** Defines a route of version 1 by the one of version 2 that serves it, with its checks, handler and errors. */
export function olderRoute(route: AnyRoute, translation: Translation = {}): AnyRoute {
  const { body, ...same } = route;
  return {
    ...same,
    method: translation.method ?? route.method,
    path: route.path.replace(/^\/v2\//, '/v1/'),
    deprecation: { of: 'version1', replacement: route.path },
    query: z.looseObject({}),
    ...(body && { body: z.unknown() }),
    async handler(request, deps) {
      const served = (await translation.choose?.(request, deps)) ?? route;
      const response = await served.handler(translateRequest(request, served, translation), deps);
      return translation.response ? translation.response(response, request) : response;
    },
  };
}

/** @throws ServiceError `BAD_REQUEST` unless the body and the query are what the route expects */
function translateRequest(request: RouteRequest, route: AnyRoute, translation: Translation): RouteRequest {
  const query = route.query ? validateKnownKeys(route.query, request.query, 'query') : {};
  if (!route.body) return { ...request, query };
  const { body, amend } = translation.request?.(request.body) ?? { body: request.body };
  const checked = validateKnownKeys(route.body, body, 'body');
  return { ...request, query, rawBody: body, body: amend ? amend(checked) : checked };
}
