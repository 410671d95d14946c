import { ServiceError } from '../errors.ts';
import { summarizeTrace } from '../jobs/scraping/trace-summary.ts';
import { jobIdParams } from '../schemas/job-id.ts';
import { readTrace } from '../schemas/page-trace.ts';
import { whyResponse } from '../schemas/why.ts';
import { requireScrape } from './find-scrape.ts';
import { defineRoute } from './http/route.ts';

/** The route that tells how a page went. */
export const whyRoutes = [
  defineRoute({
    method: 'get',
    path: '/v2/scrape/:id/why',
    tag: 'Scrape',
    summary:
      'Find out why a scrape, or a page of a batch or crawl, went as it did: cache, engines, redirects, waits, times and credits',
    params: jobIdParams,
    response: whyResponse,
    errors: ['NOT_FOUND'],
    rateLimited: false,
    async handler({ caller: { teamId }, params: { id } }, deps) {
      const {
        jobId,
        wrappedKey,
        url,
        error,
        blob,
        trace: stored,
      } = await requireScrape(deps, { id, teamId });
      if (wrappedKey !== null) {
        const message = `There is no record of how the scrape ${id} went, because zero data retention keeps none.`;
        throw new ServiceError('NOT_FOUND', message);
      }
      const status = error ? 'failed' : blob ? 'completed' : 'scraping';
      const trace = readTrace(stored);
      return {
        success: true,
        id,
        jobId,
        status,
        url,
        summary: summarizeTrace({ status, error, trace }),
        error: error && { code: error.code, message: error.message },
        ...trace,
      };
    },
  }),
];
