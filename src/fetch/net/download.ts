import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Readable } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import { messageOf, ServiceError } from '../../errors.ts';
import type { Redirect } from '../../schemas/page-trace.ts';
import { requireAllowedHost } from '../../url/allowed-hosts.ts';
import { canForwardHeaders } from '../../url/url.ts';
import { BASIC_ROUTE, type Egress, type ProxyRoute } from './checked-egress.ts';
import {
  archivedRequestHeaders,
  archivedUrl,
  type Exchange,
  type HeaderList,
  readStart,
  recordBody,
} from './exchange.ts';
import { toFetchError } from './fetch-error.ts';
import { openResponseBody } from './response-body.ts';

/** A download and its limits. */
export interface DownloadOptions {
  url: string;
  headers?: Record<string, string>;
  /** Headers of the user. They override `headers` and are not sent to another origin after a redirect. */
  userHeaders?: Record<string, string>;
  skipTlsVerification: boolean;
  /** Upstream proxies to use; default {@link BASIC_ROUTE}. */
  route?: ProxyRoute;
  /** Aborts the download, which then throws the signal's reason. */
  signal: AbortSignal;
  /** Hosts that redirects may lead to; absent if any may be. */
  allowedHosts?: readonly string[] | undefined;
  /** Called with each URL that redirects, before the next one is requested. */
  onRedirect?: ((redirect: Redirect) => void) | undefined;
  /** Limit in bytes after decoding. */
  maxBodyBytes: number;
  /** Name of the setting behind the limit, for the error message. */
  limitSetting?: string;
  /** Gets each request with its response as it came, redirects included; absent if nobody keeps them. */
  exchanges?: Exchange[] | undefined;
}

/** A response of any status whose body has not been read yet. */
export interface OpenDownload {
  /** URL after redirects, without user name and password. */
  url: string;
  statusCode: number;
  /** Lower-case names; repeated headers joined by commas. */
  headers: Record<string, string>;
  /** Value of `Content-Type`; empty without one. */
  contentType: string;
  /** Number of redirects that were followed. */
  redirects: number;
  /**
   * Decoded body. Read or destroy it, because it holds a connection. Reading throws ServiceError, such as
   * `SCRAPE_CONTENT_TOO_LARGE`, or the signal's reason.
   */
  body: Readable;
}

/** A download of a whole body. */
export interface FullDownloadOptions extends DownloadOptions {
  /** Returns true for a response whose body is not needed; the body is then empty. */
  skipBody?(response: Omit<OpenDownload, 'body'>): boolean;
}

/** A response of any status with its whole body. */
export interface Download extends Omit<OpenDownload, 'body'> {
  body: Uint8Array;
}

const MAX_REDIRECTS = 20;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Bytes of a redirect's body that are read so that the connection can be reused. */
const REDIRECT_BODY_BYTES = 64 * 1024;

/**
 * Headers that the client sets itself: they belong to the connection, to decoding, or (`host`) to the URL.
 */
const MANAGED_HEADERS = new Set(
  'host connection keep-alive proxy-connection proxy-authorization transfer-encoding te trailer upgrade expect content-length accept-encoding'.split(
    ' ',
  ),
);
/** Headers with credentials, which belong to one origin. */
const CREDENTIAL_HEADERS = new Set(['authorization', 'cookie']);

/**
 * Validates headers, converts their names to lower case and removes those that the client sets itself.
 * @throws ServiceError `BAD_REQUEST` for a name or value that is not valid in HTTP
 */
export function normalizeHeaders(headersToSend: Record<string, string>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(headersToSend)) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch (error) {
      const message = `The header ${JSON.stringify(name)} cannot be sent: ${messageOf(error)}.`;
      throw new ServiceError('BAD_REQUEST', message, { cause: error });
    }
    if (!MANAGED_HEADERS.has(name.toLowerCase())) headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** Content codings that `response-body.ts` decodes. */
const ENCODINGS = { 'accept-encoding': 'gzip, deflate, br, zstd' };

/** Removes user name and password from a URL and returns them as an `authorization` header (RFC 7617). */
export function extractCredentials(url: URL): Record<string, string> {
  const { username, password } = url;
  if (!username && !password) return {};
  url.username = '';
  url.password = '';
  // The URL parser leaves both percent-encoded. Latin-1 maps each decoded byte to one character.
  const pair = `${username}:${password}`.replace(/%([0-9a-f]{2})/gi, (_, hex) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  return { authorization: `Basic ${Buffer.from(pair, 'latin1').toString('base64')}` };
}

function checkScheme(url: URL): void {
  if (url.protocol === 'http:' || url.protocol === 'https:') return;
  throw new ServiceError(
    'unsafe_domain_blocked',
    `${url.href.slice(0, 200)} is a ${url.protocol} URL. Only http and https are fetched.`,
  );
}

function resolveRedirect(location: string, from: URL): URL {
  const next = URL.parse(location, from);
  if (!next) {
    const target = JSON.stringify(location.slice(0, 200));
    throw new ServiceError(
      'SCRAPE_SITE_ERROR',
      `${from.href} redirects to ${target}, which is not a valid URL.`,
    );
  }
  // A redirect without a fragment inherits that of the previous URL (RFC 9110 10.2.2).
  if (!next.hash) next.hash = from.hash;
  checkScheme(next);
  return next;
}

function joinHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]);
  return Object.fromEntries(entries);
}

