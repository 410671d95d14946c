import { expectedPriceOf } from '../credits.ts';
import { ServiceError } from '../errors.ts';
import { opensBrowser } from '../fetch/engines/opens-browser.ts';
import type { Document } from '../schemas/document.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';
import { withFileUrls } from '../storage/blobs/file-urls.ts';
import { readLongConversion } from '../storage/db/jobs/long-conversions.ts';
import { JsonText } from './http/json-text.ts';
import type { ApiDeps } from './http/route.ts';
import { runAndWait } from './run-and-wait.ts';
import type { SynchronousJob } from './synchronous-job.ts';

/** A scrape of a page or an uploaded file. */
interface Scrape extends Pick<SynchronousJob, 'caller' | 'signal' | 'isEncrypted' | 'file'> {
  request: ScrapeRequest;
  /** Base of the URLs in the response. */
  baseUrl: string;
}

/**
 * Runs a scrape.
 * @returns the response with its document, in the shape of `scrapeResponse`
 * @throws ServiceError the error that it failed with; `SCRAPE_TIMEOUT` if it is still running after its
 * timeout
 */
export async function runScrape({ baseUrl, ...scrape }: Scrape, deps: ApiDeps): Promise<JsonText> {
  const { url, timeout: timeoutMs, origin } = scrape.request;
  const isQuick = !opensBrowser(scrape.request);
  const { id, result } = await runAndWait(
    { kind: 'scrape', target: url, timeoutMs, isQuick, reserved: expectedPriceOf(scrape.request), ...scrape },
    deps,
  );
  if (!result) throw await timeoutError(id, scrape.request, deps);
  const fields = {
    success: 'true',
    data: documentJson(result, baseUrl, deps),
    ...(origin.includes('website') && { scrape_id: JSON.stringify(id) }),
  };
  const members = Object.entries(fields).map(([name, json]) => `"${name}":${json}`);
  return new JsonText(`{${members.join(',')}}`);
}

/** Signs the URLs of the files of a stored document. @returns JSON */
const documentJson = (result: Buffer, baseUrl: string, { config }: Pick<ApiDeps, 'config'>): string =>
  withFileUrls(result.toString(), baseUrl, config.secretKey);

/** Parses a stored document and signs the URLs of its files. */
export function parseDocument(result: Buffer, baseUrl: string, deps: Pick<ApiDeps, 'config'>): Document {
  // The scrape activity wrote the document in this shape.
  return JSON.parse(documentJson(result, baseUrl, deps)) as Document;
}

/**
 * Bounds of the seconds after which a request is to be repeated whose document takes longer than its timeout.
 */
const MIN_RETRY_SECONDS = 5;
const MAX_RETRY_SECONDS = 30;

/**
 * The error for a scrape that is still running after its timeout. Clients repeat the request if a document is
 * the cause.
 */
async function timeoutError(
  id: string,
  { url, upload, timeout: timeoutMs }: ScrapeRequest,
  { db }: ApiDeps,
): Promise<ServiceError> {
  const message = `${upload?.name ?? url} was not ${upload ? 'parsed' : 'scraped'} within ${timeoutMs} ms. The work continues; GET /v2/scrape/${id} returns its result`;
  const conversion = await readLongConversion(db, id);
  if (!conversion) return new ServiceError('SCRAPE_TIMEOUT', `${message}.`, { details: { scrapeId: id } });
  const { isRunning, pages, remainingSeconds, endsAt } = conversion;
  const retryAfterSeconds = Math.min(
    MAX_RETRY_SECONDS,
    Math.max(MIN_RETRY_SECONDS, remainingSeconds ?? MAX_RETRY_SECONDS),
  );
  return new ServiceError('SCRAPE_TIMEOUT', `${message}, and so does the same request once more.`, {
    retryAfterSeconds,
    details: {
      scrapeId: id,
      state: 'processing_continues',
      jobStatus: isRunning ? 'running' : 'queued',
      ...(pages !== undefined && { documentPages: pages }),
      ...(remainingSeconds !== undefined && { estimatedRemainingSeconds: remainingSeconds }),
      retryAfterSeconds,
      mayExceedProcessingWindow: Date.now() + (remainingSeconds ?? 0) * 1000 > endsAt.getTime(),
    },
  });
}
