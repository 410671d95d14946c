import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Readable } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import { messageOf, ServiceError } from '../errors.ts';
import { mayShare } from '../url.ts';
import { openBody } from './body.ts';
import { BASIC, type Egress, type Route } from './egress.ts';
import { toFetchError } from './failure.ts';

/** What to download and how far to go for it. */
export interface DownloadRequest {
  url: string;
  headers?: Record<string, string>;
  /** The caller's own, which win; a redirect to another origin does not get them. */
  ownHeaders?: Record<string, string>;
  skipTlsVerification: boolean;
  /** Absent: that of what is fetched without wishes. */
  route?: Route;
  /** Its reason is what an aborted download throws. */
  signal: AbortSignal;
  /** Counted after decoding. */
  maxBodyBytes: number;
  /** The setting that says so. */
  limit?: string;
}

/** An answer whose body is still to come, whatever its status. */
export interface OpenDownload {
  /** The address that answered, after redirects, without user name and password. */
  url: string;
  statusCode: number;
  /** Lower-case names; repeated headers joined by commas. */
  headers: Record<string, string>;
  /** `Content-Type` as it was sent; empty when there was none. */
  contentType: string;
  /** How many redirects were followed. */
  redirects: number;
  /**
   * Decoded, as it comes; read it or destroy it, for it holds a connection. Reading throws ServiceError
   * (`SCRAPE_CONTENT_TOO_LARGE` among them), or the signal's reason.
   */
  body: Readable;
}

/** What to download whole, unless its headers say otherwise. */
export interface WholeRequest extends DownloadRequest {
  /** Says of an answer by its headers that its body is of no use: it is not read, and empty. */
  isEnough?(answer: Omit<OpenDownload, 'body'>): boolean;
}

/** An answer, whatever its status. */
export interface Download extends Omit<OpenDownload, 'body'> {
  body: Uint8Array;
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

/**
 * Headers that can be sent: names in lower case, without those that belong to the connection.
 * @throws ServiceError `BAD_REQUEST`
 */
export function readHeaders(given: Record<string, string>): Record<string, string> {
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
  return headers;
}

/** What we decode. */
const ENCODINGS = { 'accept-encoding': 'gzip, deflate, br, zstd' };

/** Takes user name and password out of an address, as the header that carries them (RFC 7617). */
export function takeCredentials(url: URL): Record<string, string> {
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

/** An aborted step fails in its own words; the reason for the abort is the truth. */
function translateFor(host: string, signal: AbortSignal): (error: unknown) => unknown {
  return (error) => (signal.aborted ? signal.reason : toFetchError(error, host));
}

/** @throws ServiceError `BAD_REQUEST` or `unsafe_domain_blocked` for what is no address of the web */
export function readTarget(text: string): URL {
  const url = URL.parse(text);
  if (!url) throw new ServiceError('BAD_REQUEST', `Invalid URL: ${text.slice(0, 200)}`);
  checkScheme(url);
  return url;
}

/**
 * Asks one address through the guarded door; the answer is there when its headers are. An HTTP error is an answer,
 * not an error, and so is a redirect after twenty others. Cookies that a redirect sets are not sent on.
 * @throws ServiceError when there is no answer, or one that is refused; else the signal's reason
 */
export async function openDownload(egress: Egress, options: DownloadRequest): Promise<OpenDownload> {
  const { signal, skipTlsVerification, maxBodyBytes, limit, route = BASIC } = options;
  const dispatcher = egress.dispatcher({ skipTlsVerification, route });
  let url = readTarget(options.url);
  const shared: Record<string, string> = { ...readHeaders(options.headers ?? {}), ...ENCODINGS };
  let headers = { ...shared, ...readHeaders(options.ownHeaders ?? {}) };
  try {
    for (let redirects = 0; ; redirects++) {
      const credentials = takeCredentials(url);
      const answer = await request(url, { dispatcher, signal, headers: { ...credentials, ...headers } });
      const { statusCode } = answer;
      const received = flatten(answer.headers);
      const location = REDIRECTS.has(statusCode) && received.location;
      if (!location || redirects === MAX_REDIRECTS) {
        const contentEncoding = received['content-encoding'] ?? '';
        const translate = translateFor(url.host, signal);
        const body = openBody(answer.body, {
          url: url.href,
          contentEncoding,
          maxBodyBytes,
          limit,
          translate,
        });
        const contentType = received['content-type'] ?? '';
        return { url: url.href, statusCode, headers: received, contentType, redirects, body };
      }
      await answer.body.dump({ limit: REDIRECT_BODY_BYTES, signal });
      const next = nextUrl(location, url);
      if (!mayShare(url, next)) headers = withoutSecrets(shared);
      url = next;
    }
  } catch (error) {
    throw translateFor(url.host, signal)(error);
  }
}

/**
 * Gets one address, as `openDownload` does, with its whole body.
 * @throws ServiceError when there is no answer, or one that is refused, too large or nothing but redirects;
 * else the signal's reason
 */
export async function download(egress: Egress, options: WholeRequest): Promise<Download> {
  const { body, ...answer } = await openDownload(egress, options);
  const { location } = answer.headers;
  if (REDIRECTS.has(answer.statusCode) && location) {
    body.destroy();
    const given = new URL(options.url); // it was fetched, so it is an address
    takeCredentials(given);
    throw new ServiceError(
      'SCRAPE_SITE_ERROR',
      `${given.href} redirects more than ${MAX_REDIRECTS} times, last to ${location.slice(0, 200)}.`,
    );
  }
  if (options.isEnough?.(answer)) {
    body.destroy();
    return { ...answer, body: new Uint8Array() };
  }
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return { ...answer, body: Buffer.concat(chunks) };
}

function withoutSecrets(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !SECRETS.has(name)));
}
