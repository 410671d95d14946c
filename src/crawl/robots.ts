import { ServiceError } from '../errors.ts';
import { openDownload } from '../net/download.ts';
import type { Egress } from '../net/egress.ts';
import { isHostUnreachable } from '../net/fetch-error.ts';
import { parseRetryAfter } from '../net/retry-after.ts';
import { normalizePath } from './robots-path.ts';
import { parseRules, type Rule } from './robots-rules.ts';

/** What a host answered for its `/robots.txt`: all that is kept of it, plain data. */
export interface RobotsFile {
  /** The address that answered; relative sitemaps refer to it. */
  url: string;
  statusCode: number;
  /** Empty unless the status is 2xx; at most 500 KiB. */
  body: string;
}

/** What one crawler may do on one origin (RFC 9309). That an address is of that origin is for the caller to know. */
export interface Robots {
  /** Only path and query count. */
  allows(url: string): boolean;
  /** Pause between two requests, at most 60,000; no part of the standard, but widely written. */
  crawlDelayMs: number | undefined;
  /** Absolute, each once; meant for every crawler alike. */
  sitemaps: string[];
}

/** What a host allows that sets no limits. */
export const UNLIMITED: Robots = { allows: () => true, crawlDelayMs: undefined, sitemaps: [] };

/** RFC 9309 2.5: no less has to be read; what follows is ignored. */
const MAX_BYTES = 500 * 1024;
const MAX_CRAWL_DELAY_MS = 60_000;
const TIMEOUT_MS = 15_000;

/** A file that is cut loses the line at the cut too: half a path forbids too much. */
function firstPart(body: Buffer): string {
  if (body.length < MAX_BYTES) return body.toString();
  const cut = body.toString('utf8', 0, MAX_BYTES);
  return cut.slice(0, Math.max(cut.lastIndexOf('\n'), cut.lastIndexOf('\r'), 0));
}

function isAllowed(rules: readonly Rule[], url: string): boolean {
  const parsed = URL.parse(url);
  if (!parsed) return false;
  if (parsed.pathname === '/robots.txt') return true;
  // Not `search`, which loses a question mark that nothing follows.
  const [, query] = /^[^?#]*(\?[^#]*)?/.exec(parsed.href) ?? [];
  const path = normalizePath(parsed.pathname + (query ?? ''));
  return rules.find(({ matches }) => matches(path))?.allow ?? true;
}

function sitemapsOf(values: readonly string[], base: string): string[] {
  const addresses = values.flatMap((value) => URL.parse(value, base) ?? []);
  return [...new Set(addresses.filter(({ protocol }) => /^https?:$/.test(protocol)).map(({ href }) => href))];
}

/**
 * Says what the file of a host means: its rules when there are any, no limits when there is no such file (3xx after too
 * many redirects, 4xx); RFC 9309 2.3.1.
 * @param token the crawler's name; case and a version behind it do not count
 */
export function parseRobots({ url, statusCode, body }: RobotsFile, token: string): Robots {
  const text = statusCode < 300 ? firstPart(Buffer.from(body)) : '';
  const { rules, crawlDelaySeconds, sitemaps } = parseRules(text, token);
  return {
    allows: (page) => isAllowed(rules, page),
    crawlDelayMs: crawlDelaySeconds && Math.min(crawlDelaySeconds * 1000, MAX_CRAWL_DELAY_MS),
    sitemaps: sitemapsOf(sitemaps, url),
  };
}

/** Where and as whom a robots.txt is asked for. */
export interface RobotsRequest {
  egress: Egress;
  /** Scheme, host and port of the pages that it is for. */
  origin: string;
  userAgent: string;
  /** Its reason is what an aborted fetch throws. */
  signal: AbortSignal;
}

/** What a request for a robots.txt brought. */
export type RobotsAnswer =
  | RobotsFile
  /** The host cannot say now (5xx, silence, a broken connection): RFC 9309 2.3.1.4. The message says what it met. */
  | ServiceError
  /** Nothing can be fetched from the host, so there is nothing to keep from it; its pages fail and tell why. */
  | 'unconnected';

/** @throws ServiceError `ROBOTS_UNAVAILABLE` where the host answers that it cannot say */
async function fetchFile({ egress, origin, userAgent, signal }: RobotsRequest): Promise<RobotsFile> {
  const { url, statusCode, headers, body } = await openDownload(egress, {
    url: robotsUrl(origin),
    headers: { 'user-agent': userAgent, accept: 'text/plain,*/*;q=0.5' },
    // Rules are no secret, and a page is often fetched without a valid certificate too.
    skipTlsVerification: true,
    signal,
    maxBodyBytes: Infinity,
  });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  if (statusCode >= 200 && statusCode < 300) {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= MAX_BYTES) break;
    }
  }
  body.destroy();
  if (statusCode >= 500) {
    const retryAfterMs = parseRetryAfter(headers['retry-after']);
    throw unavailable(`${robotsUrl(origin)} was answered with HTTP ${statusCode}`, { retryAfterMs });
  }
  return { url, statusCode, body: firstPart(Buffer.concat(chunks)) };
}

const robotsUrl = (origin: string) => new URL('/robots.txt', origin).href;

function unavailable(what: string, extras: { retryAfterMs?: number | undefined; cause?: unknown } = {}) {
  const { retryAfterMs, cause } = extras;
  return new ServiceError('ROBOTS_UNAVAILABLE', what, {
    cause,
    ...(retryAfterMs && { retryAfterSeconds: retryAfterMs / 1000 }),
  });
}

/**
 * Asks a host what it allows, for 15 seconds at most.
 * @returns a failure as a value: it may be that of a file of which there is a copy
 * @throws the signal's reason
 */
export async function fetchRobots(request: RobotsRequest): Promise<RobotsAnswer> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const url = robotsUrl(request.origin);
  try {
    return await fetchFile({ ...request, signal });
  } catch (error) {
    request.signal.throwIfAborted();
    if (signal.aborted) return unavailable(`${url} was not answered within ${TIMEOUT_MS / 1000} seconds`);
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === 'ROBOTS_UNAVAILABLE') return error;
    if (isHostUnreachable(error)) return 'unconnected';
    return unavailable(`${url} could not be read: ${error.message.replace(/\.$/, '')}`, { cause: error });
  }
}

/** Says to a person that what a host allows is not known, and what to do. @param what happened, without its full stop */
export function robotsFailure(what: string, tries: number): ServiceError {
  const often = tries > 1 ? `, ${tries} times` : '';
  return new ServiceError(
    'ROBOTS_UNAVAILABLE',
    `${what}${often}. What may be crawled on the host is not known without it. Try again later, or set ignoreRobotsTxt if you may crawl it all the same.`,
  );
}
