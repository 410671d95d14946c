import { ServiceError } from '../../errors.ts';
import { JOB_KINDS, type PageJobKind } from '../../job-kinds.ts';
import { SKIP_REASONS } from '../../jobs/crawl/skip-reason.ts';
import { jobIdParams } from '../../schemas/job-id.ts';
import * as schemas from '../../schemas/page-job.ts';
import { retryFailedPages } from '../../storage/db/jobs/extend-page-job.ts';
import { changeJobSettings, endJob } from '../../storage/db/jobs/job-progress.ts';
import { listFailedPages } from '../../storage/db/pages/pages.ts';
import { EXTERNAL_HOMEPAGE_CODE, listSkipped } from '../../storage/db/pages/skipped-urls.ts';
import { decryptError } from '../../system/encryption/job-cipher.ts';
import { type AnyRoute, type ApiDeps, defineRoute } from '../http/route.ts';
import { hostsRoute } from './hosts.ts';
import type { PageJobResource } from './page-job-resource.ts';
import { pagesRoute } from './pages.ts';
import { requirePageJob } from './require-page-job.ts';
import { statusRoute } from './status.ts';

/** Creates the routes that batches and crawls share: status, errors, pages, hosts, cancellation, control and retry. */
export function pageJobRoutes(resource: PageJobResource): AnyRoute[] {
  return [
    statusRoute(resource),
    cancelRoute(resource),
    errorsRoute(resource),
    pagesRoute(resource),
    hostsRoute(resource),
    pauseRoute(resource),
    resumeRoute(resource),
    retuneRoute(resource),
    retryRoute(resource),
  ];
}

function cancelRoute({ kind, tag }: PageJobResource): AnyRoute {
  const { path, noun } = JOB_KINDS[kind];
  return defineRoute({
    method: 'delete',
    path: `${path}/:id`,
    tag,
    summary: `Cancel a ${noun}; its results so far are kept, and one that has ended stays as it is`,
    params: jobIdParams,
    response: schemas.cancelResponse,
    errors: ['NOT_FOUND'],
    rateLimited: false,
    async handler({ caller, params: { id } }, deps) {
      const wanted = { id, teamId: caller.teamId, kind };
      await requirePageJob(deps, wanted);
      const { db, temporal, config } = deps;
      await endJob(db, { jobId: id, end: { status: 'cancelled' }, ttlMs: config.resultTtlMs });
      const { status } = await requirePageJob(deps, wanted);
      if (status === 'completed' || status === 'failed') return { status };
      await temporal.cancelJob(kind, id);
      return { status: 'cancelled' as const };
    },
  });
}

function errorsRoute({ kind, tag }: PageJobResource): AnyRoute {
  const { path, noun } = JOB_KINDS[kind];
  return defineRoute({
    method: 'get',
    path: `${path}/:id/errors`,
    tag,
    summary: `List the failed pages of a ${noun} and the URLs that it skipped`,
    params: jobIdParams,
    response: schemas.pageErrors,
    errors: ['NOT_FOUND'],
    rateLimited: false,
    async handler({ caller, params: { id } }, deps) {
      const job = await requirePageJob(deps, { id, teamId: caller.teamId, kind, below: '/errors' });
      const { cipher, blocked: blockedCount } = job;
      const failed = await listFailedPages(deps.db, id);
      const { blocked, homepages } = await listSkipped(deps.db, id);
      const errors = failed.map(({ id, url, error, finished_at }) => ({
        id,
        url: cipher.decrypt(url),
        ...(finished_at && { timestamp: finished_at.toISOString() }),
        code: error?.code ?? 'UNKNOWN_ERROR',
        error: error ? decryptError(error, cipher).message : '',
      }));
      const skipped = homepages.map(({ id, url, created_at }) => ({
        id,
        url: cipher.decrypt(url),
        timestamp: created_at.toISOString(),
        code: EXTERNAL_HOMEPAGE_CODE,
        error: SKIP_REASONS.externalHomepage,
      }));
      return {
        // The SDK for Python reads the errors of a batch only where this is there.
        success: true as const,
        errors: [...errors, ...skipped],
        robotsBlocked: blocked.map(cipher.decrypt),
        ...(blockedCount > blocked.length && { robotsBlockedCount: blockedCount }),
      };
    },
  });
}

