import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { ServiceError, toServiceError } from '../errors.ts';
import { isJsonObject } from '../json/json-object.ts';
import type { UploadedFile } from '../schemas/scrape.ts';
import type { Database, Queryable } from '../storage/db/client.ts';
import { deleteJobKey, failJob, insertJob, type NewJob } from '../storage/db/jobs/jobs.ts';
import {
  forgetLongConversion,
  insertOrJoin,
  readLongConversion,
  type StoredRequest,
  waitForDisk,
} from '../storage/db/jobs/long-conversions.ts';
import type { Caller } from '../storage/db/teams/teams.ts';
import {
  createJobCipher,
  decryptError,
  type JobCipher,
  NULL_CIPHER,
} from '../system/encryption/job-cipher.ts';
import { labelsOf } from '../temporal/workflow-starts.ts';
import { parseTarget } from '../url/url.ts';
import { reserveCredits } from './http/required-credits.ts';
import type { ApiDeps } from './http/route.ts';

/** How long requests still wait for their running jobs after the process was asked to stop. */
const SHUTDOWN_GRACE_MS = 6_000;
/**
 * How long after its timeout a job is still waited for, because its result has to be stored. This does not
 * cover the loss of a worker, which takes longer to notice.
 */
const RESULT_GRACE_MS = 5_000;
/**
 * How long after its timeout a scrape is waited for whose document is converted on. Official clients end
 * their requests five seconds after the timeout, so the response that tells them to repeat it must be
 * earlier.
 */
const CONVERSION_GRACE_MS = 1_500;

/** The log's message when Postgres fails while it writes a stored scrape to its disk. */
const NOT_ON_DISK = 'a scrape has begun, but may not be on the disk of the database';

/**
 * Sentences that tell the caller how to get the result of a job when the service stops before the job ends.
 */
const HOW_TO_GET_RESULT = {
  scrape: (id: string) =>
    `The scrape continues when the service starts again; GET /v2/scrape/${id} then returns its result.`,
  map: () => 'Request the map again when the service is back.',
  search: () => 'Send the search again when the service is back.',
};

/** A scrape, map or search, whose HTTP request stays open until the job ends. */
export interface SynchronousJob {
  kind: keyof typeof HOW_TO_GET_RESULT;
  caller: Caller;
  /** The requested URL, or the query of a search. */
  target: string;
  request: { origin: string; upload?: Pick<UploadedFile, 'name' | 'digest'> };
  timeoutMs: number;
  /** Credits that it is expected to cost. */
  reserved: number;
  /** Whether it is a scrape that may end so soon that its workflow is recorded afterwards. */
  isQuick?: boolean;
  /** Fires when the wait should end: the client has disconnected, or the process was asked to stop. */
  signal: AbortSignal;
  /** Whether the job has zero data retention: its data are encrypted, and deleted after the response. */
  isEncrypted: boolean;
  /** Stores the job in another way than alone. */
  insert?: InsertJob;
}

/**
 * A function that stores a job by means of the one that it gets, which runs its statements and reserves the
 * credits.
 */
type InsertJob = (
  job: NewJob & Pick<SynchronousJob, 'request'>,
  store: (insert: InsertRows) => Promise<StoredRequest>,
) => Promise<StoredRequest>;

/** Runs the statements that store a job. */
type InsertRows = (query: Queryable) => Promise<StoredRequest>;

/** Credits that a team must have left for a request. It may cost more in the end. */
const MIN_CREDITS = 1;

/** How long a job with zero data retention is kept if its caller does not read the result. */
const UNREAD_RESULT_TTL_MS = 3_600_000;

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
  const cipher = isEncrypted ? createJobCipher(newId, config.secretKey) : NULL_CIPHER;
  const { joined, begun } = await storeJob({ ...job, id: newId, cipher }, deps);
  const id = joined ?? newId;
  const started = joined
    ? { handle: temporal.findScrape(joined) }
    : await startJob({ ...job, id, url, begun }, deps);
  const [outcome] = await Promise.race([
    Promise.allSettled([readResult(started, { id, kind, timeoutMs }, deps)]),
    rejectWhenAborted(job.signal, closing, HOW_TO_GET_RESULT[kind](id)),
  ]);
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
/** The job of {@link waitForResult}. */
type AwaitedJob = Pick<SynchronousJob, 'kind' | 'timeoutMs'> & { id: string };

