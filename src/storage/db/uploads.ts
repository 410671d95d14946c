import { sql } from 'kysely';
import { ServiceError } from '../../errors.ts';
import type { Database, Queryable } from './client.ts';
import { jobExpressions, jobRow, type NewJob } from './jobs/jobs.ts';

/** An uploaded file whose encrypted bytes are stored as a blob. */
export interface StoredUpload {
  id: string;
  teamId: string;
  /** The key of the blob. */
  blob: string;
  /** See `encryptUpload`. */
  wrappedKey: Buffer;
  /** Size of the unencrypted file in bytes. */
  size: number;
  /** The end of the time in which a job has to be requested. */
  expiresAt: Date;
}

/** Maximum number of uploads that one step of upkeep deletes. */
const UPLOADS_AT_ONCE = 100;

const uploadRow = ({ id, teamId, blob, wrappedKey, size, expiresAt }: StoredUpload) => ({
  id,
  team_id: teamId,
  blob,
  key: wrappedKey,
  size,
  expires_at: expiresAt,
});

/**
 * Stores an upload that no job uses yet. It replaces an earlier file under the same id.
 * @returns the key of the replaced file's blob, which the caller deletes
 * @throws ServiceError `UPLOAD_IN_USE` if a job is parsing the earlier file
 */
export async function insertUpload(db: Database, upload: StoredUpload): Promise<string | undefined> {
  const { id, ...row } = uploadRow(upload);
  const stored = await db.query
    // Every part of the statement sees the rows as they were before it.
    .with('earlier', (query) => query.selectFrom('uploads').select('blob').where('id', '=', id))
    .insertInto('uploads')
    .values({ id, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row).where('uploads.job_id', 'is', null))
    .returning(({ selectFrom }) => selectFrom('earlier').select('earlier.blob').as('replaced'))
    .executeTakeFirst();
  if (stored) return stored.replaced === upload.blob ? undefined : (stored.replaced ?? undefined);
  throw new ServiceError(
    'UPLOAD_IN_USE',
    'The file of this URL is being parsed and cannot be replaced. Request another upload URL.',
  );
}

/** Stores a job together with the upload that it parses. */
export async function insertJobWithUpload(
  query: Queryable,
  job: NewJob,
  upload: StoredUpload,
): Promise<void> {
  await query
    .with('job', (query) => query.insertInto('jobs').values(jobRow(job)).returning('id'))
    .insertInto('uploads')
    .values({ ...uploadRow(upload), job_id: job.id })
    .execute();
}

/**
 * Stores a job that parses an upload which was stored earlier.
 * @throws ServiceError `NOT_FOUND` unless the team has such an upload, and no other job uses it
 */
export async function insertJobForUpload(query: Queryable, job: NewJob, uploadId: string): Promise<void> {
  const { columns, values } = jobExpressions(job);
  const stored = await query
    .with('claimed', (query) =>
      query
        .updateTable('uploads')
        .set({ job_id: job.id })
        .where('id', '=', uploadId)
        .where('team_id', '=', job.teamId)
        .where('job_id', 'is', null)
        .where('expires_at', '>', sql<Date>`now()`)
        .returning('id'),
    )
    .insertInto('jobs')
    .columns(columns)
    .expression((query) => query.selectFrom('claimed').select(values))
    .returning('id')
    .executeTakeFirst();
  if (!stored) throw uploadNotFound();
}

/** The error for an `uploadRef` without a file. */
export const uploadNotFound = () =>
  new ServiceError(
    'NOT_FOUND',
    'There is no file for this uploadRef: it was not uploaded yet, was parsed already, or its hour has passed. Request an upload URL, upload the file and use its uploadRef once.',
  );

/** Finds an upload; `undefined` if it has been deleted. */
export async function findUpload(
  db: Database,
  id: string,
): Promise<{ blob: string; wrappedKey: Buffer } | undefined> {
  return db.query
    .selectFrom('uploads')
    .select(['blob', 'key as wrappedKey'])
    .where('id', '=', id)
    .executeTakeFirst();
}

/**
 * Deletes uploads that no job can use any more, at most 100: those that were not parsed in time, and those
 * whose job has ended or expired. Call it again until it deletes none.
 * @returns the keys of their blobs, which the caller deletes
 */
export async function deleteUnusedUploads(db: Database): Promise<{ blob: string; size: number }[]> {
  const { rows } = await sql<{ blob: string; size: number }>`
    delete from uploads where id in (
      select uploads.id from uploads left join jobs on jobs.id = uploads.job_id
      where (jobs.id is null and uploads.expires_at < now())
        or jobs.status <> 'scraping' or jobs.expires_at < now()
      limit ${UPLOADS_AT_ONCE})
    returning blob, size`.execute(db.query);
  return rows;
}

/**
 * Returns when the oldest upload was stored; `undefined` if there is none. Older blobs belong to no upload.
 */
export async function findOldestUploadDate(db: Database): Promise<Date | undefined> {
  const row = await db.query
    .selectFrom('uploads')
    .select(({ fn }) => fn.min('created_at').as('at'))
    .executeTakeFirst();
  return row?.at ?? undefined;
}
