import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { failJob, findOutcome, insertJob } from '../db/jobs.ts';
import { isErrorCode, ServiceError } from '../errors.ts';
import { fileUrl } from '../files.ts';
import type { Document } from '../schemas/document.ts';
import { jobIdParams } from '../schemas/job-id.ts';
import { scrapeAnswer, scrapeBody, scrapeStatus } from '../schemas/scrape.ts';
import { parseTarget } from '../url.ts';
import { type ApiDoors, defineRoute } from './route.ts';

/** When the process is asked to end, scrapes under way may still end within this time. */
const LEAVING_MS = 6_000;
/** Beyond its timeout a scrape may need this long to be written down; a lost worker costs more. */
const PATIENCE_MS = 5_000;

const create = defineRoute({
  method: 'post',
  path: '/v2/scrape',
  tag: 'Scrape',
  summary: 'Scrape one page',
  body: scrapeBody,
  answer: scrapeAnswer,
  leastCredits: 1,
  async handler({ caller, body, baseUrl, signal }, doors) {
    const { config, db, temporal } = doors;
    await doors.storage.requireRoom();
    const target = parseTarget(body.url, config.allowPrivate.length > 0);
    const { teamId, apiKeyId } = caller;
    const job = { id: uuidv7(), teamId, apiKeyId, kind: 'scrape', target: body.url } as const;
    await insertJob(db, { ...job, request: body, ttlMs: config.resultTtlMs });
    const label = target.href.slice(0, 120);
    const start = { jobId: job.id, teamId, timeoutMs: body.timeout, label, url: target.href };
    const handle = await temporal.startScrape(start).catch(async (error: ServiceError) => {
      await failJob(db, { jobId: job.id, credits: 0, error });
      throw error;
    });
    const blob = await Promise.race([
      handle.wait(body.timeout + PATIENCE_MS),
      leaving(signal, doors.closing, job.id),
    ]);
    if (!blob) {
      throw new ServiceError(
        'SCRAPE_TIMEOUT',
        `${body.url} is not done after ${body.timeout} ms. The work goes on; GET /v2/scrape/${job.id} gives its result.`,
      );
    }
    const data = await readDocument(blob, baseUrl, doors);
    return { success: true, data, ...(body.origin.includes('website') && { scrape_id: job.id }) };
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

/** Answers who waits when the process ends; the job itself goes on. */
async function leaving(gone: AbortSignal, closing: AbortSignal, jobId: string): Promise<never> {
  if (!gone.aborted) await once(gone, 'abort');
  if (closing.aborted) await sleep(LEAVING_MS);
  throw new ServiceError(
    'SERVICE_UNAVAILABLE',
    `The service is stopping. The scrape goes on at its next start; GET /v2/scrape/${jobId} gives its result then.`,
    { retryAfterSeconds: 10 },
  );
}

async function readDocument(blob: string, baseUrl: string, { blobs, config }: ApiDoors): Promise<Document> {
  // Written by the scrape activity in this very shape.
  const document = JSON.parse((await blobs.get(blob)).toString()) as Document;
  if (document.screenshot) document.screenshot = fileUrl(document.screenshot, baseUrl, config.secretKey);
  return document;
}

/** The routes of scrape. */
export const scrapeRoutes = [create, read];
