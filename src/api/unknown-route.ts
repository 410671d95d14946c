import type { Express, RequestHandler } from 'express';
import { excerpt, ServiceError } from '../errors.ts';
import type { AnyRoute } from './http/route.ts';
import { adviseOnEndpoint, adviseOnMethod } from './similar-endpoint.ts';
import { rejectUnimplemented } from './unimplemented.ts';

/**
 * Refuses paths that are not implemented, and methods that a path without parameters does not support, before
 * a route with an id in that place takes the path for an id: `/v2/crawl/active` is none of `/v2/crawl/{id}`.
 * @throws ServiceError `METHOD_NOT_ALLOWED` or `FEATURE_NOT_AVAILABLE`
 */
export function createPathCheck(routes: readonly AnyRoute[]): RequestHandler {
  const fixed = Map.groupBy(
    routes.filter(({ path }) => !path.includes(':')),
    ({ path }) => path,
  );
  return ({ path, method }, response, next) => {
    rejectUnimplemented(path);
    const allowed = fixed.get(path.replace(/\/$/, ''))?.map((route) => route.method.toUpperCase());
    // Express derives HEAD from GET, and OPTIONS from all.
    const wanted = method === 'HEAD' ? 'GET' : method;
    if (!allowed || method === 'OPTIONS' || allowed.includes(wanted)) return next();
    response.set('Allow', allowed.join(', '));
    throw methodError({ path, method, allowed });
  };
}

/**
 * Handles requests that no route matches, also of those that serve files and pages.
 * @throws ServiceError that says why there is no such route
 */
export const createUnknownRouteHandler =
  (app: Express): RequestHandler =>
  ({ path, method }, response) => {
    const allowed = listMethods(app, path);
    if (allowed.length) {
      response.set('Allow', allowed.join(', '));
      throw methodError({ path, method, allowed });
    }
    const advice = adviseOnEndpoint({ method, path });
    throw new ServiceError(
      'NOT_FOUND',
      `There is no endpoint ${method} ${excerpt(path)}.${advice ? ` ${advice}` : ''} The API reference is at /docs.`,
    );
  };

/** Words with commas and one `or`. */
const orList = (words: readonly string[]) =>
  [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' or ');

const methodError = ({ path, method, allowed }: { path: string; method: string; allowed: string[] }) =>
  new ServiceError(
    'METHOD_NOT_ALLOWED',
    `${excerpt(path)} does not support ${method}. Use ${orList(allowed)}.${adviseOnMethod({ method, path })}`,
  );

/** A layer of the router of Express. */
interface RouterLayer {
  /** Absent for middleware. */
  route?: { methods: Record<string, boolean> };
  match(path: string): boolean;
}

/** Lists the methods that a path supports (RFC 9110, 10.2.1). */
function listMethods(app: Express, path: string): string[] {
  // The types of Express lack `match` and `methods`, which its router has.
  const layers = app.router.stack as unknown as RouterLayer[];
  const methods = layers.flatMap((layer) =>
    layer.route && layer.match(path) ? Object.keys(layer.route.methods) : [],
  );
  return [...new Set(methods)].map((method) => method.toUpperCase());
}
