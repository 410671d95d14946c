import { ServiceError } from '../../../errors.ts';
import { normalizeHeaders } from '../../net/download.ts';
import type { BrowsingContext } from '../chromium/browsing-context.ts';
import type { RequestRules } from './request-interception.ts';

/**
 * Prepares the user's headers for requests to the page's own origin. A `Cookie` header is stored in the
 * context instead.
 * @throws ServiceError `BAD_REQUEST` when the `Cookie` header is not valid
 */
export async function prepareOwnHeaders(
  context: BrowsingContext,
  { url, headers }: { url: string; headers: Record<string, string> },
): Promise<RequestRules['headers']> {
  const origin = new URL(url);
  const { cookie, ...values } = normalizeHeaders(headers);
  if (cookie !== undefined) await setCookies(context, origin, cookie);
  return Object.keys(values).length ? { origin, values } : undefined;
}

async function setCookies(
  { connection, id }: BrowsingContext,
  { origin }: URL,
  header: string,
): Promise<void> {
  const cookies = header
    .split(';')
    .map((pair) => /^\s*([^=]+)=(.*)$/.exec(pair))
    .flatMap((match) => (match ? [{ url: origin, name: match[1]!.trim(), value: match[2]!.trim() }] : []));
  try {
    await connection.browser.send('Storage.setCookies', { cookies, browserContextId: id });
  } catch (cause) {
    throw new ServiceError('BAD_REQUEST', `The header Cookie does not hold cookies for ${origin}.`, {
      cause,
    });
  }
}