const pauseRoute = (resource: PageJobResource) =>
  pausedStateRoute(resource, 'pause', (noun) => `Pause a ${noun}; pages in progress are finished`);

const resumeRoute = (resource: PageJobResource) =>
  pausedStateRoute(resource, 'resume', (noun) => `Resume a paused ${noun}`);

function pausedStateRoute(
  { kind, tag }: PageJobResource,
  action: 'pause' | 'resume',
  summarize: (noun: string) => string,
): AnyRoute {
  const { path, noun } = JOB_KINDS[kind];
  return defineRoute({
    method: 'post',
    path: `${path}/:id/${action}`,
    tag,
    summary: summarize(noun),
    params: jobIdParams,
    body: schemas.emptyBody,
    response: schemas.controlResponse,
    errors: ['NOT_FOUND', 'JOB_ENDED'],
    rateBucket: 'jobChange',
    async handler({ caller, params: { id } }, deps) {
      const job = { id, teamId: caller.teamId, kind, below: `/${action}` };
      const state = await applyRetuning(job, { paused: action === 'pause' }, deps);
      await deps.temporal.signalPageJob(kind, id, action);
      return state;
    },
  });
}

function retuneRoute({ kind, tag }: PageJobResource): AnyRoute {
  const { path, noun } = JOB_KINDS[kind];
  return defineRoute({
    method: 'post',
    path: `${path}/:id/retune`,
    tag,
    summary: `Change the limit, concurrency or delay of a running ${noun}`,
    params: jobIdParams,
    body: schemas.retuneBody,
    response: schemas.controlResponse,
    errors: ['NOT_FOUND', 'JOB_ENDED'],
    rateBucket: 'jobChange',
    async handler({ caller, params: { id }, body: { limit, maxConcurrency, delay } }, deps) {
      if (limit !== undefined && kind !== 'crawl') {
        throw new ServiceError(
          'BAD_REQUEST',
          'limit applies to crawls only, because a batch scrapes exactly the URLs of its requests. Leave limit out.',
        );
      }
      const job = { id, teamId: caller.teamId, kind, below: '/retune' };
      const state = await applyRetuning(job, { limit, maxConcurrency, delay }, deps);
      await deps.temporal.signalPageJob(kind, id, 'wake');
      return state;
    },
  });
}

/**
 * Changes the limits or the paused state of a running job.
 * @returns the response body with the state after the change
 * @throws ServiceError `NOT_FOUND`; `JOB_ENDED` if the job is not running any more
 */
async function applyRetuning(
  job: { id: string; teamId: string; kind: PageJobKind; below: string },
  retuning: schemas.Retuning,
  deps: ApiDeps,
) {
  const before = await requirePageJob(deps, job);
  if (!(await changeJobSettings(deps.db, job.id, retuning))) {
    throw new ServiceError(
      'JOB_ENDED',
      `The ${JOB_KINDS[job.kind].noun} ${job.id} has ended with the status ${before.status}, so it cannot be changed any more.`,
    );
  }
  const after = await requirePageJob(deps, job);
  return {
    success: true as const,
    status: after.status,
    paused: after.paused,
    limit: after.pageLimit,
    maxConcurrency: after.maxConcurrency,
    delay: after.delayMs === null ? null : after.delayMs / 1000,
  };
}

function retryRoute({ kind, tag }: PageJobResource): AnyRoute {
  const { path, noun } = JOB_KINDS[kind];
  return defineRoute({
    method: 'post',
    path: `${path}/:id/retry`,
    tag,
    summary: `Retry the failed pages of a ${noun}`,
    params: jobIdParams,
    body: schemas.emptyBody,
    response: schemas.retryResponse,
    errors: ['NOT_FOUND', 'JOB_ENDED'],
    rateBucket: 'jobChange',
    async handler({ caller, params: { id } }, deps) {
      const { teamId } = caller;
      const { cipher } = await requirePageJob(deps, { id, teamId, kind, below: '/retry' });
      const { retried, host } = await retryFailedPages(deps.db, { id, ttlMs: deps.config.resultTtlMs });
      if (retried)
        await deps.temporal.resumePageJob({
          kind,
          jobId: id,
          teamId,
          host: host ?? undefined,
          isEncrypted: cipher.encrypts,
        });
      return { success: true, retried };
    },
  });
}
