import { ServiceError } from '../errors.ts';
import { MAP_TIMEOUT_MS, type MapResult, mapAnswer, mapBody } from '../schemas/map.ts';
import { runAwaited } from './awaited.ts';
import { defineRoute } from './route.ts';
import { FETCH_ERRORS, START_ERRORS } from './route-errors.ts';

const create = defineRoute({
  method: 'post',
  path: '/v2/map',
  tag: 'Map',
  summary: 'List the links of a site',
  body: mapBody,
  answer: mapAnswer,
  errors: [
    ...START_ERRORS,
    ...FETCH_ERRORS,
    'ROBOTS_UNAVAILABLE',
    'CONCURRENCY_QUEUE_TIMEOUT',
    'MAP_TIMEOUT',
  ],
  leastCredits: 1,
  async handler({ caller, body, signal }, doors) {
    const { timeout: timeoutMs = MAP_TIMEOUT_MS } = body;
    const job = { kind: 'map', caller, request: body, timeoutMs, signal, sealed: false } as const;
    const { id, result } = await runAwaited(job, doors);
    if (!result) {
      const message = `Map timed out: ${body.url} is not done after ${timeoutMs} ms. Try again later.`;
      throw new ServiceError('MAP_TIMEOUT', message);
    }
    // Written by the map activity in this very shape.
    const links = JSON.parse(result.toString()) as MapResult;
    return { success: true as const, id, ...links };
  },
});

/** The routes of map. */
export const mapRoutes = [create];
