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
  /** Time limit in milliseconds, from the DNS lookup to the response's headers. */
  timeoutMs: number;
  /** Aborts the request, which then throws the signal's reason. */
  signal: AbortSignal;
}

/** Bytes of a response's body that are read so that the connection can be reused. */
const RESPONSE_BODY_BYTES = 64 * 1024;
/** Advice in messages of `toFetchError` about an option that only scrapes have. */
const ADVICE = / (?:Set|Check scheme and port;) skipTlsVerification .*$/;

/**
 * Sends a POST request. Redirects are not followed, and certificates are always verified.
 * @returns the HTTP status of the response, whatever it is; its headers and body are ignored
 * @throws ServiceError when there is no response or the URL is blocked; after an abort the signal's reason
 */
export async function post(egress: Egress, { timeoutMs, signal, ...outgoing }: PostOptions): Promise<number> {
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
    // Only the status matters, so errors of the body are ignored.
    await response.body.dump({ limit: RESPONSE_BODY_BYTES, signal: anySignal }).catch(() => undefined);
    return response.statusCode;
  } catch (error) {
    if (anySignal.aborted) throw anySignal.reason;
    const failure = toFetchError(error, host);
    throw new ServiceError(failure.code, failure.message.replace(ADVICE, ''), { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
