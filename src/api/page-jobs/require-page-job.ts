import { ServiceError } from '../../errors.ts';
import { JOB_KINDS, type PageJobKind } from '../../job-kinds.ts';
import { type PageJobState, readPageJobState } from '../../storage/db/jobs/read-page-job-state.ts';
import { type JobCipher, restoreJobCipher } from '../../system/encryption/job-cipher.ts';
import type { ApiDeps } from '../http/route.ts';
import { jobNotFound } from '../job-not-found.ts';

/** A batch or crawl as read from the database, and the cipher of its data. */
export interface RequestedPageJob extends PageJobState {
  cipher: JobCipher;
}

/**
 * Reads the state of a batch or crawl of a team.
 * @param wanted.below what the request asks for below the id, such as `/errors`
 * @throws ServiceError `NOT_FOUND` if the team has no such job, or its results have expired
 */
export async function requirePageJob(
  { db, config }: Pick<ApiDeps, 'db' | 'config'>,
  wanted: { id: string; teamId: string; kind: PageJobKind; below?: string },
): Promise<RequestedPageJob> {
  const { id, teamId, kind, below = '' } = wanted;
  const job = await readPageJobState(db, id);
  if (job?.kind === kind) return ownPageJob(job, wanted, config);
  throw await jobNotFound({ db }, { id, teamId, message: missing(wanted), below });
}

/**
 * Reads the state of a batch or crawl for a WebSocket, whose close code tells a job of another team from one
 * that does not exist, as clients expect.
 * @throws ServiceError `FORBIDDEN` if the job belongs to another team; otherwise as {@link requirePageJob}
 */
export async function requireWatchableJob(
  { db, config }: Pick<ApiDeps, 'db' | 'config'>,
  wanted: { id: string; teamId: string; kind: PageJobKind },
): Promise<RequestedPageJob> {
  const { id, teamId, kind } = wanted;
  const job = await readPageJobState(db, id);
  if (job?.kind !== kind) throw await jobNotFound({ db }, { id, teamId, message: missing(wanted) });
  if (job.teamId !== teamId)
    throw new ServiceError(
      'FORBIDDEN',
      `The ${JOB_KINDS[kind].noun} ${id} belongs to another team. Use an API key of that team.`,
    );
  return ownPageJob(job, wanted, config);
}

/**
 * Checks that a job which was read is a batch or crawl of the team.
 * @throws ServiceError `NOT_FOUND` otherwise
 */
export function ownPageJob(
  job: PageJobState | undefined,
  { id, teamId, kind }: { id: string; teamId: string; kind: PageJobKind },
  config: Pick<ApiDeps['config'], 'secretKey'>,
): RequestedPageJob {
  if (job?.kind === kind && job.teamId === teamId) {
    return { ...job, cipher: restoreJobCipher({ id, wrappedKey: job.wrappedKey }, config.secretKey) };
  }
  throw new ServiceError('NOT_FOUND', missing({ id, kind }));
}

const missing = ({ id, kind }: { id: string; kind: PageJobKind }) =>
  `Job not found. The team has no ${JOB_KINDS[kind].noun} ${id}, or its results have expired.`;
