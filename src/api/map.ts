import { v7 as uuidv7 } from 'uuid';
import { failJob, insertJob } from '../db/jobs.ts';
import { ServiceError } from '../errors.ts';
import { MAP_TIMEOUT_MS, type MapResult, mapAnswer, mapBody } from '../schemas/map.ts';
import { parseTarget } from '../url.ts';
import { defineRoute } from './route.ts';

/** Beyond its timeout a map may need this long to be written down. */
const PATIENCE_MS = 5_000;

const create = defineRoute({
  method: 'post',
  path: '/v2/map',
  tag: 'Map',
  summary: 'List the links of a site',
  body: mapBody,
  answer: mapAnswer,
  leastCredits: 1,
  async handler({ caller, body }, { config, db, blobs, temporal, storage }) {
    await storage.requireRoom();
    const target = parseTarget(body.url, config.allowPrivate.length > 0);
    const { teamId, apiKeyId } = caller;
    const { timeout: timeoutMs = MAP_TIMEOUT_MS } = body;
    const job = { id: uuidv7(), teamId, apiKeyId, kind: 'map', target: body.url } as const;
    await insertJob(db, { ...job, request: body, ttlMs: config.resultTtlMs });
    const start = { jobId: job.id, teamId, timeoutMs, label: target.href.slice(0, 120), url: target.href };
    const handle = await temporal.startMap(start).catch(async (error: ServiceError) => {
      await failJob(db, { jobId: job.id, credits: 0, error });
      throw error;
    });
    const blob = await handle.wait(timeoutMs + PATIENCE_MS);
    if (!blob) {
      const message = `Map timed out: ${body.url} is not done after ${timeoutMs} ms. Try again later.`;
      throw new ServiceError('MAP_TIMEOUT', message);
    }
    // Written by the map activity in this very shape.
    const result = JSON.parse((await blobs.get(blob)).toString()) as MapResult;
    return { success: true as const, id: job.id, ...result };
  },
});

/** The routes of map. */
export const mapRoutes = [create];
