import { SKIP_REASONS } from '../crawl/skip-reason.ts';
import { changeJobSettings, endJob } from '../db/jobs/job-progress.ts';
import { type PageJobState, readPageJobState, retryFailedPages } from '../db/jobs/page-jobs.ts';
import { listFailedPages } from '../db/pages/pages.ts';
import { EXTERNAL_HOMEPAGE_CODE, listSkipped } from '../db/pages/skipped-urls.ts';
import { decryptError, type JobCipher, restoreJobCipher } from '../encryption/job-cipher.ts';
import { ServiceError } from '../errors.ts';
import { JOB_KINDS, type PageJobKind } from '../job-kinds.ts';
import { pause } from '../pause.ts';
import { jobIdParams } from '../schemas/job-id.ts';
import * as schemas from '../schemas/page-job.ts';
import { pickDocuments, readDocuments } from './documents.ts';
import { type JobNotes, warningOf } from './job-warning.ts';
import { JsonStream } from './json-stream.ts';
import { type AnyRoute, type ApiDoors, defineRoute } from './route.ts';

/** The API resource of batches or of crawls. */
export interface PageJobResource {
  kind: PageJobKind;
  tag: string;
}

/** How long the status request for documents that do not exist yet is held open. */
const HOLD_MS = 20_000;
/** How often the state of the job is read meanwhile. */
const LOOK_MS = 500;

/** A batch or crawl, and the cipher that decrypts its data. */
export interface OpenedState extends PageJobState {
  cipher: JobCipher;
}

/**
 * Reads the state of a batch or crawl of a team.
 * @throws ServiceError `NOT_FOUND` if the team has no such job, or its results have expired
 */
export async function requireJob(
  { db, config }: Pick<ApiDoors, 'db' | 'config'>,
  { id, teamId, kind }: { id: string; teamId: string; kind: PageJobKind },
): Promise<OpenedState> {
  const job = await readPageJobState(db, id);
  if (job?.kind === kind && job.teamId === teamId) {
    return { ...job, cipher: restoreJobCipher({ id, wrappedKey: job.wrappedKey }, config.secretKey) };
  }
  throw new ServiceError(
    'NOT_FOUND',
    `Job not found. The team has no ${JOB_KINDS[kind].noun} ${id}, or its results have expired.`,
  );
}

/** Builds all fields of a status response except its documents and `next`. */
export async function headOf(
  job: OpenedState,
  { config, storage }: Pick<ApiDoors, 'config' | 'storage'>,
): Promise<schemas.PageJobHead> {
  const { finishedAt, createdAt, cipher } = job;
  const opened = Object.entries(job.notes).map(([kind, note]) => [kind, cipher.decryptJson(note)]);
  // Notes are stored in the shape of `JobNotes`.
  const notes = Object.fromEntries(opened) as JobNotes;
  const warning = warningOf({ ...job, notes }, { hasRoom: await storage.hasSpace() });
  return {
    success: true,
    status: job.status,
    total: job.total,
    completed: job.completed,
    failed: job.failed,
    creditsUsed: job.credits,
    createdAt: createdAt.toISOString(),
    ...(finishedAt && {
      completedAt: finishedAt.toISOString(),
      duration: (finishedAt.getTime() - createdAt.getTime()) / 1000,
    }),
    expiresAt: (finishedAt ? job.expiresAt : new Date(Date.now() + config.resultTtlMs)).toISOString(),
    ...(job.paused && job.status === 'scraping' && { paused: true }),
    ...(job.error && { error: decryptError(job.error, cipher).message }),
    ...(warning && { warning }),
  };
}

