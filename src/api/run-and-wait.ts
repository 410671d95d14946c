import { v7 as uuidv7 } from 'uuid';
import type { ServiceError } from '../errors.ts';
import type { Database } from '../storage/db/client.ts';
import { type StoredRequest, waitForDisk } from '../storage/db/jobs/insert-scrape.ts';
import { forgetLongConversion, readLongConversion } from '../storage/db/jobs/long-conversions.ts';
import { failJob } from '../storage/db/jobs/take-credits.ts';
import { createJobCipher, NULL_CIPHER } from '../system/encryption/job-cipher.ts';
import { currentTraceparent, nameJob } from '../system/tracing.ts';
import { labelsOf } from '../temporal/workflow-starts.ts';
import { parseTarget } from '../url/url.ts';
import { deliverResult, rejectWhenAborted, withScrapeId } from './deliver-result.ts';
import type { ApiDeps } from './http/route.ts';
import { storeJob } from './store-job.ts';
import { JobAbandoned, type SynchronousJob } from './synchronous-job.ts';

/**
 * How long after its timeout a job is still waited for, because its result has to be stored. This does not
 * cover the loss of a worker, which takes longer to notice. Official clients end their requests five seconds after the
 * timeout, so the response must be earlier.
 */
const GRACE_MS = 4_500;
/**
 * The parts of that time. After each, the response tells clients to repeat the request if a document is converted on,
 * which a busy worker may tell late.
 */
const GRACE_STEP_MS = 1_500;

/** The log's message when Postgres fails while it writes a stored scrape to its disk. */
const NOT_ON_DISK = 'a scrape has started, but may not be on the disk of the database';

/**
 * Sentences that tell the caller how to get the result of a job when the service stops before the job ends.
 */
const HOW_TO_GET_RESULT: Record<SynchronousJob['kind'], (id: string) => string> = {
  scrape: (id: string) =>
    `The scrape continues when the service starts again; GET /v2/scrape/${id} then returns its result.`,
  map: () => 'Request the map again when the service is back.',
  search: () => 'Send the search again when the service is back.',
};

/**
 * Stores a job, starts its workflow and waits for its result. A request whose document took longer than its
 * timeout before joins the scrape that continues.
 * @returns the id and the result of the job; no result if the job is still running after its timeout
 * @throws ServiceError the error that the job failed with; `SERVICE_UNAVAILABLE` if the service stops
 */
export async function runAndWait(
  job: SynchronousJob,
  deps: ApiDeps,
): Promise<{ id: string; result: Buffer | undefined }> {
  const { config, db, temporal, closing } = deps;
  const { kind, timeoutMs, isEncrypted } = job;
  const startedAt = performance.now();
  const url = kind === 'search' ? undefined : parseTarget(job.target, config.allowPrivate.length > 0).href;
  const newId = uuidv7();
  nameJob(newId);
  const cipher = isEncrypted ? createJobCipher(newId, config.secretKey) : NULL_CIPHER;
  const { joined, leased } = await storeJob({ ...job, id: newId, cipher }, deps);
  const id = joined ?? newId;
  const started = joined
    ? { handle: temporal.findScrape(joined) }
    : await startJob({ ...job, id, url, leased }, deps);
  const [outcome] = await Promise.race([
    Promise.allSettled([readResult(started, { id, kind, timeoutMs, startedAt }, deps)]),
    rejectWhenAborted(job.signal, closing, HOW_TO_GET_RESULT[kind](id)),
  ]).catch(async (error) => {
    // Another client may wait for a scrape that was joined.
    if (job.signal.reason instanceof JobAbandoned && !joined) await temporal.cancelJob(kind, id);
    throw error;
  });
  if (outcome.status === 'fulfilled' && outcome.value === undefined) return { id, result: undefined };
  const result = await deliverResult({ id, cipher }, deps, async () => {
    if (outcome.status === 'rejected')
      throw kind === 'scrape' ? withScrapeId(outcome.reason, id) : outcome.reason;
    // A job without a result has been returned above.
    return cipher.decryptBytes(outcome.value!);
  }).finally(() => {
    // The result is delivered, so the same request once more is a new one.
    const wasLong = joined !== undefined || performance.now() - startedAt >= timeoutMs;
    return wasLong ? forgetLongConversion(db, id) : undefined;
  });
  return { id, result };
}

