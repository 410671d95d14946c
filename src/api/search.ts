import { priceOfSearch } from '../credits.ts';
import { type ErrorCode, errorsRaisedBy, ServiceError } from '../errors.ts';
import { jobIdParams } from '../schemas/job-id.ts';
import { type SearchResult, searchRequestBody, searchResponse } from '../schemas/search.ts';
import { withFileUrls } from '../storage/blobs/file-urls.ts';
import { type ApiDeps, defineRoute } from './http/route.ts';
import { readResult } from './read-result.ts';
import { runAndWait } from './run-and-wait.ts';

/** The errors that a search fails with. */
const SEARCH_ERRORS: ErrorCode[] = ['MAP_TIMEOUT', 'SEARCH_UNAVAILABLE', 'WORKER_LOST'];

const create = defineRoute({
  method: 'post',
  path: '/v2/search',
  tag: 'Search',
  summary: 'Search the web, or the pages that the team has scraped',
  body: searchRequestBody,
  response: searchResponse,
  errors: ['exchange_not_enabled', ...errorsRaisedBy('start', 'options'), ...SEARCH_ERRORS],
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
    return toResponse({ id, result, baseUrl }, deps);
  },
});

const read = defineRoute({
  method: 'get',
  path: '/v2/search/:id',
  tag: 'Search',
  summary: 'Read the results of a search again',
  params: jobIdParams,
  response: searchResponse,
  errors: ['NOT_FOUND', 'JOB_RUNNING', ...SEARCH_ERRORS],
  rateLimited: false,
  async handler({ caller: { teamId }, params: { id }, baseUrl }, deps) {
    const result = await readResult({ id, teamId, kind: 'search' }, deps);
    return toResponse({ id, result, baseUrl }, deps);
  },
});

function toResponse(
  { id, result, baseUrl }: { id: string; result: Buffer; baseUrl: string },
  { config }: Pick<ApiDeps, 'config'>,
) {
  // The activities of the search wrote the result in this shape.
  const found = JSON.parse(withFileUrls(result.toString(), baseUrl, config.secretKey)) as SearchResult;
  return { success: true as const, id, ...found };
}

/** The routes of searches. */
export const searchRoutes = [create, read];
