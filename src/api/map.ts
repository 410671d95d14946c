import { MAP_CREDITS } from '../credits.ts';
import { type ErrorCode, errorsRaisedBy, ServiceError } from '../errors.ts';
import { jobIdParams } from '../schemas/job-id.ts';
import { MAP_TIMEOUT_MS, type MapResult, mapBody, mapResponse } from '../schemas/map.ts';
import { defineRoute } from './http/route.ts';
import { readResult } from './read-result.ts';
import { runAndWait } from './run-and-wait.ts';

/** The errors that a map fails with. */
const MAP_ERRORS: ErrorCode[] = [
  ...errorsRaisedBy('fetch'),
  'CONCURRENCY_QUEUE_TIMEOUT',
  'MAP_TIMEOUT',
  'ROBOTS_UNAVAILABLE',
];

const create = defineRoute({
  method: 'post',
  path: '/v2/map',
  tag: 'Map',
  summary: 'List the URLs of a site',
  body: mapBody,
  response: mapResponse,
  errors: [...errorsRaisedBy('start'), ...MAP_ERRORS],
  minCredits: 1,
  async handler({ caller, body, signal }, deps) {
    const { timeout: timeoutMs = MAP_TIMEOUT_MS } = body;
    const job = {
      kind: 'map',
      target: body.url,
      caller,
      request: body,
      timeoutMs,
      reserved: MAP_CREDITS,
      signal,
      isEncrypted: false,
    } as const;
    const { id, result } = await runAndWait(job, deps);
    if (!result) {
      const message = `Map timed out: ${body.url} was not mapped within ${timeoutMs} ms. Set a longer timeout, or try again later.`;
      throw new ServiceError('MAP_TIMEOUT', message);
    }
    return toResponse(id, result);
  },
});

const read = defineRoute({
  method: 'get',
  path: '/v2/map/:id',
  tag: 'Map',
  summary: 'Read the result of a map again',
  params: jobIdParams,
  response: mapResponse,
  errors: ['NOT_FOUND', 'JOB_RUNNING', ...MAP_ERRORS],
  rateLimited: false,
  handler: async ({ caller: { teamId }, params: { id } }, deps) =>
    toResponse(id, await readResult({ id, teamId, kind: 'map' }, deps)),
});

function toResponse(id: string, result: Buffer) {
  // The map activity wrote the result in this shape.
  const links = JSON.parse(result.toString()) as MapResult;
  return { success: true as const, id, ...links };
}

/** The routes of maps. */
export const mapRoutes = [create, read];
