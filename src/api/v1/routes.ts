import type { AnyRoute } from '../http/route.ts';
import { translateBatchRequest } from './batch-request.ts';
import { translateCrawlRequest } from './crawl-request.ts';
import { translateExtractRequest } from './extract-request.ts';
import { translateMapRequest } from './map-request.ts';
import { olderRoute, routeAt } from './older-route.ts';
import { olderPageJobRoutes, withOlderUrls } from './page-jobs.ts';
import { flattenResults, listUrls, nameWithUnderscores } from './responses.ts';
import { translateScrapeRequest } from './scrape-request.ts';
import { translateSearchRequest } from './search-request.ts';

/** The routes that are the same in both versions. */
const SAME = [
  '/v2/scrape/:id',
  '/v2/crawl/active',
  '/v2/crawl/ongoing',
  '/v2/extract/:id',
  '/v2/team/credit-usage/historical',
  '/v2/team/token-usage/historical',
  '/v2/team/queue-status',
  '/v2/concurrency-check',
].map((path) => olderRoute(routeAt('get', path)));

const usage = ['/v2/team/credit-usage', '/v2/team/token-usage'].map((path) =>
  olderRoute(routeAt('get', path), { response: nameWithUnderscores }),
);

/**
 * All endpoints of version 1 of the API, which those of version 2 serve. Fixed paths come first, because
 * Express would otherwise match them as ids.
 */
export const V1_ROUTES: AnyRoute[] = [
  ...SAME,
  ...usage,
  olderRoute(routeAt('post', '/v2/scrape'), { request: translateScrapeRequest }),
  olderRoute(routeAt('post', '/v2/crawl'), { request: translateCrawlRequest, response: withOlderUrls }),
  ...olderPageJobRoutes('crawl'),
  olderRoute(routeAt('post', '/v2/batch/scrape'), {
    request: translateBatchRequest,
    response: withOlderUrls,
  }),
  ...olderPageJobRoutes('batch_scrape'),
  olderRoute(routeAt('post', '/v2/map'), { request: translateMapRequest, response: listUrls }),
  olderRoute(routeAt('post', '/v2/search'), { request: translateSearchRequest, response: flattenResults }),
  olderRoute(routeAt('post', '/v2/extract'), { request: translateExtractRequest }),
];
