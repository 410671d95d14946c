import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { failJob, forgetSealed, insertJob } from '../db/jobs.ts';
import type { Caller } from '../db/teams.ts';
import { ServiceError, toServiceError } from '../errors.ts';
import { makeSeal, openError, type Seal, UNSEALED } from '../seal.ts';
import { parseTarget } from '../url.ts';
import type { ApiDoors } from './route.ts';

/** When the process is asked to end, jobs under way may still end within this time. */
const LEAVING_MS = 6_000;
/** Beyond its timeout a job may need this long to be written down; a lost worker costs more. */
const PATIENCE_MS = 5_000;

/** What becomes of a job when the service stops. */
const AFTER_STOP = {
  scrape: (id: string) => `The scrape goes on at its next start; GET /v2/scrape/${id} gives its result then.`,
  map: () => 'Ask for the map again when it is back.',
};

/** A job that its caller waits for. */
export interface AwaitedJob {
  kind: keyof typeof AFTER_STOP;
  caller: Caller;
  request: { url: string };
  timeoutMs: number;
  /** Fires when nobody waits any more: the client has gone, or the process is asked to end. */
  signal: AbortSignal;
  /** Nothing of it is kept. */
  sealed: boolean;
}

/** So long the result of a job with zero data retention waits for its caller. */
const UNCLAIMED_MS = 3_600_000;

/**
 * Writes a job down, runs it, and waits for its result.
 * @returns its result; without one the job is not done in time, and goes on
 * @throws ServiceError what the job failed with; `SERVICE_UNAVAILABLE` when the service stops meanwhile
 */
export async function runAwaited(
  job: AwaitedJob,
  doors: ApiDoors,
): Promise<{ id: string; result: Buffer | undefined }> {
  const { config, db, temporal, storage, closing } = doors;
  await storage.requireSpace();
  const { kind, request, timeoutMs, sealed } = job;
  const { href } = parseTarget(request.url, config.allowPrivate.length > 0);
  const { teamId, apiKeyId } = job.caller;
  const id = uuidv7();
  const seal = sealed ? makeSeal(id, config.secretKey) : UNSEALED;
  const ttlMs = sealed ? UNCLAIMED_MS : config.resultTtlMs;
  await insertJob(db, { id, teamId, apiKeyId, kind, target: request.url, request, seal, ttlMs });
  const start = kind === 'scrape' ? temporal.startScrape : temporal.startMap;
  const shown = sealed ? {} : { label: href.slice(0, 120), url: href };
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
  const result = await handOut({ id, seal }, doors, async () => {
    if (end.status === 'rejected') throw end.reason;
    return seal.openBytes(await doors.blobs.get(end.value ?? ''));
  });
  return { id, result };
}

/**
 * Gives what an ended job came to to who asked for it. Of one with zero data retention nothing is left then.
 * @param read reads it, or fails as the job did
 * @throws ServiceError what the job failed with
 */
export async function handOut<Result>(
  { id, seal }: { id: string; seal: Seal },
  { db, blobs }: Pick<ApiDoors, 'db' | 'blobs'>,
  read: () => Promise<Result>,
): Promise<Result> {
  if (!seal.isSealed) return read();
  try {
    return await read();
  } catch (error) {
    throw openError(toServiceError(error), seal);
  } finally {
    const blob = await forgetSealed(db, id);
    if (blob) await blobs.remove(blob);
  }
}

/** Answers who waits when the process ends; the job itself goes on. */
async function leaving(gone: AbortSignal, closing: AbortSignal, after: string): Promise<never> {
  if (!gone.aborted) await once(gone, 'abort');
  if (closing.aborted) await sleep(LEAVING_MS);
  throw new ServiceError('SERVICE_UNAVAILABLE', `The service is stopping. ${after}`, {
    retryAfterSeconds: 10,
  });
}
