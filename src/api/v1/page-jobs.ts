import { JOB_KINDS, type PageJobKind } from '../../job-kinds.ts';
import { JsonStream } from '../http/json-stream.ts';
import type { AnyRoute } from '../http/route.ts';
import { findPageJobKind } from '../page-jobs/page-job-kind.ts';
import { olderRoute, type RouteRequest, routeAt } from './older-route.ts';

/** Gives the URLs of the API in a response the paths of version 1: `url` of a new job, `next` of a status. */
export function withOlderUrls(response: unknown, { baseUrl }: RouteRequest): unknown {
  const rename = (head: object) => {
    const urls = Object.entries(head).filter(([name]) => name === 'url' || name === 'next');
    const renamed = urls.map(([name, url]) => [name, url.replace(`${baseUrl}/v2/`, `${baseUrl}/v1/`)]);
    return { ...head, ...Object.fromEntries(renamed) };
  };
  return response instanceof JsonStream ? response.withHead(rename) : rename(Object(response));
}

/** The routes of existing batches or crawls. Each serves both kinds, because older clients read batches as crawls. */
export function olderPageJobRoutes(kind: PageJobKind): AnyRoute[] {
  const routeOf = (method: AnyRoute['method'], served: PageJobKind, rest: string) =>
    routeAt(method, JOB_KINDS[served].path + rest);
  const serve = (method: AnyRoute['method'], rest: string, asked = method) =>
    olderRoute(routeOf(method, kind, rest), {
      method: asked,
      response: withOlderUrls,
      async choose({ params, caller: { teamId } }, deps) {
        // The path has an id.
        const { id } = params as { id: string };
        return routeOf(method, (await findPageJobKind(deps.db, { id, teamId })) ?? kind, rest);
      },
    });
  return [
    serve('get', '/:id'),
    serve('delete', '/:id'),
    serve('get', '/:id/errors'),
    // The JavaScript SDK 1.x reads errors by this method.
    serve('get', '/:id/errors', 'delete'),
  ];
}
