import { ServiceError } from '../errors.ts';
import { openDownload } from '../net/download.ts';
import type { Egress } from '../net/egress.ts';
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
  /** The host gave no answer: that nothing is allowed is a guess. */
  isSilent?: boolean;
}

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
 * Says what an answer for `/robots.txt` means: its rules when there are any, no limits when there is no such file
 * (3xx after too many redirects, 4xx), nothing allowed while the host cannot tell (5xx, no answer); RFC 9309 2.3.1.
 * @param token the crawler's name; case and a version behind it do not count
 */
export function parseRobots(answer: RobotsFile | 'unreachable', token: string): Robots {
  const unable = answer === 'unreachable' || answer.statusCode >= 500 || answer.statusCode < 200;
  const text = unable
    ? 'User-agent: *\nDisallow: /'
    : answer.statusCode < 300
      ? firstPart(Buffer.from(answer.body))
      : '';
  const { rules, crawlDelaySeconds, sitemaps } = parseRules(text, token);
  return {
    allows: (url) => isAllowed(rules, url),
    crawlDelayMs: crawlDelaySeconds && Math.min(crawlDelaySeconds * 1000, MAX_CRAWL_DELAY_MS),
    sitemaps: answer === 'unreachable' ? [] : sitemapsOf(sitemaps, answer.url),
    ...(answer === 'unreachable' && { isSilent: true }),
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

async function fetchFile({ egress, origin, userAgent, signal }: RobotsRequest): Promise<RobotsFile> {
  const { url, statusCode, body } = await openDownload(egress, {
    url: new URL('/robots.txt', origin).href,
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
  return { url, statusCode, body: firstPart(Buffer.concat(chunks)) };
}

/**
 * Fetches what a host allows. A host that gives no answer in 15 seconds is `unreachable`: nothing is allowed then,
 * yet one attempt at the start page does no harm and tells why (DNS, TLS, a refused address).
 */
export async function fetchRobots(request: RobotsRequest): Promise<RobotsFile | 'unreachable'> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    return await fetchFile({ ...request, signal });
  } catch (error) {
    request.signal.throwIfAborted();
    if (signal.aborted || error instanceof ServiceError) return 'unreachable';
    throw error;
  }
}
