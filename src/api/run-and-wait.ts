import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { deleteJobKey, failJob, insertJob } from '../db/jobs/jobs.ts';
import type { Caller } from '../db/teams/teams.ts';
import { createJobCipher, decryptError, type JobCipher, NULL_CIPHER } from '../encryption/job-cipher.ts';
import { ServiceError, toServiceError } from '../errors.ts';
import { parseTarget } from '../url/url.ts';
import type { ApiDoors } from './route.ts';

/** How long requests still wait for their running jobs after the process was asked to stop. */
const LEAVING_MS = 6_000;
/**
 * How long after its timeout a job is still waited for, because its result has to be stored. This does not
 * cover the loss of a worker, which takes longer to notice.
 */
const PATIENCE_MS = 5_000;

/** Tells the caller how to get the result of a job when the service stops before the job ends. */
const AFTER_STOP = {
  scrape: (id: string) => `The scrape goes on at its next start; GET /v2/scrape/${id} gives its result then.`,
  map: () => 'Ask for the map again when it is back.',
};

/** A scrape or map, whose HTTP request stays open until the job ends. */
export interface AwaitedJob {
  kind: keyof typeof AFTER_STOP;
  caller: Caller;
  request: { url: string };
  timeoutMs: number;
  /** Fires when the wait should end: the client has disconnected, or the process was asked to stop. */
  signal: AbortSignal;
  /** Whether the job has zero data retention: its data are encrypted, and deleted after the response. */
  isEncrypted: boolean;
}

/** How long a job with zero data retention is kept when its caller does not fetch the result. */
const UNCLAIMED_MS = 3_600_000;

/**
 * Stores a job, starts its workflow and waits for its result.
 * @returns the id and the result of the job; no result if the job is still running after its timeout
 * @throws ServiceError the error that the job failed with; `SERVICE_UNAVAILABLE` if the service stops
 */
export async function runAwaited(
  job: AwaitedJob,
  doors: ApiDoors,
): Promise<{ id: string; result: Buffer | undefined }> {
  const { config, db, temporal, storage, closing } = doors;
  await storage.requireSpace();
  const { kind, request, timeoutMs, isEncrypted } = job;
  const { href } = parseTarget(request.url, config.allowPrivate.length > 0);
  const { teamId, apiKeyId } = job.caller;
  const id = uuidv7();
  const cipher = isEncrypted ? createJobCipher(id, config.secretKey) : NULL_CIPHER;
  const ttlMs = isEncrypted ? UNCLAIMED_MS : config.resultTtlMs;
  await insertJob(db, { id, teamId, apiKeyId, kind, target: request.url, request, cipher, ttlMs });
  const start = kind === 'scrape' ? temporal.startScrape : temporal.startMap;
  const shown = isEncrypted ? {} : { label: href.slice(0, 120), url: href };
  const handle = await start({ jobId: id, teamId, timeoutMs, ...shown }).catch(
    async (error: ServiceError) => {
      await failJob(db, { jobId: id, credits: 0, error });
      throw error;
    },
  );
  const [end] = await Promise.race([
    Promise.allSettled([handle.wait(timeoutMs + PATIENCE_MS)]),
    leaving(job.signal, closing, AFTER_STOP[kind](id)),
  ]);
  if (end.status === 'fulfilled' && end.value === undefined) return { id, result: undefined };
  const result = await handOut({ id, cipher }, doors, async () => {
    if (end.status === 'rejected') throw end.reason;
    return cipher.decryptBytes(await doors.blobs.get(end.value ?? ''));
  });
  return { id, result };
}

/**
 * Returns the result of an ended job to its caller. The result, error and key of a job with zero data
 * retention are then deleted, so it can be read only once.
 * @param read reads the result, or throws the error of the job
 * @throws ServiceError the error that the job failed with
 */
export async function handOut<Result>(
  { id, cipher }: { id: string; cipher: JobCipher },
  { db, blobs }: Pick<ApiDoors, 'db' | 'blobs'>,
  read: () => Promise<Result>,
): Promise<Result> {
  if (!cipher.encrypts) return read();
  try {
    return await read();
  } catch (error) {
    throw decryptError(toServiceError(error), cipher);
  } finally {
    const blob = await deleteJobKey(db, id);
    if (blob) await blobs.remove(blob);
  }
}

/**
 * Ends the wait for a job: at once when the client has disconnected, with a delay when the process stops. The
 * job itself continues.
 * @throws ServiceError `SERVICE_UNAVAILABLE` always
 */
async function leaving(gone: AbortSignal, closing: AbortSignal, after: string): Promise<never> {
  if (!gone.aborted) await once(gone, 'abort');
  if (closing.aborted) await sleep(LEAVING_MS);
  throw new ServiceError('SERVICE_UNAVAILABLE', `The service is stopping. ${after}`, {
    retryAfterSeconds: 10,
  });
}
