import type { Database, Queryable } from '../storage/db/client.ts';
import { insertOrJoin, type StoredRequest } from '../storage/db/jobs/insert-scrape.ts';
import { insertJob, type NewJob } from '../storage/db/jobs/jobs.ts';
import { findLongConversion } from '../storage/db/jobs/long-conversions.ts';
import type { Caller } from '../storage/db/teams/teams.ts';
import { requireUploadRoom } from '../storage/db/upload-quota.ts';
import { insertJobForUpload, insertJobWithUpload } from '../storage/db/uploads.ts';
import type { JobCipher } from '../system/encryption/job-cipher.ts';
import type { EncryptedFile } from './http/encrypted-file.ts';
import { requireStorage } from './http/require-storage.ts';
import { reserveCredits } from './http/required-credits.ts';
import type { ApiDeps } from './http/route.ts';
import type { SynchronousJob } from './synchronous-job.ts';

/** How a job is stored. */
type Storing =
  /** Its row is inserted. */
  | { as: 'job' }
  /**
   * It joins an earlier scrape of the same request whose document takes long, or is inserted, with a slot if
   * `takesSlot`.
   */
  | { as: 'scrape'; takesSlot: boolean }
  /** As a scrape, with the file that came with the request. */
  | { as: 'scrape of a sent file'; file: EncryptedFile }
  /** As a scrape, which claims a file that was uploaded before. */
  | { as: 'scrape of an uploaded file'; fileId: string };

/** Credits that a team must have left for a request. It may cost more in the end. */
const MIN_CREDITS = 1;

/** How long a job with zero data retention is kept if its caller does not read the result. */
const UNREAD_RESULT_TTL_MS = 3_600_000;

/** A job with the id under which it is stored, and its encryption. */
type IdentifiedJob = SynchronousJob & { id: string; cipher: JobCipher };

/**
 * Stores a job and reserves its credits, unless it joins an earlier scrape.
 * @throws ServiceError `INSUFFICIENT_CREDITS`, `INSUFFICIENT_STORAGE`, or why its file cannot be stored or
 * claimed
 */
export async function storeJob(job: IdentifiedJob, deps: ApiDeps): Promise<StoredRequest> {
  const { db } = deps;
  await requireStorage(deps, job.caller);
  const storing = storingOf(job, deps);
  const row = rowOf(job, deps);
  const insert = (statements: (query: Queryable) => Promise<StoredRequest>) =>
    withCredits(db, job, statements);
  switch (storing.as) {
    case 'job':
      return insert((query) => alone(insertJob({ query }, row)));
    case 'scrape':
      return insert((query) => insertOrJoin(query, row, storing));
    case 'scrape of an uploaded file': {
      const joined = await findJoinable(db, row);
      return joined ? { joined } : insert((query) => alone(insertJobForUpload(query, row, storing.fileId)));
    }
    case 'scrape of a sent file': {
      const { file } = storing;
      const joined = await findJoinable(db, row);
      if (joined) file.discard();
      return joined ? { joined } : storeWithFile({ file, row, insert }, deps);
    }
  }
}

/** A direct start takes a slot of the team at once. */
function storingOf(
  { kind, file, isQuick = false, isEncrypted }: IdentifiedJob,
  { startDirectly }: ApiDeps,
): Storing {
  if (file)
    return 'sent' in file
      ? { as: 'scrape of a sent file', file: file.sent }
      : { as: 'scrape of an uploaded file', fileId: file.uploadedId };
  // A scrape with zero data retention leaves no trace by which a repeated request could join it.
  if (kind !== 'scrape' || isEncrypted) return { as: 'job' };
  return { as: 'scrape', takesSlot: isQuick && startDirectly !== undefined };
}

type Row = NewJob & Pick<SynchronousJob, 'request'>;

function rowOf(
  { id, cipher, kind, target, request, reserved, isEncrypted, caller: { teamId, apiKeyId } }: IdentifiedJob,
  { config }: ApiDeps,
): Row {
  const ttlMs = isEncrypted ? UNREAD_RESULT_TTL_MS : config.resultTtlMs;
  return { id, teamId, apiKeyId, kind, target, request, cipher, ttlMs, reserved };
}

/**
 * Finds the scrape that a request joins, before its file is stored or claimed; see
 * {@link findLongConversion}.
 */
const findJoinable = async (db: Database, { cipher, ...row }: Row) =>
  cipher?.encrypts ? undefined : findLongConversion(db, row);

/** Stores a file and then its job. The file is removed if the job cannot be stored. */
async function storeWithFile(
  {
    file,
    row,
    insert,
  }: {
    file: EncryptedFile;
    row: Row;
    insert: (statements: (query: Queryable) => Promise<StoredRequest>) => Promise<StoredRequest>;
  },
  { config, db, uploads }: ApiDeps,
): Promise<StoredRequest> {
  const { id, wrappedKey, size } = file;
  await requireUploadRoom(db, { id, teamId: row.teamId, bytes: size }, config.uploadQuota);
  const blob = await file.store(uploads);
  // The job exists from the start, so the time to request one is over.
  const upload = { id, teamId: row.teamId, blob, wrappedKey, size, expiresAt: new Date() };
  try {
    return await insert((query) => alone(insertJobWithUpload(query, row, upload)));
  } catch (error) {
    await uploads.remove(blob);
    throw error;
  }
}

/** A job that is inserted without a look at others joins none. */
async function alone(inserted: Promise<void>): Promise<StoredRequest> {
  await inserted;
  return {};
}

/**
 * Runs the statements that store a job and reserves its credits, in one transaction if the team has a limit.
 */
async function withCredits(
  db: Database,
  { id: jobId, caller, reserved }: { id: string; caller: Caller; reserved: number },
  statements: (query: Queryable) => Promise<StoredRequest>,
): Promise<StoredRequest> {
  if (caller.creditsRemaining === null) return statements(db.query);
  return db.query.transaction().execute(async (query) => {
    const stored = await statements(query);
    const minimum = Math.max(MIN_CREDITS, reserved);
    if (stored.joined === undefined) await reserveCredits(query, caller, { jobId, minimum });
    return stored;
  });
}
