import { errorsRaisedBy } from '../errors.ts';
import { SKIP_REASONS } from '../jobs/crawl/skip-reason.ts';
import { jobIdParams } from '../schemas/job-id.ts';
import { scrapeRequestBody, scrapeResponse, scrapeStatusResponse } from '../schemas/scrape.ts';
import type { Database } from '../storage/db/client.ts';
import { findOutcome } from '../storage/db/jobs/jobs.ts';
import { forgetLongConversion } from '../storage/db/jobs/long-conversions.ts';
import { findPage } from '../storage/db/pages/pages.ts';
import { EXTERNAL_HOMEPAGE_CODE, findSkippedHomepage } from '../storage/db/pages/skipped-urls.ts';
import { decryptError, restoreJobCipher } from '../system/encryption/job-cipher.ts';
import { deliverResult } from './deliver-result.ts';
import { type ApiDeps, defineRoute } from './http/route.ts';
import { jobNotFound } from './job-not-found.ts';
import { parseDocument, runScrape } from './run-scrape.ts';
import { requiresEncryption } from './zero-data-retention.ts';

const create = defineRoute({
  method: 'post',
  path: '/v2/scrape',
  tag: 'Scrape',
  summary: 'Scrape one page',
  body: scrapeRequestBody,
  response: scrapeResponse,
  errors: ['exchange_not_enabled', ...errorsRaisedBy('start', 'options', 'fetch', 'scrape')],
  minCredits: 1,
  mayJoinScrape: true,
  async handler({ caller, body, baseUrl, signal }, deps) {
    const isEncrypted = requiresEncryption(body, caller);
    return runScrape({ caller, request: body, signal, isEncrypted, baseUrl }, deps);
  },
});

const read = defineRoute({
  method: 'get',
  path: '/v2/scrape/:id',
  tag: 'Scrape',
  summary: 'Get the status and result of a scrape or parse, or of a page of a batch or crawl',
  params: jobIdParams,
  response: scrapeStatusResponse,
  errors: ['NOT_FOUND', ...errorsRaisedBy('fetch', 'scrape', 'page', 'upload')],
  rateLimited: false,
  async handler({ caller, params: { id }, baseUrl }, deps) {
    const found = await findScrape(id, deps);
    // Whether another team has such a scrape is none of the caller's business.
    if (found?.teamId !== caller.teamId) {
      const message = `Job not found. There is no scrape ${id}, or its result has expired.`;
      throw await jobNotFound(deps, { id, teamId: caller.teamId, message, kind: 'scrape' });
    }
    const { jobId, wrappedKey, error, blob } = found;
    const cipher = restoreJobCipher({ id: jobId, wrappedKey }, deps.config.secretKey);
    if (!error && !blob) return { success: true, status: 'scraping' };
    const readOutcome = async () => {
      if (error) throw decryptError(error, cipher);
      const result = cipher.decryptBytes(await deps.results.get(blob ?? ''));
      return {
        success: true as const,
        status: 'completed' as const,
        data: parseDocument(result, baseUrl, deps),
      };
    };
    // A page of a batch or crawl stays readable until its job expires, even with zero data retention.
    if (jobId !== id) return readOutcome();
    const response = await deliverResult({ id, cipher }, deps, readOutcome);
    await forgetLongConversion(deps.db, id);
    return response;
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
    // The scrapes by which support tests a fix are not billed, so nobody gets their documents.
    if (scrape.kind !== 'scrape' || scrape.parentKind === 'support') return undefined;
    const { team_id: teamId, wrappedKey, error, blob } = scrape;
    return { jobId: id, teamId, wrappedKey, error, blob };
  }
  const page = await findPage(db, id);
  if (!page) return findHomepage(id, db);
  const { job_id: jobId, team_id: teamId, wrappedKey, open, error, blob } = page;
  // A page that is going to be retried may have the error of its previous attempt, which is not its result.
  return { jobId, teamId, wrappedKey, ...(open ? { error: null, blob: null } : { error, blob }) };
}

/** Finds a home page of another site that a crawl skipped, by the id that the errors of the crawl list. */
async function findHomepage(id: string, db: Database) {
  const skipped = await findSkippedHomepage(db, id);
  if (!skipped) return undefined;
  const { job_id: jobId, team_id: teamId, wrappedKey } = skipped;
  const error = { code: EXTERNAL_HOMEPAGE_CODE, message: SKIP_REASONS.externalHomepage };
  return { jobId, teamId, wrappedKey, error, blob: null };
}

/** The routes of scrapes. */
export const scrapeRoutes = [create, read];
