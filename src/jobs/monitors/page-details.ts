import { type PageContent, unpackVersion } from '../../content/changes/compare.ts';
import { ServiceError } from '../../errors.ts';
import type { PageDetails } from '../../schemas/monitor-results.ts';
import type { Blobs } from '../../storage/blobs/index.ts';

/** Reads what is stored beside the row of a page; nothing if that has expired. @param blob its key */
export async function readDetails(monitorBlobs: Blobs, blob: string | null): Promise<PageDetails> {
  const bytes = await readIfStored(monitorBlobs, blob);
  // The check stored them in this shape.
  return bytes ? (JSON.parse(bytes.toString()) as PageDetails) : {};
}

/** Reads the text and data of a page; `undefined` if they have expired, or the page was not read. */
export async function readVersion(
  monitorBlobs: Blobs,
  version: string | null,
): Promise<PageContent | undefined> {
  const bytes = await readIfStored(monitorBlobs, version);
  return bytes && unpackVersion(bytes);
}

/** Reads a blob; `undefined` if it has expired. */
export async function readIfStored(monitorBlobs: Blobs, key: string | null): Promise<Buffer | undefined> {
  if (key === null) return undefined;
  try {
    return await monitorBlobs.get(key);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}
