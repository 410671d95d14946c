import { withFileUrls } from '../../storage/blobs/file-urls.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import type { Database } from '../../storage/db/client.ts';
import { listDocuments, type StoredDocument, sumDocumentBytes } from '../../storage/db/pages/pages.ts';
import type { JobCipher } from '../../system/encryption/job-cipher.ts';

/** The stores that documents are read from, and the values needed to create the URLs of their files. */
export interface DocumentSource {
  db: Database;
  results: Blobs;
  /** Base of the file URLs in documents, without a trailing slash. */
  baseUrl: string;
  /** Signs the file URLs. */
  secretKey: string;
}

const QUERY_ROWS = 1_000;

/**
 * Selects the documents of one response: as many as fit into the limits, but at least one if there is any.
 * @param page.skip number of documents to skip
 * @param page.limit maximum number of documents
 * @param page.maxBytes maximum size of all documents together, in bytes
 */
export async function selectDocuments(
  db: Database,
  page: { jobId: string; skip: number; limit: number; maxBytes: number },
): Promise<StoredDocument[]> {
  const { jobId, skip, limit, maxBytes } = page;
  const start = await sumDocumentBytes(db, jobId, skip);
  const selected: StoredDocument[] = [];
  for await (const row of iterateDocuments(db, jobId, skip, skip + limit)) {
    if (selected.length && row.bytesEnd - start > maxBytes) break;
    selected.push(row);
  }
  return selected;
}

/** Lists the documents after position `after` up to and including position `upTo`, in order. */
export async function* iterateDocuments(
  db: Database,
  jobId: string,
  after: number,
  upTo: number,
): AsyncGenerator<StoredDocument> {
  for (let position = after; position < upTo; ) {
    const limit = Math.min(upTo - position, QUERY_ROWS);
    const rows = await listDocuments(db, { jobId, after: position, limit });
    if (!rows.length) return;
    yield* rows;
    position += rows.length;
  }
}

/** Reads documents one by one as JSON. References to stored files are replaced by signed URLs. */
export async function* readDocuments(
  source: DocumentSource,
  cipher: JobCipher,
  rows: Iterable<StoredDocument> | AsyncIterable<StoredDocument>,
): AsyncGenerator<string> {
  for await (const row of rows) yield readDocument(source, cipher, row);
}

/** Reads a document as JSON, as {@link readDocuments} does. */
export async function readDocument(
  { results, baseUrl, secretKey }: DocumentSource,
  cipher: JobCipher,
  { blob }: StoredDocument,
): Promise<string> {
  return withFileUrls(cipher.decryptBytes(await results.get(blob)).toString(), baseUrl, secretKey);
}
