import { request } from 'undici';
import { ServiceError } from '../errors.ts';
import { readHeaders, readTarget, takeCredentials } from './download.ts';
import type { Egress } from './egress.ts';
import { toFetchError } from './failure.ts';

/** What to send, and where. */
export interface PostRequest {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
  /** For the whole of it, from looking the name up to the answer's headers. */
  timeoutMs: number;
  /** Its reason is what an aborted request throws. */
  signal: AbortSignal;
}

/** Enough of an answer's body to keep the connection for the next request. */
const ANSWER_BODY_BYTES = 64 * 1024;
/** Options of a download that a message may advise; here there are none. */
const ADVICE = / (?:Set|Check scheme and port;) skipTlsVerification .*$/;

/**
 * Sends bytes through the guarded door. Redirects are not followed, certificates are checked.
 * @returns the HTTP status of the answer, whatever it is; what else it says is not read
 * @throws ServiceError when there is no answer, or the address may not be asked; else the signal's reason
 */
export async function post(egress: Egress, { timeoutMs, signal, ...order }: PostRequest): Promise<number> {
  const url = readTarget(order.url);
  const { host } = url;
  const stop = new AbortController();
  const timer = setTimeout(() => {
    const message = `${host} did not answer within ${timeoutMs / 1000} seconds.`;
    stop.abort(new ServiceError('SCRAPE_TIMEOUT', message));
  }, timeoutMs);
  const either = AbortSignal.any([signal, stop.signal]);
  try {
    const answer = await request(url, {
      method: 'POST',
      dispatcher: egress.dispatcher({ skipTlsVerification: false }),
      headers: { ...takeCredentials(url), ...readHeaders(order.headers) },
      body: order.body,
      signal: either,
    });
    // The status has said everything: a body that does not end well changes nothing.
    await answer.body.dump({ limit: ANSWER_BODY_BYTES, signal: either }).catch(() => undefined);
    return answer.statusCode;
  } catch (error) {
    if (either.aborted) throw either.reason;
    const failure = toFetchError(error, host);
    throw new ServiceError(failure.code, failure.message.replace(ADVICE, ''), { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