/** Creates the routes that batches and crawls share: status, errors, cancellation, control and retry. */
export function pageJobRoutes({ kind, tag }: PageJobResource): AnyRoute[] {
  const { path, noun } = JOB_KINDS[kind];
  const shared = { tag, params: jobIdParams, limited: false, errors: ['NOT_FOUND'] } as const;
  const ofRunning = { errors: ['NOT_FOUND', 'JOB_ENDED'] } as const;
  const find = (id: string, teamId: string, doors: ApiDoors) => requireJob(doors, { id, teamId, kind });

  /**
   * Waits for more documents of a running job, until there are `limit` new documents, their size fills a
   * response, the job ends, `HOLD_MS` has passed or the signal fires.
   */
  async function hold(
    job: OpenedState,
    id: string,
    skip: number,
    limit: number,
    signal: AbortSignal,
    doors: ApiDoors,
  ) {
    const until = Date.now() + HOLD_MS;
    const { bytes } = job;
    let now = job;
    while (
      now.status === 'scraping' &&
      now.completed - skip < limit &&
      now.bytes - bytes < schemas.STATUS_PAGE_BYTES &&
      Date.now() < until &&
      !signal.aborted
    ) {
      await pause(LOOK_MS, signal);
      now = { ...now, ...(await readPageJobState(doors.db, id)) };
    }
    return now;
  }

  async function change(id: string, teamId: string, retuning: schemas.Retuning, doors: ApiDoors) {
    const before = await find(id, teamId, doors);
    if (!(await changeJobSettings(doors.db, id, retuning))) {
      throw new ServiceError(
        'JOB_ENDED',
        `The ${noun} ${id} is ${before.status}: it cannot be changed any more.`,
      );
    }
    const job = await find(id, teamId, doors);
    return {
      success: true as const,
      status: job.status,
      paused: job.paused,
      limit: job.pageLimit,
      maxConcurrency: job.maxConcurrency,
      delay: job.delayMs === null ? null : job.delayMs / 1000,
    };
  }

  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: `${path}/:id`,
      summary: `State of a ${noun}, and its documents from \`skip\` on`,
      query: schemas.pagination,
      answer: schemas.pageJobStatus,
      async handler({ caller, params, query, baseUrl, signal }, doors) {
        const { skip = 0, limit = Number.POSITIVE_INFINITY } = query;
        let job = await find(params.id, caller.teamId, doors);
        if (query.skip !== undefined && skip >= job.completed) {
          job = await hold(job, params.id, skip, limit, signal, doors);
        }
        const { db, blobs, config } = doors;
        // Pages that were completed after the job was read are left for the next response.
        const known = Math.max(0, job.completed - skip);
        const rows = await pickDocuments(db, {
          jobId: params.id,
          skip,
          limit: Math.min(limit, known),
          maxBytes: schemas.STATUS_PAGE_BYTES,
        });
        const seen = skip + rows.length;
        const tail = query.limit === undefined ? '' : `&limit=${query.limit}`;
        const next = `${baseUrl}${path}/${params.id}?skip=${seen}${tail}`;
        const hasMore = job.status === 'scraping' || seen < job.completed;
        const head = { ...(await headOf(job, doors)), ...(hasMore && { next }) };
        const { secretKey } = config;
        return new JsonStream(
          head,
          'data',
          readDocuments({ db, blobs, baseUrl, secretKey }, job.cipher, rows),
        );
      },
    }),
    defineRoute({
      ...shared,
      method: 'delete',
      path: `${path}/:id`,
      summary: `Cancel a ${noun}; what it has so far stays`,
      answer: schemas.cancelled,
      async handler({ caller, params }, doors) {
        await find(params.id, caller.teamId, doors);
        const { db, temporal, config } = doors;
        await endJob(db, { jobId: params.id, end: { status: 'cancelled' }, ttlMs: config.resultTtlMs });
        await temporal.cancelPageJob(kind, params.id);
        return { status: 'cancelled' };
      },
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: `${path}/:id/errors`,
      summary: `Pages of a ${noun} that gave no answer`,
      answer: schemas.pageErrors,
      async handler({ caller, params }, doors) {
        const { cipher, blocked: count } = await find(params.id, caller.teamId, doors);
        const failed = await listFailedPages(doors.db, params.id);
        const { blocked, homepages } = await listSkipped(doors.db, params.id);
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
          errors: [...errors, ...skipped],
          robotsBlocked: blocked.map(cipher.decrypt),
          ...(count > blocked.length && { robotsBlockedCount: count }),
        };
      },
    }),
    ...(['pause', 'resume'] as const).map((verb) =>
      defineRoute({
        ...shared,
        method: 'post',
        path: `${path}/:id/${verb}`,
        body: schemas.emptyBody,
        summary: verb === 'pause' ? `Begin no more pages of a ${noun}` : `Go on with a paused ${noun}`,
        answer: schemas.control,
        ...ofRunning,
        async handler({ caller, params }, doors) {
          const answer = await change(params.id, caller.teamId, { paused: verb === 'pause' }, doors);
          await doors.temporal.signalPageJob(kind, params.id, verb);
          return answer;
        },
      }),
    ),
    defineRoute({
      ...shared,
      method: 'post',
      path: `${path}/:id/retune`,
      summary: `Change limit, concurrency or delay of a running ${noun}`,
      body: schemas.retuneBody,
      answer: schemas.control,
      ...ofRunning,
      async handler({ caller, params, body: { limit, maxConcurrency, delay } }, doors) {
        if (limit !== undefined && kind !== 'crawl') {
          throw new ServiceError(
            'BAD_REQUEST',
            'limit is for crawls: a batch has the pages that it was given.',
          );
        }
        const answer = await change(params.id, caller.teamId, { limit, maxConcurrency, delay }, doors);
        await doors.temporal.signalPageJob(kind, params.id, 'wake');
        return answer;
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: `${path}/:id/retry`,
      summary: `Try the failed pages of a ${noun} again`,
      body: schemas.emptyBody,
      answer: schemas.retried,
      ...ofRunning,
      async handler({ caller, params }, doors) {
        await find(params.id, caller.teamId, doors);
        const retried = await retryFailedPages(doors.db, { id: params.id, ttlMs: doors.config.resultTtlMs });
        if (retried) await doors.temporal.resumePageJob(kind, params.id, caller.teamId);
        return { success: true, retried };
      },
    }),
  ];
}
