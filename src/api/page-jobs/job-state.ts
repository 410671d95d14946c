import { ServiceError } from '../../errors.ts';
import { JOB_KINDS, type PageJobKind } from '../../job-kinds.ts';
import type { PageJobHead } from '../../schemas/page-job.ts';
import { type PageJobState, readPageJobState } from '../../storage/db/jobs/read-page-job-state.ts';
import { decryptError, type JobCipher, restoreJobCipher } from '../../system/encryption/job-cipher.ts';
import type { ApiDeps } from '../http/route.ts';
import { composeWarning, type JobNotes } from './job-warning.ts';

/** A batch or crawl as read from the database, and the cipher of its data. */
export interface RequestedPageJob extends PageJobState {
  cipher: JobCipher;
}

/**
 * Reads the state of a batch or crawl of a team.
 * @throws ServiceError `NOT_FOUND` if the team has no such job, or its results have expired
 */
export async function requirePageJob(
  { db, config }: Pick<ApiDeps, 'db' | 'config'>,
  { id, teamId, kind }: { id: string; teamId: string; kind: PageJobKind },
): Promise<RequestedPageJob> {
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
export async function buildStatusHead(
  job: RequestedPageJob,
  { config, storage }: Pick<ApiDeps, 'config' | 'storage'>,
): Promise<PageJobHead> {
  const { finishedAt, createdAt, expiresAt, cipher } = job;
  const warning = composeWarning(
    { ...job, notes: decryptNotes(job) },
    { hasDiskSpace: await storage.hasSpace() },
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
  };
}

function decryptNotes({ notes, cipher }: RequestedPageJob): JobNotes {
  const entries = Object.entries(notes).map(([kind, note]) => [kind, cipher.decryptJson(note)]);
  // Notes are stored in the shape of `JobNotes`.
  return Object.fromEntries(entries) as JobNotes;
}
