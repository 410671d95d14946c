import { z } from 'zod';
import type { AnyRoute, ApiDeps } from '../http/route.ts';
import { ROUTES } from '../routes.ts';
import { validateKnownKeys, withoutNulls } from './known-keys.ts';

type Request = Parameters<AnyRoute['handler']>[0];

/** A body of version 1 in terms of version 2. */
export interface TranslatedBody {
  /** The body that the route of version 2 checks. */
  body: unknown;
  /** Adds to the checked body what a request of version 2 cannot say. */
  amend?(checked: unknown): unknown;
}

/** How a route of version 1 differs from the one of version 2 that serves it. */
interface Translation {
  /**
   * Converts the body, whose members are never null.
   * @throws ServiceError `BAD_REQUEST` for a wrong value of an option that only version 1 has
   */
  request?(body: unknown): TranslatedBody;
  /** Converts the response. */
  response?(response: unknown, request: Request): unknown;
}

/**
 * Finds a route of version 2.
 * @throws Error if there is none
 */
export function routeAt(method: AnyRoute['method'], path: string): AnyRoute {
  const route = ROUTES.find((each) => each.method === method && each.path === path);
  if (!route) throw new Error(`There is no route ${method} ${path}`);
  return route;
}

/** The path of version 1 for one of version 2. */
const olderPath = (path: string) => path.replace(/^\/v2\//, '/v1/');

/**
 * Defines a route of version 1 that a route of version 2 serves, with the same checks, handler and errors.
 * @param older.path where it has another path than the same one below `/v1`
 * @param older.choose another route of version 2 that serves one request, if the id in its path says so
 */
export function olderRoute(
  route: AnyRoute,
  translation: Translation = {},
  older: Partial<Pick<AnyRoute, 'method' | 'path'>> & {
    choose?(request: Request, deps: ApiDeps): Promise<AnyRoute>;
  } = {},
): AnyRoute {
  const { choose, ...at } = older;
  const { path, body, query, ...same } = route;
  return {
    ...same,
    path: olderPath(path),
    ...at,
    replacement: path,
    query: z.looseObject({}),
    ...(body && { body: z.unknown() }),
    async handler(request, deps) {
      const served = (await choose?.(request, deps)) ?? route;
      const translated = translateBody(request.body, translation);
      const checked = served.body && validateKnownKeys(served.body, translated.body, 'body');
      const answered = await served.handler(
        {
          ...request,
          rawBody: translated.body,
          body: translated.amend?.(checked) ?? checked,
          query: served.query ? validateKnownKeys(served.query, request.query, 'query') : {},
        },
        deps,
      );
      return translation.response ? translation.response(answered, request) : answered;
    },
  };
}

function translateBody(sent: unknown, { request }: Translation): TranslatedBody {
  const body = withoutNulls(sent);
  return request ? request(body) : { body };
}
