import { findOutcome } from '../db/jobs.ts';
import { isErrorCode, ServiceError } from '../errors.ts';
import { withFileUrls } from '../files.ts';
import type { Document } from '../schemas/document.ts';
import { jobIdParams } from '../schemas/job-id.ts';
import { scrapeAnswer, scrapeBody, scrapeStatus } from '../schemas/scrape.ts';
import { runAwaited } from './awaited.ts';
import { type ApiDoors, defineRoute } from './route.ts';

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
    const job = { kind: 'scrape', caller, request: body, timeoutMs, signal } as const;
    const { id, blob } = await runAwaited(job, doors);
    if (!blob) {
      throw new ServiceError(
        'SCRAPE_TIMEOUT',
        `${body.url} is not done after ${timeoutMs} ms. The work goes on; GET /v2/scrape/${id} gives its result.`,
      );
    }
    const data = await readDocument(blob, baseUrl, doors);
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
    if (outcome.error) {
      const { code, message, details } = outcome.error;
      throw new ServiceError(isErrorCode(code) ? code : 'UNKNOWN_ERROR', message, { details });
    }
    if (!outcome.blob) return { success: true, status: 'scraping' };
    return { success: true, status: 'completed', data: await readDocument(outcome.blob, baseUrl, doors) };
  },
});

async function readDocument(blob: string, baseUrl: string, { blobs, config }: ApiDoors): Promise<Document> {
  // Written by the scrape activity in this very shape.
  return JSON.parse(withFileUrls((await blobs.get(blob)).toString(), baseUrl, config.secretKey)) as Document;
}

/** The routes of scrape. */
export const scrapeRoutes = [create, read];
