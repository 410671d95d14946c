import { ServiceError } from '../errors.ts';
import { JOB_KINDS } from '../job-kinds.ts';
import { findOutcome } from '../storage/db/jobs/jobs.ts';
import { decryptError, restoreJobCipher } from '../system/encryption/job-cipher.ts';
import type { ApiDeps } from './http/route.ts';
import { jobNotFound } from './job-not-found.ts';

/**
 * Reads the stored result of a map or search again.
 * @throws ServiceError `NOT_FOUND` if the team has none with that id, or it has expired; `JOB_RUNNING`; the error that
 *   the job failed with
 */
export async function readResult(
  { id, teamId, kind }: { id: string; teamId: string; kind: 'map' | 'search' },
  { db, results, config }: Pick<ApiDeps, 'db' | 'results' | 'config'>,
): Promise<Buffer> {
  const { noun } = JOB_KINDS[kind];
  const outcome = await findOutcome(db, id);
  if (outcome?.kind !== kind || outcome.team_id !== teamId) {
    const message = `Job not found. There is no ${noun} ${id}, or its result has expired.`;
    throw await jobNotFound({ db }, { id, teamId, message, kind });
  }
  const { blob, error, wrappedKey } = outcome;
  if (error) throw decryptError(error, restoreJobCipher({ id, wrappedKey }, config.secretKey));
  if (blob) return results.get(blob);
  throw new ServiceError('JOB_RUNNING', `The ${noun} ${id} has not ended yet. Read it after its end.`);
}
