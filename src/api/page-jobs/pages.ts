import { ServiceError } from '../../errors.ts';
import { JOB_KINDS } from '../../job-kinds.ts';
import { jobIdParams } from '../../schemas/job-id.ts';
import { jobPages, jobPagesQuery, wordsOf } from '../../schemas/job-pages.ts';
import { countErrorCodes, countPages, listPages } from '../../storage/db/pages/list-pages.ts';
import { decryptError } from '../../system/encryption/job-cipher.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import type { PageJobResource } from './page-job-resource.ts';
import { requirePageJob } from './require-page-job.ts';

/**
 * Creates the route that lists the pages of a batch or crawl by state, error code and words of the URL. The rate
 * limit applies, because a search looks at every page of the job.
 */
export function pagesRoute({ kind, tag }: PageJobResource): AnyRoute {
  const { path, noun } = JOB_KINDS[kind];
  return defineRoute({
    method: 'get',
    path: `${path}/:id/pages`,
    tag,
    summary: `List the pages of a ${noun} without their documents: all of them, or those of a state, an error code or words of the URL`,
    params: jobIdParams,
    query: jobPagesQuery,
    response: jobPages,
    errors: ['NOT_FOUND'],
    async handler({ caller, params: { id }, query, baseUrl }, { db, config }) {
      const wanted = { id, teamId: caller.teamId, kind, below: '/pages' };
      const { cipher } = await requirePageJob({ db, config }, wanted);
      const { status, errorCode, search = '', skip, limit } = query;
      const words = wordsOf(search);
      if (words.length && cipher.encrypts) {
        const message = `The URLs of the ${noun} ${id} are encrypted because of zero data retention, so they cannot be searched. Leave search out.`;
        throw new ServiceError('BAD_REQUEST', message);
      }
      const filter = { jobId: id, status, errorCode, words };
      const [total, errorCodes, rows] = [
        await countPages(db, filter),
        await countErrorCodes(db, id),
        await listPages(db, { ...filter, skip, limit: limit + 1 }),
      ];
      const next = new URLSearchParams({
        ...(status && { status }),
        ...(errorCode && { errorCode }),
        ...(search && { search }),
        skip: String(skip + limit),
        limit: String(limit),
      });
      return {
        success: true,
        total,
        errorCodes,
        data: rows.slice(0, limit).map(({ id, url, status, attempts, error, finishedAt }) => ({
          id,
          url: cipher.decrypt(url),
          status,
          attempts,
          code: error?.code ?? null,
          error: error && decryptError(error, cipher).message,
          finishedAt: finishedAt?.toISOString() ?? null,
        })),
        ...(rows.length > limit && { next: `${baseUrl}${path}/${id}/pages?${next}` }),
      };
    },
  });
}
