import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { failJob, insertJob } from '../db/jobs.ts';
import type { Caller } from '../db/teams.ts';
import { ServiceError } from '../errors.ts';
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
}

/**
 * Writes a job down, runs it, and waits for its result.
 * @returns the blob of its result; without one the job is not done in time, and goes on
 * @throws ServiceError what the job failed with; `SERVICE_UNAVAILABLE` when the service stops meanwhile
 */
export async function runAwaited(
  job: AwaitedJob,
  { config, db, temporal, storage, closing }: ApiDoors,
): Promise<{ id: string; blob: string | undefined }> {
  await storage.requireRoom();
  const { kind, request, timeoutMs } = job;
  const { href } = parseTarget(request.url, config.allowPrivate.length > 0);
  const { teamId, apiKeyId } = job.caller;
  const id = uuidv7();
  const ttlMs = config.resultTtlMs;
  await insertJob(db, { id, teamId, apiKeyId, kind, target: request.url, request, ttlMs });
  const start = kind === 'scrape' ? temporal.startScrape : temporal.startMap;
  const handle = await start({ jobId: id, teamId, timeoutMs, label: href.slice(0, 120), url: href }).catch(
    async (error: ServiceError) => {
      await failJob(db, { jobId: id, credits: 0, error });
      throw error;
    },
  );
  const blob = await Promise.race([
    handle.wait(timeoutMs + PATIENCE_MS),
    leaving(job.signal, closing, AFTER_STOP[kind](id)),
  ]);
  return { id, blob };
}

/** Answers who waits when the process ends; the job itself goes on. */
async function leaving(gone: AbortSignal, closing: AbortSignal, after: string): Promise<never> {
  if (!gone.aborted) await once(gone, 'abort');
  if (closing.aborted) await sleep(LEAVING_MS);
  throw new ServiceError('SERVICE_UNAVAILABLE', `The service is stopping. ${after}`, {
    retryAfterSeconds: 10,
  });
}