const listHeaders = (headers: Dispatcher.ResponseData['headers']): HeaderList =>
  Object.entries(headers).flatMap(([name, values]) =>
    [values ?? ''].flat().map((value) => [name, value] satisfies [string, string]),
  );

/** Begins to record a response, whose body follows. */
function beginExchange(
  sent: { url: URL; headers: Record<string, string>; startedAt: number },
  { statusCode, statusText, headers }: Dispatcher.ResponseData,
  { userHeaders, exchanges }: DownloadOptions,
): Exchange | undefined {
  if (!exchanges) return undefined;
  const exchange: Exchange = {
    url: archivedUrl(sent.url.href),
    method: 'GET',
    requestHeaders: [['host', sent.url.host], ...archivedRequestHeaders(sent.headers, userHeaders)],
    statusCode,
    statusText,
    responseHeaders: listHeaders(headers),
    body: new Uint8Array(),
    startedAt: sent.startedAt,
  };
  exchanges.push(exchange);
  return exchange;
}

/** Reads the body of a redirect, if it is short, so that the connection can be reused. */
async function passRedirect(
  { body }: Dispatcher.ResponseData,
  exchange: Exchange | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (!exchange) return body.dump({ limit: REDIRECT_BODY_BYTES, signal });
  const { bytes, hasEnded } = await readStart(body, REDIRECT_BODY_BYTES);
  Object.assign(exchange, { body: bytes, isCut: !hasEnded });
}

/**
 * Creates a function that converts errors. After an abort every error is replaced with the signal's reason.
 */
function createErrorTranslator(host: string, signal: AbortSignal): (error: unknown) => unknown {
  return (error) => (signal.aborted ? signal.reason : toFetchError(error, host));
}

/**
 * Parses an http or https URL.
 * @throws ServiceError `BAD_REQUEST` for an invalid URL, `unsafe_domain_blocked` for another scheme
 */
export function parseHttpUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url) throw new ServiceError('BAD_REQUEST', `Invalid URL: ${text.slice(0, 200)}`);
  checkScheme(url);
  return url;
}

/**
 * Requests a URL, follows redirects and returns as soon as the headers have arrived. HTTP error statuses are
 * responses, not errors, and so is a redirect after twenty others. Cookies set by redirects are not sent on.
 * @throws ServiceError when there is no response or the URL is blocked; after an abort the signal's reason
 */
export async function openDownload(egress: Egress, options: DownloadOptions): Promise<OpenDownload> {
  const { signal, skipTlsVerification, maxBodyBytes, limitSetting, route = BASIC_ROUTE } = options;
  const dispatcher = egress.dispatcher({ skipTlsVerification, route });
  let url = parseHttpUrl(options.url);
  const sharedHeaders: Record<string, string> = { ...normalizeHeaders(options.headers ?? {}), ...ENCODINGS };
  let headers = { ...sharedHeaders, ...normalizeHeaders(options.userHeaders ?? {}) };
  try {
    for (let redirects = 0; ; redirects++) {
      const credentials = extractCredentials(url);
      const startedAt = Date.now();
      const response = await request(url, { dispatcher, signal, headers: { ...credentials, ...headers } });
      const { statusCode } = response;
      const exchange = beginExchange({ url, headers, startedAt }, response, options);
      const responseHeaders = joinHeaders(response.headers);
      const location = REDIRECTS.has(statusCode) && responseHeaders.location;
      if (!location || redirects === MAX_REDIRECTS) {
        const contentEncoding = responseHeaders['content-encoding'] ?? '';
        const translate = createErrorTranslator(url.host, signal);
        const body = openResponseBody(response.body, {
          url: url.href,
          contentEncoding,
          maxBodyBytes,
          limitSetting,
          translate,
          recorder: exchange && recordBody(exchange, maxBodyBytes),
        });
        const contentType = responseHeaders['content-type'] ?? '';
        return { url: url.href, statusCode, headers: responseHeaders, contentType, redirects, body };
      }
      await passRedirect(response, exchange, signal);
      const next = resolveRedirect(location, url);
      options.onRedirect?.({ url: url.href, by: `HTTP ${statusCode}` });
      requireAllowedHost(next, options.allowedHosts);
      if (!canForwardHeaders(url, next)) headers = withoutCredentials(sharedHeaders);
      url = next;
    }
  } catch (error) {
    throw createErrorTranslator(url.host, signal)(error);
  }
}

/**
 * Requests a URL as `openDownload` does and reads the whole body.
 * @throws ServiceError when there is no response, the URL is blocked, the body is too large or there are more
 * than twenty redirects; after an abort the signal's reason
 */
export async function download(egress: Egress, options: FullDownloadOptions): Promise<Download> {
  const { body, ...response } = await openDownload(egress, options);
  const { location } = response.headers;
  if (REDIRECTS.has(response.statusCode) && location) {
    body.destroy();
    const headersToSend = new URL(options.url); // valid, because it was fetched
    extractCredentials(headersToSend);
    throw new ServiceError(
      'SCRAPE_SITE_ERROR',
      `${headersToSend.href} redirects more than ${MAX_REDIRECTS} times, last to ${location.slice(0, 200)}.`,
    );
  }
  if (options.skipBody?.(response)) {
    body.destroy();
    return { ...response, body: new Uint8Array() };
  }
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return { ...response, body: Buffer.concat(chunks) };
}

function withoutCredentials(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIAL_HEADERS.has(name)));
}
