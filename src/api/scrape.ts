import { errorsRaisedBy } from '../errors.ts';
import { jobIdParams } from '../schemas/job-id.ts';
import { scrapeRequestBody, scrapeResponse, scrapeStatusResponse } from '../schemas/scrape.ts';
import { forgetLongConversion } from '../storage/db/jobs/long-conversions.ts';
import { decryptError, restoreJobCipher } from '../system/encryption/job-cipher.ts';
import { deliverResult } from './deliver-result.ts';
import { requireScrape } from './find-scrape.ts';
import { defineRoute } from './http/route.ts';
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
    const { jobId, wrappedKey, error, blob } = await requireScrape(deps, { id, teamId: caller.teamId });
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

/** The routes of scrapes. */
export const scrapeRoutes = [create, read];
