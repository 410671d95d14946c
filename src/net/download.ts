import { validateHeaderName, validateHeaderValue } from 'node:http';
import { type Dispatcher, request } from 'undici';
import { messageOf, ServiceError } from '../errors.ts';
import { mayShare } from '../url.ts';
import { readBody } from './body.ts';
import type { Egress } from './egress.ts';
import { toFetchError } from './failure.ts';

/** What to download and how far to go for it. */
export interface DownloadRequest {
  url: string;
  headers?: Record<string, string>;
  /** The caller's own, which win; a redirect to another origin does not get them. */
  ownHeaders?: Record<string, string>;
  skipTlsVerification: boolean;
  /** Its reason is what an aborted download throws. */
  signal: AbortSignal;
  /** Counted after decoding. */
  maxBodyBytes: number;
}

/** An answer, whatever its status. */
export interface Download {
  /** The address that answered, after redirects, without user name and password. */
  url: string;
  statusCode: number;
  /** Lower-case names; repeated headers joined by commas. */
  headers: Record<string, string>;
  /** `Content-Type` as it was sent; empty when there was none. */
  contentType: string;
  body: Uint8Array;
  /** How many redirects were followed. */
  redirects: number;
}

const MAX_REDIRECTS = 20;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Enough of a redirect's body to keep the connection for the next request. */
const REDIRECT_BODY_BYTES = 64 * 1024;

/** Belong to one connection or to what we decode; `host` belongs to the address. */
const OURS = new Set(
  'host connection keep-alive proxy-connection proxy-authorization transfer-encoding te trailer upgrade expect content-length accept-encoding'.split(
    ' ',
  ),
);
/** Secrets of one origin. */
const SECRETS = new Set(['authorization', 'cookie']);

function readHeaders(given: Record<string, string>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch (error) {
      const message = `The header ${JSON.stringify(name)} cannot be sent: ${messageOf(error)}.`;
      throw new ServiceError('BAD_REQUEST', message, { cause: error });
    }
    if (!OURS.has(name.toLowerCase())) headers[name.toLowerCase()] = value;
  }
  return { ...headers, 'accept-encoding': 'gzip, deflate, br, zstd' };
}

/** Takes user name and password out of an address, as the header that carries them (RFC 7617). */
function takeCredentials(url: URL): Record<string, string> {
  const { username, password } = url;
  if (!username && !password) return {};
  url.username = '';
  url.password = '';
  // The URL standard leaves both as ASCII with %XX for other bytes; Latin-1 keeps each byte one character.
  const pair = `${username}:${password}`.replace(/%([0-9a-f]{2})/gi, (_, hex) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  return { authorization: `Basic ${Buffer.from(pair, 'latin1').toString('base64')}` };
}

function checkScheme(url: URL): void {
  if (url.protocol === 'http:' || url.protocol === 'https:') return;
  throw new ServiceError(
    'unsafe_domain_blocked',
    `${url.href.slice(0, 200)} is a ${url.protocol} address. Only http and https are fetched.`,
  );
}

function nextUrl(location: string, from: URL): URL {
  const next = URL.parse(location, from);
  if (!next) {
    const target = JSON.stringify(location.slice(0, 200));
    throw new ServiceError('SCRAPE_SITE_ERROR', `${from.href} redirects to ${target}, which is no address.`);
  }
  // A fragment lasts until a redirect names another one (RFC 9110 10.2.2).
  if (!next.hash) next.hash = from.hash;
  checkScheme(next);
  return next;
}

function flatten(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]);
  return Object.fromEntries(entries);
}

/**
 * Gets one address through the guarded door. An HTTP error is an answer, not an error.
 * Cookies that a redirect sets are not sent on.
 * @throws ServiceError when there is no answer, or one that is refused or too large; else the signal's reason
 */
export async function download(egress: Egress, options: DownloadRequest): Promise<Download> {
  const { signal, skipTlsVerification, maxBodyBytes } = options;
  const dispatcher = egress.dispatcher({ skipTlsVerification });
  const given = URL.parse(options.url);
  if (!given) throw new ServiceError('BAD_REQUEST', `Invalid URL: ${options.url.slice(0, 200)}`);
  checkScheme(given);
  let url = given;
  const shared = readHeaders(options.headers ?? {});
  let headers = { ...shared, ...readHeaders(options.ownHeaders ?? {}) };
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const credentials = takeCredentials(url);
      const answer = await request(url, { dispatcher, signal, headers: { ...credentials, ...headers } });
      const received = flatten(answer.headers);
      const location = REDIRECTS.has(answer.statusCode) && received.location;
      if (!location) {
        const contentEncoding = received['content-encoding'] ?? '';
        const body = await readBody(answer.body, { url: url.href, contentEncoding, maxBodyBytes });
        const { statusCode } = answer;
        const contentType = received['content-type'] ?? '';
        return { url: url.href, statusCode, headers: received, contentType, body, redirects };
      }
      await answer.body.dump({ limit: REDIRECT_BODY_BYTES, signal });
      const next = nextUrl(location, url);
      if (!mayShare(url, next)) headers = withoutSecrets(shared);
      url = next;
    }
  } catch (error) {
    // An aborted step fails in its own words; the reason for the abort is the truth.
    signal.throwIfAborted();
    throw toFetchError(error, url.host);
  }
  throw new ServiceError(
    'SCRAPE_SITE_ERROR',
    `${given.href} redirects more than ${MAX_REDIRECTS} times, last to ${url.href.slice(0, 200)}.`,
  );
}

function withoutSecrets(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !SECRETS.has(name)));
}
