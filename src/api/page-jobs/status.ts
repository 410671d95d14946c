import { JOB_KINDS } from '../../job-kinds.ts';
import { jobIdParams } from '../../schemas/job-id.ts';
import * as schemas from '../../schemas/page-job.ts';
import { decryptError } from '../../system/encryption/job-cipher.ts';
import { untilAborted } from '../../system/until-aborted.ts';
import { JsonStream } from '../http/json-stream.ts';
import { type AnyRoute, type ApiDeps, defineRoute } from '../http/route.ts';
import { readDocuments, selectDocuments } from './documents.ts';
import { composeWarning, type JobNotes } from './job-warning.ts';
import type { PageJobResource } from './page-job-resource.ts';
import { type RequestedPageJob, requirePageJob } from './require-page-job.ts';

/** How long a request for documents that do not exist yet is held open (long polling). */
const LONG_POLL_MS = 20_000;

/** Creates the route of the status of a batch or crawl and its documents. */
export function statusRoute({ kind, tag }: PageJobResource): AnyRoute {
  const { path, noun } = JOB_KINDS[kind];
  return defineRoute({
    method: 'get',
    path: `${path}/:id`,
    tag,
    summary: `Get the status of a ${noun}, and its documents after the first \`skip\``,
    params: jobIdParams,
    query: schemas.statusQuery,
    response: schemas.pageJobStatus,
    errors: ['NOT_FOUND'],
    rateLimited: false,
    async handler({ caller, params: { id }, query, baseUrl, signal }, deps) {
      const { skip = 0, limit = Number.POSITIVE_INFINITY } = query;
      let job = await requirePageJob(deps, { id, teamId: caller.teamId, kind });
      if (query.skip !== undefined && skip >= job.completed) {
        job = await waitForDocuments(job, { id, teamId: caller.teamId, skip, limit, signal }, deps);
      }
      const { db, results, config } = deps;
      // Pages that were completed after the job was read are left for the next response.
      const available = Math.max(0, job.completed - skip);
      const rows = await selectDocuments(db, {
        jobId: id,
        skip,
        limit: Math.min(limit, available),
        maxBytes: schemas.STATUS_PAGE_BYTES,
      });
      const nextSkip = skip + rows.length;
      const limitParameter = query.limit === undefined ? '' : `&limit=${query.limit}`;
      const next = `${baseUrl}${path}/${id}?skip=${nextSkip}${limitParameter}`;
      const hasMore = job.status === 'scraping' || nextSkip < job.completed;
      const head = { ...(await buildStatusHead(job, deps)), ...(hasMore && { next }) };
      const source = { db, results, baseUrl, secretKey: config.secretKey };
      return new JsonStream(head, 'data', readDocuments(source, job.cipher, rows));
    },
  });
}

/** A request for documents that may not exist yet. */
interface PollRequest {
  id: string;
  teamId: string;
  skip: number;
  limit: number;
  signal: AbortSignal;
}

function ignoreIfAborted(error: unknown, signal: AbortSignal): undefined {
  if (!signal.aborted) throw error;
}

/**
 * Waits for more documents of a running job, until there are `limit` new documents, their size fills a
 * response, the job ends, `LONG_POLL_MS` has passed or the signal fires.
 * @returns the state of the job at the end of the wait
 */
async function waitForDocuments(
  job: RequestedPageJob,
  { id, teamId, skip, limit, signal }: PollRequest,
  { watched }: ApiDeps,
): Promise<RequestedPageJob> {
  const deadline = Date.now() + LONG_POLL_MS;
  let current = job;
  while (
    current.status === 'scraping' &&
    current.completed - skip < limit &&
    current.bytes - job.bytes < schemas.STATUS_PAGE_BYTES &&
    Date.now() < deadline &&
    !signal.aborted
  ) {
    // One that is aborted ends with the state that is known.
    const next = untilAborted(() => watched.next(id, teamId), signal);
    current = { ...current, ...(await next.catch((error) => ignoreIfAborted(error, signal))) };
  }
  return current;
}

/** Builds all fields of a status response except its documents and `next`. */
export async function buildStatusHead(
  job: RequestedPageJob,
  { config, storage }: Pick<ApiDeps, 'config' | 'storage'>,
): Promise<schemas.PageJobHead> {
  const { finishedAt, createdAt, expiresAt, cipher } = job;
  const warning = composeWarning(
    { ...job, notes: decryptNotes(job) },
    { hasDiskSpace: await storage.hasSpace(), maxArchiveBytes: config.maxArchiveBytes },
  );
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
    expiresAt: (finishedAt ? expiresAt : new Date(Date.now() + config.resultTtlMs)).toISOString(),
    ...(job.paused && job.status === 'scraping' && { paused: true }),
    ...(job.error && { error: decryptError(job.error, cipher).message }),
    ...(warning && { warning }),
    ...(job.archivedBytes > 0 && { archivedBytes: job.archivedBytes }),
  };
}

function decryptNotes({ notes, cipher }: RequestedPageJob): JobNotes {
  const entries = Object.entries(notes).map(([kind, note]) => [kind, cipher.decryptJson(note)]);
  // Notes are stored in the shape of `JobNotes`.
  return Object.fromEntries(entries) as JobNotes;
}
