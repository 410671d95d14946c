import { request } from 'undici';
import { ServiceError } from '../../errors.ts';
import type { Egress } from './checked-egress.ts';
import { extractCredentials, normalizeHeaders, parseHttpUrl } from './download.ts';
import { toFetchError } from './fetch-error.ts';

/** A POST request. */
export interface PostOptions {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
  /** Time limit in milliseconds, from the DNS lookup to the end of the response. */
  timeoutMs: number;
  /** Aborts the request, which then throws the signal's reason. */
  signal: AbortSignal;
}

/** What responded to a POST request. */
export interface PostResponse {
  statusCode: number;
  /** The beginning of the body as text, as far as it came in time. */
  excerpt: string;
}

/** Bytes of a response's body that are read so that the connection can be reused. */
const RESPONSE_BODY_BYTES = 64 * 1024;
/** Bytes of it that are returned: a sentence of an error page, and no document. */
const EXCERPT_BYTES = 1024;
/** Advice in messages of `toFetchError` about an option that only scrapes have. */
const ADVICE = / (?:Set|Check scheme and port;) skipTlsVerification .*$/;

/**
 * Sends a POST request. Redirects are not followed, and certificates are always verified.
 * @returns the HTTP status of the response, whatever it is, and the beginning of its body
 * @throws ServiceError when there is no response or the URL is blocked; after an abort the signal's reason
 */
export async function post(
  egress: Egress,
  { timeoutMs, signal, ...outgoing }: PostOptions,
): Promise<PostResponse> {
  const url = parseHttpUrl(outgoing.url);
  const { host } = url;
  const timeout = new AbortController();
  const timer = setTimeout(() => {
    const message = `${host} did not respond within ${timeoutMs / 1000} seconds.`;
    timeout.abort(new ServiceError('SCRAPE_TIMEOUT', message));
  }, timeoutMs);
  const anySignal = AbortSignal.any([signal, timeout.signal]);
  try {
    const response = await request(url, {
      method: 'POST',
      dispatcher: egress.dispatcher({ skipTlsVerification: false }),
      headers: { ...extractCredentials(url), ...normalizeHeaders(outgoing.headers) },
      body: outgoing.body,
      signal: anySignal,
    });
    return { statusCode: response.statusCode, excerpt: await readExcerpt(response.body) };
  } catch (error) {
    if (anySignal.aborted) throw anySignal.reason;
    const failure = toFetchError(error, host);
    throw new ServiceError(failure.code, failure.message.replace(ADVICE, ''), { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Reads the beginning of a body, and the rest of a short one, after which its connection serves other requests. */
async function readExcerpt(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of body) {
      if (bytes < EXCERPT_BYTES) parts.push(part.subarray(0, EXCERPT_BYTES - bytes));
      bytes += part.length;
      if (bytes > RESPONSE_BODY_BYTES) break;
    }
  } catch {
    // The status is what counts, and it has come: what is missing of the body is not worth another attempt.
  }
  // A stream leaves out a character whose end is missing. Postgres stores no text with a null character.
  return new TextDecoder().decode(Buffer.concat(parts), { stream: true }).replaceAll('\0', '\uFFFD');
}
