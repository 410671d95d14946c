import { findOutcome } from '../db/jobs.ts';
import { ServiceError } from '../errors.ts';
import { withFileUrls } from '../files.ts';
import type { Document } from '../schemas/document.ts';
import { jobIdParams } from '../schemas/job-id.ts';
import { scrapeAnswer, scrapeBody, scrapeStatus } from '../schemas/scrape.ts';
import { openError, sealOf } from '../seal.ts';
import { handOut, runAwaited } from './awaited.ts';
import { type ApiDoors, defineRoute } from './route.ts';
import { isSealed } from './zero-data-retention.ts';

const create = defineRoute({
  method: 'post',
  path: '/v2/scrape',
  tag: 'Scrape',
  summary: 'Scrape one page',
  body: scrapeBody,
  answer: scrapeAnswer,
  leastCredits: 1,
  async handler({ caller, body, baseUrl, signal }, doors) {
    const { timeout: timeoutMs } = body;
    const sealed = isSealed(body, caller);
    const job = { kind: 'scrape', caller, request: body, timeoutMs, signal, sealed } as const;
    const { id, result } = await runAwaited(job, doors);
    if (!result) {
      throw new ServiceError(
        'SCRAPE_TIMEOUT',
        `${body.url} is not done after ${timeoutMs} ms. The work goes on; GET /v2/scrape/${id} gives its result.`,
      );
    }
    const data = documentOf(result, baseUrl, doors);
    return { success: true, data, ...(body.origin.includes('website') && { scrape_id: id }) };
  },
});

const read = defineRoute({
  method: 'get',
  path: '/v2/scrape/:id',
  tag: 'Scrape',
  summary: 'Read the result of a scrape, also while it runs',
  params: jobIdParams,
  answer: scrapeStatus,
  limited: false,
  async handler({ caller, params, baseUrl }, doors) {
    const outcome = await findOutcome(doors.db, params.id);
    if (outcome?.kind !== 'scrape') {
      throw new ServiceError(
        'NOT_FOUND',
        `Job not found. No scrape ${params.id} exists, or its result has expired.`,
      );
    }
    if (outcome.team_id !== caller.teamId) {
      throw new ServiceError(
        'FORBIDDEN',
        'You are not allowed to access this resource: it belongs to another team.',
      );
    }
    const { error, blob } = outcome;
    const seal = sealOf({ id: params.id, wrapped: outcome.seal }, doors.config.secretKey);
    if (!error && !blob) return { success: true, status: 'scraping' };
    return handOut({ id: params.id, seal }, doors, async () => {
      if (error) throw openError(error, seal);
      const result = seal.openBytes(await doors.blobs.get(blob ?? ''));
      return { success: true, status: 'completed', data: documentOf(result, baseUrl, doors) };
    });
  },
});

function documentOf(result: Buffer, baseUrl: string, { config }: ApiDoors): Document {
  // Written by the scrape activity in this very shape.
  return JSON.parse(withFileUrls(result.toString(), baseUrl, config.secretKey)) as Document;
}

/** The routes of scrape. */
export const scrapeRoutes = [create, read];
