import { priceOfSearch } from '../credits.ts';
import { errorsRaisedBy, ServiceError } from '../errors.ts';
import { type SearchResult, searchRequestBody, searchResponse } from '../schemas/search.ts';
import { withFileUrls } from '../storage/blobs/file-urls.ts';
import { defineRoute } from './http/route.ts';
import { runAndWait } from './run-and-wait.ts';

const create = defineRoute({
  method: 'post',
  path: '/v2/search',
  tag: 'Search',
  summary: 'Search the web, or the pages that the team has scraped',
  body: searchRequestBody,
  response: searchResponse,
  errors: [
    'exchange_not_enabled',
    ...errorsRaisedBy('start', 'options'),
    'MAP_TIMEOUT',
    'SEARCH_UNAVAILABLE',
    'WORKER_LOST',
  ],
  minCredits: 1,
  async handler({ caller, body, baseUrl, signal }, deps) {
    const { query, timeout: timeoutMs, limit, sources } = body;
    const job = { kind: 'search', target: query, caller, request: body, timeoutMs, signal } as const;
    const reserved = priceOfSearch(limit * sources.length);
    const { id, result } = await runAndWait({ ...job, reserved, isEncrypted: false }, deps);
    if (!result) {
      const message = `Search timed out: ${JSON.stringify(query)} was not answered within ${timeoutMs} ms. Set a longer timeout, or try again later.`;
      throw new ServiceError('MAP_TIMEOUT', message);
    }
    // The activities of the search wrote the result in this shape.
    const found = JSON.parse(withFileUrls(result.toString(), baseUrl, deps.config.secretKey)) as SearchResult;
    return { success: true as const, id, ...found };
  },
});

/** The routes of searches. */
export const searchRoutes = [create];