/** A started job: its result as it is stored, if that is there already, or else its workflow. */
type StartedJob = { result: Buffer } | { handle: JobHandle };
type JobHandle = Pick<ReturnType<ApiDeps['temporal']['findScrape']>, 'wait'>;
/** The job of {@link waitForResult}, with the time of its request by `performance.now()`. */
type AwaitedJob = Pick<SynchronousJob, 'kind' | 'timeoutMs'> & { id: string; startedAt: number };

/** @returns the result of a job as it is stored; `undefined` if it is still running after its timeout */
async function readResult(
  started: StartedJob,
  job: AwaitedJob,
  { db, results }: Pick<ApiDeps, 'db' | 'results'>,
): Promise<Buffer | undefined> {
  if ('result' in started) return started.result;
  const key = await waitForResult(started.handle, job, db);
  return key === undefined ? undefined : results.get(key);
}

/**
 * Waits for a job.
 * @returns the key of its result; `undefined` if it is still running after its timeout
 */
async function waitForResult(
  handle: JobHandle,
  { id, kind, timeoutMs, startedAt }: AwaitedJob,
  db: Database,
): Promise<string | undefined> {
  // A worker that was asked directly has had some of the time.
  const remainingMs = Math.max(0, timeoutMs - (performance.now() - startedAt));
  let key = await handle.wait(remainingMs + GRACE_STEP_MS);
  for (let waitedMs = GRACE_STEP_MS; key === undefined && waitedMs < GRACE_MS; waitedMs += GRACE_STEP_MS) {
    if (kind === 'scrape' && (await readLongConversion(db, id))) return undefined;
    key = await handle.wait(GRACE_STEP_MS);
  }
  return key;
}

/** Starts the workflow of a stored job. @param job.url the normalised URL, which the Temporal UI shows */
async function startJob(
  {
    id,
    url,
    kind,
    target,
    request,
    timeoutMs,
    isQuick,
    isEncrypted,
    leased: job,
    caller: { teamId },
  }: SynchronousJob & Pick<StoredRequest, 'leased'> & { id: string; url: string | undefined },
  { db, temporal, uploads, startDirectly, logger }: ApiDeps,
): Promise<StartedJob> {
  // The words of a search may be about anything, so Temporal does not get them.
  const labels = isEncrypted || kind === 'search' ? {} : labelsOf({ ...request, target, url });
  const start = { jobId: id, teamId, timeoutMs, ...(isQuick && { isQuick }), ...labels };
  const directly = isQuick ? startDirectly?.({ start, job, traceparent: currentTraceparent() }) : undefined;
  // The statement that ends the scrape waits for the disk as well, so nothing is lost unless Postgres dies
  // before.
  const onDisk = job && waitForDisk(db).catch((error) => logger.warn({ err: error, jobId: id }, NOT_ON_DISK));
  const direct = await directly;
  if (direct) {
    const { document } = direct;
    return document === undefined ? { handle: temporal.findScrape(id) } : { result: document };
  }
  // Temporal would keep a workflow whose job the database loses. If the wait fails, only the workflow can
  // find out what is lost.
  await onDisk;
  const started = kind === 'scrape' ? temporal.startScrape(start) : temporal.startSynchronousJob(kind, start);
  const handle = await started.catch(async (error: ServiceError) => {
    const upload = await failJob(db, { jobId: id, credits: 0, error });
    if (upload !== undefined) await uploads.remove(upload);
    throw error;
  });
  return { handle };
}
