import type { AnyRoute } from '../http/route.ts';
import { olderRoute, routeAt } from './older-route.ts';
import { translateScrapeRequest } from './scrape-request.ts';

/** All endpoints of version 1 of the API, which those of version 2 serve. */
export const V1_ROUTES: AnyRoute[] = [
  olderRoute(routeAt('post', '/v2/scrape'), { request: translateScrapeRequest }),
  olderRoute(routeAt('get', '/v2/scrape/:id')),
];
