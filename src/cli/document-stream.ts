import type { PageJobHead } from '../schemas/page-job.ts';
import { pause } from '../system/pause.ts';
import { streamList } from './api-client.ts';
import type { ServiceConnection } from './connection.ts';
import type { JobProgress } from './progress-line.ts';
import { retryWhileUnreachable } from './reconnect.ts';

/** Milliseconds between two requests for the status of a running job. */
const POLL_INTERVAL_MS = 500;
const PAGE_SIZE = 1_000;

/** The job to follow, and callbacks for its documents and progress. */
export interface DocumentStreamOptions {
  target: ServiceConnection;
  /** The API path of the job's status. */
  path: string;
  /** Called with messages about lost connections. */
  note(text: string): void;
  /** Aborted when the job is being cancelled; documents that exist by then are still read. */
  stop: AbortSignal;
  /** Stops reading immediately. */
  giveUp: AbortSignal;
  /** Called with the next document, as JSON text. */
  onDocument(json: string): Promise<void>;
  /** Called about twice a second with the job's progress. */
  onProgress(progress: JobProgress): void;
}

/**
 * Reads the documents of a job, one by one, until the job ends.
 *
 * The API delays its response to a request for documents that do not exist yet. Every request therefore
 * starts at the last known document, which exists, so that the status arrives without a delay.
 * @returns the last status that was read
 */
export async function streamDocuments(job: DocumentStreamOptions): Promise<PageJobHead> {
  let seen = 0;
  const addDocument = async (json: string) => {
    await job.onDocument(json);
    seen++;
  };
  for (let isBehind = false; ; ) {
    const startedAt = performance.now();
    const before = seen;
    const overlap = isBehind ? 0 : 1;
    const poll = async () => {
      const head = await readPage(job, {
        skip: Math.max(0, seen - overlap),
        seen,
        addDocument,
      });
      job.onProgress(head);
      return head;
    };
    const head = await retryWhileUnreachable(poll, { note: job.note, signal: job.stop });
    isBehind = head.completed > seen;

    // The job has more documents but none arrived: the overlapping document may have filled the whole
    // response.
    const isRead = !isBehind || (overlap === 0 && seen === before);
    if (job.giveUp.aborted || (isRead && head.status !== 'scraping')) return head;
    if (isRead) await pause(POLL_INTERVAL_MS - (performance.now() - startedAt), job.giveUp);
  }
}

/**
 * Makes one request: reads the documents from `skip` on, leaves out those already seen, and returns the
 * status.
 */
async function readPage(
  { target, path, giveUp }: DocumentStreamOptions,
  { skip, seen, addDocument }: { skip: number; seen: number; addDocument(json: string): Promise<void> },
): Promise<PageJobHead> {
  const query = `limit=${PAGE_SIZE}${skip ? `&skip=${skip}` : ''}`;
  const documents = streamList(target, { path: `${path}?${query}`, field: 'data' }, giveUp);
  for (let position = skip; ; position++) {
    const { done, value } = await documents.next();
    if (done) {
      const { data: _, ...head } = value;
      // The service has the same version, so the response follows this schema.
      return head as unknown as PageJobHead;
    }
    if (position >= seen) await addDocument(value);
  }
}

/** A page without a document. */
export interface FailedPage {
  url: string;
  code?: string;
  error: string;
}

/** Reads the first failed pages of a job; the rest of a long list is not read. */
export async function readFailedPages(
  { target, path, limit }: { target: ServiceConnection; path: string; limit: number },
  signal: AbortSignal,
): Promise<FailedPage[]> {
  const failures: FailedPage[] = [];
  for await (const json of streamList(target, { path: `${path}/errors`, field: 'errors' }, signal)) {
    failures.push(JSON.parse(json));
    if (failures.length >= limit) break;
  }
  return failures;
}
