import { createHmac } from 'node:crypto';
import type { Blobs } from '../blobs.ts';
import type { DueEvent, Webhook } from '../db/webhooks.ts';
import { withFileUrls } from '../file-urls.ts';
import { openError, type Seal } from '../seal.ts';

/** An event as it goes over the wire. */
export interface WireEvent {
  headers: Record<string, string>;
  body: Buffer;
}

const USER_AGENT = 'Winnow/0.1 (webhook)';
/** The same under two names: receivers of either kind find it. */
const SIGNATURES = ['x-service-signature', 'x-firecrawl-signature'];
/** The user's headers cannot take their place. */
const OURS = new Set(['content-type', 'user-agent', ...SIGNATURES]);

/**
 * Makes an event: its body is the same in every attempt, but for the signatures of file addresses.
 * @throws ServiceError `NOT_FOUND` when the document of its page is gone
 */
export async function makeEvent(
  event: DueEvent,
  { jobId, webhook, blobs, secretKey }: { jobId: string; webhook: Webhook; blobs: Blobs; secretKey: string },
): Promise<WireEvent> {
  const { target, baseUrl, secret, seal } = webhook;
  const error =
    event.error === null ? undefined : openError({ code: '', message: event.error }, seal).message;
  const document =
    error === undefined && event.blob !== null ? seal.openBytes(await blobs.get(event.blob)) : undefined;
  const body = Buffer.from(
    JSON.stringify({
      success: error === undefined,
      type: event.type,
      id: jobId,
      webhookId: event.id,
      data: document
        ? [JSON.parse(withFileUrls(document.toString(), baseUrl, secretKey))]
        : withoutDocument(event, seal),
      ...(error !== undefined && { error }),
      ...(Object.keys(target.metadata).length && { metadata: target.metadata }),
    }),
  );
  const given = Object.entries(target.headers).filter(([name]) => !OURS.has(name.toLowerCase()));
  const headers = { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...signed(body, secret) };
  return { headers: { ...Object.fromEntries(given), ...headers }, body };
}

/** What is known of a page that failed; events of the job itself tell nothing. */
function withoutDocument({ url, pageId }: DueEvent, seal: Seal) {
  return url === null ? [] : [{ metadata: { sourceURL: seal.open(url), scrapeId: pageId } }];
}

function signed(body: Buffer, secret: string | null): Record<string, string> {
  if (secret === null) return {};
  const value = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return Object.fromEntries(SIGNATURES.map((name) => [name, value]));
}
