import { createHmac } from 'node:crypto';
import type { PageDetails } from '../../schemas/monitor-results.ts';
import { withFileUrls } from '../../storage/blobs/file-urls.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import { withPictureUrls } from '../../storage/blobs/picture-urls.ts';
import type { DueEvent } from '../../storage/db/webhook-events.ts';
import type { Webhook } from '../../storage/db/webhooks.ts';
import { decryptError, type JobCipher } from '../../system/encryption/job-cipher.ts';
import type { RunResult } from '../agent/results.ts';

/** The HTTP request of an event. */
export interface EventRequest {
  headers: Record<string, string>;
  body: Buffer;
}

const USER_AGENT = 'Winnow/0.1 (webhook)';
/** Both headers contain the same signature, so that receivers that expect either of them work. */
const SIGNATURE_HEADERS = ['x-service-signature', 'x-firecrawl-signature'];
/** Headers that the user's own headers cannot replace. */
const RESERVED_HEADERS = new Set(['content-type', 'user-agent', ...SIGNATURE_HEADERS]);

/** Where an event belongs to, and where its parts are. */
interface EventSources {
  jobId: string;
  webhook: Webhook;
  results: Blobs;
  monitorBlobs: Blobs;
  secretKey: string;
}

/**
 * Creates the request of an event. Its body is the same in every attempt, except for the signatures in file
 * URLs.
 * @throws ServiceError `NOT_FOUND` if the document of its page no longer exists
 */
export async function buildEventRequest(event: DueEvent, sources: EventSources): Promise<EventRequest> {
  const { target, secret } = sources.webhook;
  const body = Buffer.from(JSON.stringify(await buildEventBody(event, sources)));
  const userHeaders = Object.entries(target.headers).filter(
    ([name]) => !RESERVED_HEADERS.has(name.toLowerCase()),
  );
  const headers = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    ...signatureHeaders(body, secret),
  };
  return { headers: { ...Object.fromEntries(userHeaders), ...headers }, body };
}

/** Creates the body of an event. @throws ServiceError `NOT_FOUND` if the document of its page no longer exists */
export async function buildEventBody(
  event: DueEvent,
  { jobId, webhook, results, monitorBlobs, secretKey }: EventSources,
): Promise<Record<string, unknown>> {
  const { target, baseUrl, cipher } = webhook;
  const error =
    event.error === null ? undefined : decryptError({ code: '', message: event.error }, cipher).message;
  const run =
    (await checkData(event, { monitorBlobs, baseUrl, secretKey })) ??
    (await runData(event, { jobId, results }));
  const document =
    error === undefined && event.blob !== null
      ? cipher.decryptBytes(await results.get(event.blob))
      : undefined;
  return {
    success: error === undefined && !event.type.endsWith('.cancelled') && !isFailedCheck(event),
    type: event.type,
    id: jobId,
    webhookId: event.id,
    data: run
      ? [run]
      : document
        ? [JSON.parse(withFileUrls(document.toString(), baseUrl, secretKey))]
        : dataWithoutDocument(event, cipher),
    ...(error !== undefined && { error }),
    ...(Object.keys(target.metadata).length && { metadata: target.metadata }),
  };
}

/** Whether an event tells that a check of a monitor did not read all of its pages. */
const isFailedCheck = ({ type, check }: DueEvent) =>
  type === 'monitor.check.completed' && (check?.data.status === 'failed' || check?.data.status === 'partial');

/** Creates the data of an event of a monitor; `undefined` for other events. */
async function checkData(
  { type, check }: DueEvent,
  { monitorBlobs, ...urls }: { monitorBlobs: Blobs; baseUrl: string; secretKey: string },
): Promise<object | undefined> {
  if (!check) return undefined;
  if (type !== 'monitor.page') return check.data;
  // The check stored its details in this shape.
  const details: PageDetails = check.blob ? JSON.parse((await monitorBlobs.get(check.blob)).toString()) : {};
  return { ...check.data, diff: withPictureUrls(details, urls).diff ?? null };
}

/** Creates the data of an event of an agent or extract; `undefined` for other events, and for starts. */
async function runData(
  { type, action, credits: creditsUsed, resultBlob, error }: DueEvent,
  { jobId, results }: { jobId: string; results: Blobs },
): Promise<object | undefined> {
  if (type === 'agent.action') return { creditsUsed, action: action?.tool, input: action?.input };
  if (resultBlob !== null) {
    // `concludeRun` stored the result in this shape.
    const result = JSON.parse((await results.get(resultBlob)).toString()) as RunResult;
    const { data, pages: totalUrlsScraped, sourcesByField: sources, modelTokens: llmUsage = 0 } = result;
    if (type === 'agent.completed') return { creditsUsed, data };
    return { success: true, data, extractId: jobId, llmUsage, totalUrlsScraped, sources };
  }
  const isEndOfAgent = type === 'agent.cancelled' || (type === 'agent.failed' && error !== null);
  return isEndOfAgent ? { creditsUsed } : undefined;
}

/**
 * Creates the `data` of an event without a document: the URL and id of a failed page, or an empty list for an
 * event of the job itself.
 */
function dataWithoutDocument({ url, pageId }: DueEvent, cipher: JobCipher) {
  return url === null ? [] : [{ metadata: { sourceURL: cipher.decrypt(url), scrapeId: pageId } }];
}

function signatureHeaders(body: Buffer, secret: string | null): Record<string, string> {
  if (secret === null) return {};
  const value = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return Object.fromEntries(SIGNATURE_HEADERS.map((name) => [name, value]));
}
