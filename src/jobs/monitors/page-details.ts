import { ServiceError } from '../../errors.ts';
import type { PageDetails } from '../../schemas/monitor-results.ts';
import type { Blobs } from '../../storage/blobs/index.ts';

/** Reads what is stored beside the row of a page; nothing if that has expired. @param blob its key */
export async function readDetails(monitorBlobs: Blobs, blob: string | null): Promise<PageDetails> {
  if (blob === null) return {};
  try {
    // The check stored them in this shape.
    return JSON.parse((await monitorBlobs.get(blob)).toString()) as PageDetails;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'NOT_FOUND') return {};
    throw error;
  }
}
