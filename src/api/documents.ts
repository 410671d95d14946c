import type { Blobs } from '../blobs.ts';
import type { Database } from '../db/client.ts';
import { bytesUpTo, listDocuments, type StoredDocument } from '../db/pages.ts';
import { withFileUrls } from '../file-urls.ts';
import type { Seal } from '../seal.ts';

/** Where documents are read from, and what addresses in them begin with. */
export interface DocumentSource {
  db: Database;
  blobs: Blobs;
  baseUrl: string;
  secretKey: string;
}

const ROWS_AT_ONCE = 1_000;

/**
 * Which documents one answer holds: as many as fit, at least one.
 * @param page.skip documents before the first
 * @param page.limit most documents
 */
export async function pickDocuments(
  db: Database,
  page: { jobId: string; skip: number; limit: number; maxBytes: number },
): Promise<StoredDocument[]> {
  const { jobId, skip, limit, maxBytes } = page;
  const start = await bytesUpTo(db, jobId, skip);
  const picked: StoredDocument[] = [];
  for await (const row of allDocuments(db, jobId, skip, skip + limit)) {
    if (picked.length && row.bytesEnd - start > maxBytes) break;
    picked.push(row);
  }
  return picked;
}

/** All documents behind one position up to another, in order. */
export async function* allDocuments(
  db: Database,
  jobId: string,
  after: number,
  upTo: number,
): AsyncGenerator<StoredDocument> {
  for (let position = after; position < upTo; ) {
    const limit = Math.min(upTo - position, ROWS_AT_ONCE);
    const rows = await listDocuments(db, { jobId, after: position, limit });
    if (!rows.length) return;
    yield* rows;
    position += rows.length;
  }
}

/** The documents as JSON, one after the other, files by signed addresses. */
export async function* readDocuments(
  source: DocumentSource,
  seal: Seal,
  rows: Iterable<StoredDocument> | AsyncIterable<StoredDocument>,
): AsyncGenerator<string> {
  const { blobs, baseUrl, secretKey } = source;
  for await (const { blob } of rows) {
    yield withFileUrls(seal.openBytes(await blobs.get(blob)).toString(), baseUrl, secretKey);
  }
}
