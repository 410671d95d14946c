import { withFileUrls } from '../blobs/file-urls.ts';
import { SKIP_REASONS } from '../crawl/skip-reason.ts';
import type { Database } from '../db/client.ts';
import { findOutcome } from '../db/jobs/jobs.ts';
import { isLongConversion } from '../db/jobs/long-conversions.ts';
import { findPage } from '../db/pages/pages.ts';
import { EXTERNAL_HOMEPAGE_CODE, findSkippedHomepage } from '../db/pages/skipped-urls.ts';
import { decryptError, restoreJobCipher } from '../encryption/job-cipher.ts';
import { errorsRaisedBy, ServiceError } from '../errors.ts';
import type { Document } from '../schemas/document.ts';
import { jobIdParams } from '../schemas/job-id.ts';
import { scrapeBody, scrapeResponse, scrapeStatusResponse } from '../schemas/scrape.ts';
import { type ApiDeps, defineRoute } from './http/route.ts';
import { deliverResult, runAndWait } from './run-and-wait.ts';
import { requiresEncryption } from './zero-data-retention.ts';

const create = defineRoute({
  method: 'post',
  path: '/v2/scrape',
  tag: 'Scrape',
  summary: 'Scrape one page',
  body: scrapeBody,
  response: scrapeResponse,
  errors: errorsRaisedBy('start', 'options', 'fetch', 'scrape'),
  minCredits: 1,
  async handler({ caller, body, baseUrl, signal }, deps) {
    const { timeout: timeoutMs } = body;
    const isEncrypted = requiresEncryption(body, caller);
    const job = { kind: 'scrape', caller, request: body, timeoutMs, signal, isEncrypted } as const;
    const { id, result } = await runAndWait(job, deps);
    if (!result) throw await timeoutError(id, body, deps);
    const data = parseDocument(result, baseUrl, deps);
    return { success: true, data, ...(body.origin.includes('website') && { scrape_id: id }) };
  },
});

/** Seconds after which a request is to be repeated whose document takes longer than its timeout. */
const RETRY_AFTER_SECONDS = 30;

/** The error for a scrape that is still running after its timeout. Clients repeat the request if a document is the cause. */
async function timeoutError(
  id: string,
  { url, timeout: timeoutMs }: { url: string; timeout: number },
  { db }: ApiDeps,
): Promise<ServiceError> {
  const message = `${url} was not scraped within ${timeoutMs} ms. The scrape continues; GET /v2/scrape/${id} returns its result`;
  if (!(await isLongConversion(db, id))) return new ServiceError('SCRAPE_TIMEOUT', `${message}.`);
  return new ServiceError('SCRAPE_TIMEOUT', `${message}, and so does the same request once more.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    details: {
      state: 'processing_continues',
      jobStatus: 'running',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      mayExceedProcessingWindow: false,
    },
  });
}

const read = defineRoute({
  method: 'get',
  path: '/v2/scrape/:id',
  tag: 'Scrape',
  summary: 'Get the status and result of a scrape, or of a page of a batch or crawl',
  params: jobIdParams,
  response: scrapeStatusResponse,
  errors: ['FORBIDDEN', 'NOT_FOUND', ...errorsRaisedBy('fetch', 'scrape', 'page')],
  rateLimited: false,
  async handler({ caller, params: { id }, baseUrl }, deps) {
    const found = await findScrape(id, deps);
    if (!found) {
      throw new ServiceError(
        'NOT_FOUND',
        `Job not found. There is no scrape ${id}, or its result has expired.`,
      );
    }
    if (found.teamId !== caller.teamId) {
      throw new ServiceError(
        'FORBIDDEN',
        'You are not allowed to access this resource: it belongs to another team.',
      );
    }
    const { jobId, wrappedKey, error, blob } = found;
    const cipher = restoreJobCipher({ id: jobId, wrappedKey }, deps.config.secretKey);
    if (!error && !blob) return { success: true, status: 'scraping' };
    const readOutcome = async () => {
      if (error) throw decryptError(error, cipher);
      const result = cipher.decryptBytes(await deps.blobs.get(blob ?? ''));
      return {
        success: true as const,
        status: 'completed' as const,
        data: parseDocument(result, baseUrl, deps),
      };
    };
    // A page of a batch or crawl stays readable until its job expires, even with zero data retention.
    return jobId === id ? deliverResult({ id, cipher }, deps, readOutcome) : readOutcome();
  },
});

/**
 * Finds a scrape, or a page of a batch or crawl, by its id. It is still running if it has no error and no
 * blob.
 * @returns `undefined` if there is none, or it has expired
 */
async function findScrape(id: string, { db }: ApiDeps) {
  const scrape = await findOutcome(db, id);
  if (scrape) {
    if (scrape.kind !== 'scrape') return undefined;
    const { team_id: teamId, seal: wrappedKey, error, blob } = scrape;
    return { jobId: id, teamId, wrappedKey, error, blob };
  }
  const page = await findPage(db, id);
  if (!page) return findHomepage(id, db);
  const { job_id: jobId, team_id: teamId, seal: wrappedKey, open, error, blob } = page;
  // A page that is going to be retried may have the error of its previous attempt, which is not its result.
  return { jobId, teamId, wrappedKey, ...(open ? { error: null, blob: null } : { error, blob }) };
}

/** Finds a home page of another site that a crawl skipped, by the id that the errors of the crawl list. */
async function findHomepage(id: string, db: Database) {
  const skipped = await findSkippedHomepage(db, id);
  if (!skipped) return undefined;
  const { job_id: jobId, team_id: teamId, seal: wrappedKey } = skipped;
  const error = { code: EXTERNAL_HOMEPAGE_CODE, message: SKIP_REASONS.externalHomepage };
  return { jobId, teamId, wrappedKey, error, blob: null };
}

function parseDocument(result: Buffer, baseUrl: string, { config }: ApiDeps): Document {
  // The scrape activity wrote the document in this shape.
  return JSON.parse(withFileUrls(result.toString(), baseUrl, config.secretKey)) as Document;
}

/** The routes of scrapes. */
export const scrapeRoutes = [create, read];
