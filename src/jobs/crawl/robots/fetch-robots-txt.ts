import { ServiceError } from '../../../errors.ts';
import type { Egress } from '../../../fetch/net/checked-egress.ts';
import { openDownload } from '../../../fetch/net/download.ts';
import { isHostUnreachable } from '../../../fetch/net/fetch-error.ts';
import { parseRetryAfter } from '../../../fetch/net/retry-after.ts';
import { normalizePath } from './path-pattern.ts';
import { type PathRule, parseDirectives } from './robots-groups.ts';

/** The response of a host to a request for `/robots.txt`, as plain data that can be stored. */
export interface RobotsFile {
  /** The URL of the response after redirects; relative URLs of sitemaps are resolved against it. */
  url: string;
  statusCode: number;
  /** Empty unless the status is 2xx; at most 500 KiB. */
  body: string;
}

/**
 * The rules of a robots.txt for one crawler on one origin (RFC 9309). Callers pass only URLs of that origin.
 */
export interface RobotsRules {
  /** Whether a URL may be fetched. Only its path and query are compared. */
  allows(url: string): boolean;
  /**
   * Milliseconds between two requests, at most 60,000. `Crawl-delay` is not in the standard but is common.
   */
  crawlDelayMs: number | undefined;
  /** Absolute URLs of the sitemaps without duplicates. They apply to every crawler. */
  sitemaps: string[];
}

/** Rules that allow every page. */
export const ALLOW_ALL: RobotsRules = { allows: () => true, crawlDelayMs: undefined, sitemaps: [] };

/** A crawler must read at least 500 KiB (RFC 9309 2.5); the rest of a longer file is ignored. */
const MAX_BYTES = 500 * 1024;
const MAX_CRAWL_DELAY_MS = 60_000;
const TIMEOUT_MS = 15_000;

/** Truncates a file at the end of a line, because a rule with half a path would forbid too much. */
function truncateToLine(body: Buffer): string {
  if (body.length < MAX_BYTES) return body.toString();
  const cut = body.toString('utf8', 0, MAX_BYTES);
  return cut.slice(0, Math.max(cut.lastIndexOf('\n'), cut.lastIndexOf('\r'), 0));
}

function isAllowed(rules: readonly PathRule[], url: string): boolean {
  const parsed = URL.parse(url);
  if (!parsed) return false;
  if (parsed.pathname === '/robots.txt') return true;
  // `URL.search` cannot be used, because it drops a question mark without a query.
  const [, query] = /^[^?#]*(\?[^#]*)?/.exec(parsed.href) ?? [];
  const path = normalizePath(parsed.pathname + (query ?? ''));
  return rules.find(({ matches }) => matches(path))?.allow ?? true;
}

function resolveSitemaps(values: readonly string[], base: string): string[] {
  const urls = values.flatMap((value) => URL.parse(value, base) ?? []);
  return [...new Set(urls.filter(({ protocol }) => /^https?:$/.test(protocol)).map(({ href }) => href))];
}

/**
 * Parses the robots.txt of a host. A status from 300 to 499 means that there is no file and therefore no
 * rule (3xx occurs after too many redirects; RFC 9309 2.3.1).
 * @param token the crawler's name; its case and a version after it are ignored
 */
export function parseRobots({ url, statusCode, body }: RobotsFile, token: string): RobotsRules {
  const text = statusCode < 300 ? truncateToLine(Buffer.from(body)) : '';
  const { rules, crawlDelaySeconds, sitemaps } = parseDirectives(text, token);
  return {
    allows: (page) => isAllowed(rules, page),
    crawlDelayMs: crawlDelaySeconds && Math.min(crawlDelaySeconds * 1000, MAX_CRAWL_DELAY_MS),
    sitemaps: resolveSitemaps(sitemaps, url),
  };
}

/** The request for a robots.txt. */
export interface RobotsRequest {
  egress: Egress;
  /** Scheme, host and port of the pages that the file applies to. */
  origin: string;
  userAgent: string;
  /** An aborted request throws the reason of this signal. */
  signal: AbortSignal;
}

/** The result of a request for a robots.txt. */
export type RobotsFetchResult =
  | RobotsFile
  /**
   * The file is unavailable for now: 5xx, timeout or broken connection (RFC 9309 2.3.1.4). The message has
   * the details.
   */
  | ServiceError
  /** The host cannot be reached. No rules are needed, because its pages fail too, with the reason. */
  | 'unreachable';

/** @throws ServiceError `ROBOTS_UNAVAILABLE` for a response with a 5xx status */
async function fetchRobotsFile({ egress, origin, userAgent, signal }: RobotsRequest): Promise<RobotsFile> {
  const { url, statusCode, headers, body } = await openDownload(egress, {
    url: robotsUrl(origin),
    headers: { 'user-agent': userAgent, accept: 'text/plain,*/*;q=0.5' },
    // Rules are public, and pages may be fetched without a valid certificate too.
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
    throw unavailableError(`${robotsUrl(origin)} responded with HTTP ${statusCode}`, { retryAfterMs });
  }
  return { url, statusCode, body: truncateToLine(Buffer.concat(chunks)) };
}

const robotsUrl = (origin: string) => new URL('/robots.txt', origin).href;

function unavailableError(
  message: string,
  extras: { retryAfterMs?: number | undefined; cause?: unknown } = {},
) {
  const { retryAfterMs, cause } = extras;
  return new ServiceError('ROBOTS_UNAVAILABLE', message, {
    cause,
    ...(retryAfterMs && { retryAfterSeconds: retryAfterMs / 1000 }),
  });
}

/**
 * Fetches the robots.txt of a host within 15 seconds.
 * @returns the file, or a failure as a value, because the caller may have a stored copy of the file
 * @throws the reason of the signal
 */
export async function fetchRobots(request: RobotsRequest): Promise<RobotsFetchResult> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const url = robotsUrl(request.origin);
  try {
    return await fetchRobotsFile({ ...request, signal });
  } catch (error) {
    request.signal.throwIfAborted();
    if (signal.aborted) return unavailableError(`${url} did not respond within ${TIMEOUT_MS / 1000} seconds`);
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === 'ROBOTS_UNAVAILABLE') return error;
    if (isHostUnreachable(error)) return 'unreachable';
    return unavailableError(`${url} could not be read: ${error.message.replace(/\.$/, '')}`, {
      cause: error,
    });
  }
}

/**
 * Creates the error for a user that the rules of a host are unknown, with advice.
 * @param cause a sentence about the cause, without its full stop
 */
export function robotsUnavailableError(cause: string, tries: number): ServiceError {
  const repetition = tries > 1 ? `, ${tries} times` : '';
  return new ServiceError(
    'ROBOTS_UNAVAILABLE',
    `${cause}${repetition}. Without it, the pages that may be crawled on this host are unknown. Try again later, or set ignoreRobotsTxt if you are allowed to crawl it anyway.`,
  );
}
