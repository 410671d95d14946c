import { compress, decompress } from './blobs/compression.ts';
import { type Blobs, blobNotFound, openBlobs } from './blobs/index.ts';
import type { Database } from './db/client.ts';
import { findResult, type StoredResult } from './db/jobs/jobs.ts';

/**
 * The results of jobs, and the files that belong to them, by their keys. Small results are in the database,
 * all else is in blobs; only blobs can be streamed.
 */
export interface JobResults extends Blobs {
  /**
   * Stores the result of a job, unless it is so small that the statement which ends the job is to store it.
   * Nobody then has to wait for the disk, or a bucket, twice.
   * @returns what that statement needs
   */
  putResult(jobId: string, result: Uint8Array): Promise<StoredResult>;
}

/** Bytes of the largest result that is stored in the database. Most documents of pages have a tenth of it. */
const MAX_SMALL_BYTES = 256 * 1024;

/** The key of a small result is the id of its job; other keys have no hyphens. */
const isJobId = (key: string) => key.includes('-');

/** Opens the results of jobs. @param location where their blobs are, as `openBlobs` takes it */
export async function openJobResults(location: string, db: Database): Promise<JobResults> {
  const blobs = await openBlobs(location, 'results');
  return {
    ...blobs,
    async putResult(jobId, result) {
      if (result.length > MAX_SMALL_BYTES) return { blob: await blobs.putNew(result) };
      return { blob: jobId, small: await compress(result) };
    },
    async get(key) {
      if (!isJobId(key)) return blobs.get(key);
      const result = await findResult(db, key);
      if (!result) throw blobNotFound(key);
      // An attempt that counted as lost may have ended the job with a large result.
      return result.small ? decompress(result.small) : blobs.get(result.blob);
    },
    /** A small result is deleted with its row. */
    remove: async (key) => (isJobId(key) ? undefined : blobs.remove(key)),
  };
}
