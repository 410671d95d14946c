import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError, toServiceError } from '../errors.ts';
import { isJsonObject } from '../json/json-object.ts';
import { deleteJobKey } from '../storage/db/jobs/jobs.ts';
import { decryptError, type JobCipher } from '../system/encryption/job-cipher.ts';
import type { ApiDeps } from './http/route.ts';

/** How long requests still wait for their running jobs after the process was asked to stop. */
const SHUTDOWN_GRACE_MS = 6_000;
/**
 * Delivers the result of an ended job to its caller. The result, error and key of a job with zero data
 * retention are then deleted, so it can be read only once.
 * @param read reads the result, or throws the error of the job
 * @throws ServiceError the error that the job failed with
 */
export async function deliverResult<Result>(
  { id, cipher }: { id: string; cipher: JobCipher },
  { db, results }: Pick<ApiDeps, 'db' | 'results'>,
  read: () => Promise<Result>,
): Promise<Result> {
  if (!cipher.encrypts) return read();
  try {
    return await read();
  } catch (error) {
    throw decryptError(toServiceError(error), cipher);
  } finally {
    const blob = await deleteJobKey(db, id);
    if (blob) await results.remove(blob);
  }
}

/**
 * Ends the wait for a job: at once when the client has disconnected, with a delay when the process stops. The
 * job itself continues.
 * @throws ServiceError `SERVICE_UNAVAILABLE` always
 */
export async function rejectWhenAborted(
  signal: AbortSignal,
  closing: AbortSignal,
  howToGetResult: string,
): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  if (closing.aborted) await sleep(SHUTDOWN_GRACE_MS);
  throw new ServiceError('SERVICE_UNAVAILABLE', `The service is stopping. ${howToGetResult}`, {
    retryAfterSeconds: 10,
  });
}

/** Names the scrape in the details of its error, so that it can be asked about. */
export function withScrapeId(thrown: unknown, scrapeId: string): ServiceError {
  const error = toServiceError(thrown);
  const { code, message, retryAfterSeconds } = error;
  const details = { ...(isJsonObject(error.details) && error.details), scrapeId };
  return new ServiceError(code, message, {
    details,
    cause: thrown,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