/** @returns the result of a job as it is stored; `undefined` if it is still running after its timeout */
async function readResult(
  started: StartedJob,
  job: AwaitedJob,
  { db, blobs }: Pick<ApiDeps, 'db' | 'blobs'>,
): Promise<Buffer | undefined> {
  if ('result' in started) return started.result;
  const key = await waitForResult(started.handle, job, db);
  return key === undefined ? undefined : blobs.get(key);
}

/**
 * Waits for a job.
 * @returns the key of its result; `undefined` if it is still running after its timeout
 */
async function waitForResult(
  handle: JobHandle,
  { id, kind, timeoutMs }: AwaitedJob,
  db: Database,
): Promise<string | undefined> {
  const key = await handle.wait(timeoutMs + CONVERSION_GRACE_MS);
  const isDone = key !== undefined || (kind === 'scrape' && (await readLongConversion(db, id)) !== undefined);
  return isDone ? key : handle.wait(RESULT_GRACE_MS - CONVERSION_GRACE_MS);
}

/** Names the scrape in the details of its error, so that it can be asked about. */
function withScrapeId(thrown: unknown, scrapeId: string): ServiceError {
  const error = toServiceError(thrown);
  const { code, message, retryAfterSeconds } = error;
  const details = { ...(isJsonObject(error.details) && error.details), scrapeId };
  return new ServiceError(code, message, {
    details,
    cause: thrown,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/**
 * Stores a job, unless it joins an earlier scrape. A slot is taken at once for one that a worker of this
 * machine begins.
 */
async function storeJob(
  {
    id,
    cipher,
    kind,
    target,
    request,
    reserved,
    isQuick = false,
    isEncrypted,
    caller,
    insert,
  }: SynchronousJob & IdentifiedJob,
  { config, db, storage, beginScrape }: ApiDeps,
): Promise<StoredRequest> {
  await storage.requireSpace();
  const { teamId, apiKeyId } = caller;
  const ttlMs = isEncrypted ? UNREAD_RESULT_TTL_MS : config.resultTtlMs;
  const job = { id, teamId, apiKeyId, kind, target, request, cipher, ttlMs, reserved };
  const minimum = Math.max(MIN_CREDITS, reserved);
  const store = (insertRows: InsertRows) => storeWithCredits(db, { caller, jobId: id, minimum }, insertRows);
  if (insert) return insert(job, store);
  // A scrape with zero data retention leaves no trace by which a repeated request could join it.
  const begins = isQuick && beginScrape !== undefined;
  if (kind === 'scrape' && !isEncrypted) return store((query) => insertOrJoin(query, job, { begins }));
  return store((query) => insertJob({ query }, job).then(() => ({})));
}

/** Stores a job and reserves its credits, in one transaction if the team has a limit. */
async function storeWithCredits(
  db: Database,
  { caller, ...required }: { caller: Caller; jobId: string; minimum: number },
  insertRows: InsertRows,
): Promise<StoredRequest> {
  if (caller.creditsRemaining === null) return insertRows(db.query);
  return db.query.transaction().execute(async (query) => {
    const stored = await insertRows(query);
    if (stored.joined === undefined) await reserveCredits(query, caller, required);
    return stored;
  });
}

/** A job with the id under which it is stored, and its encryption. */
interface IdentifiedJob {
  id: string;
  cipher: JobCipher;
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
    begun: job,
    caller: { teamId },
  }: SynchronousJob & Pick<StoredRequest, 'begun'> & { id: string; url: string | undefined },
  { db, temporal, uploads, beginScrape, logger }: ApiDeps,
): Promise<StartedJob> {
  // The words of a search may be about anything, so Temporal does not get them.
  const labels = isEncrypted || kind === 'search' ? {} : labelsOf({ ...request, target, url });
  const start = { jobId: id, teamId, timeoutMs, ...(isQuick && { isQuick }), ...labels };
  const begins = isQuick ? beginScrape?.({ start, job }) : undefined;
  // The statement that ends the scrape waits for the disk as well, so nothing is lost unless Postgres dies
  // before.
  const onDisk = job && waitForDisk(db).catch((error) => logger.warn({ err: error, jobId: id }, NOT_ON_DISK));
  const begun = await begins;
  if (begun) {
    const { document } = begun;
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

/**
 * Delivers the result of an ended job to its caller. The result, error and key of a job with zero data
 * retention are then deleted, so it can be read only once.
 * @param read reads the result, or throws the error of the job
 * @throws ServiceError the error that the job failed with
 */
export async function deliverResult<Result>(
  { id, cipher }: { id: string; cipher: JobCipher },
  { db, blobs }: Pick<ApiDeps, 'db' | 'blobs'>,
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
