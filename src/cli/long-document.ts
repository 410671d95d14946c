import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { fieldsOf } from '../json/json-object.ts';
import { type ApiRequest, type ApiResponse, sendRequest } from './api-client.ts';
import type { ServiceConnection } from './connection.ts';

/** How often the scrape of a document is looked at that takes longer than its timeout, in milliseconds. */
const POLL_MS = 1_000;

/**
 * Sends a request for a scrape. If its document takes longer than the timeout of the request and is converted
 * on, waits for the end of that.
 * @param options.note called when the wait begins, with a sentence that says so
 * @throws ServiceError as {@link sendRequest}
 */
export async function sendForDocument(
  target: ServiceConnection,
  request: ApiRequest,
  { signal, note }: { signal: AbortSignal; note(text: string): void },
): Promise<ApiResponse> {
  try {
    return await sendRequest(target, request, signal);
  } catch (error) {
    const id = continuedScrapeOf(error);
    if (id === undefined) throw error;
    note('The document takes longer than the timeout, so its conversion continues.');
    return waitForScrape(target, id, signal);
  }
}

/** The id of the scrape that continues after the timeout of its request; `undefined` for any other error. */
function continuedScrapeOf(error: unknown): string | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  const { state, scrapeId } = fieldsOf(error.details);
  return state === 'processing_continues' && typeof scrapeId === 'string' ? scrapeId : undefined;
}

async function waitForScrape(
  target: ServiceConnection,
  id: string,
  signal: AbortSignal,
): Promise<ApiResponse> {
  for (;;) {
    const path = `/v2/scrape/${id}`;
    const { status, ...response } = await sendRequest(target, { method: 'GET', path }, signal);
    if (status !== 'scraping') return response;
    await sleep(POLL_MS, undefined, { signal });
  }
}
