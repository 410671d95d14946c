import { getDomain } from 'tldts';
import { type ErrorCode, ServiceError } from '../../../errors.ts';
import type { Egress } from '../../../fetch/net/checked-egress.ts';
import { openDownload } from '../../../fetch/net/download.ts';
import { toFetchError } from '../../../fetch/net/fetch-error.ts';
import { isGone } from '../../../fetch/net/response-status.ts';
import type { RobotsRules } from '../robots/fetch-robots-txt.ts';
import { trimPath } from '../url-path.ts';
import { parseSitemap } from './parse-sitemap.ts';

/** The options of {@link walkSitemaps}. */
export interface SitemapWalkOptions {
  egress: Egress;
  /** URLs of the sitemaps to start with, known or guessed. */
  roots: readonly string[];
  /** Guessed URLs, which are also fetched when one of the roots turns out not to be a sitemap. */
  fallbacks?: readonly string[] | undefined;
  userAgent: string;
  /** An aborted walk throws the reason of this signal. */
  signal: AbortSignal;
  /** Maximum milliseconds until the headers of a file arrive; the default is 20,000. */
  responseTimeoutMs?: number | undefined;
  /** Maximum number of files that are requested, including missing ones; the default is 1,000. */
  maxFiles?: number | undefined;
  /** Pages for which this returns false are left out. */
  isWanted?: ((url: string) => boolean) | undefined;
}

/** The outcome of a walk for its files. */
export interface SitemapReport {
  /** Number of files that were read completely. */
  files: number;
  /** URLs of roots that do not exist (404, 410). They are no failures, because roots may be guessed. */
  missing: string[];
  failed: { url: string; code: ErrorCode; error: string }[];
  /** Whether files were left out, because they were too many or nested too deeply. */
  truncated: boolean;
}

interface SitemapFile {
  url: string;
  depth: number;
  /** Whether the file was listed as a page, so it may be a page instead of a sitemap. */
  maybePage?: boolean;
}

const MAX_FILES = 1_000;
const MAX_DEPTH = 5;
const BATCH_SIZE = 1_000;
const FILE_TIMEOUT_MS = 60_000;
/** This timeout is long because some sites generate their sitemaps on request. */
const RESPONSE_TIMEOUT_MS = 20_000;
/** Larger than the limit for the text of a sitemap, so that the error of that limit is reported. */
const MAX_BODY_BYTES = 512 * 1024 * 1024;
/** Extensions of pages that may be sitemaps, because some sites list sitemaps as pages. */
const XML_ENDING = /\.xml(?:\.gz)?$/i;

/** The usual URLs of sitemaps: at the root of the host, below the start path, and on the main domain. */
function usualSitemapUrls(start: URL): string[] {
  const folder = trimPath(start.pathname);
  const names = [`${folder}/sitemap.xml`, '/sitemap.xml', '/sitemap_index.xml', '/sitemap.xml.gz'];
  const urls = names.map((name) => new URL(name, start.origin).href);
  const domain = getDomain(start.hostname, { allowPrivateDomains: true, extractHostname: false });
  if (domain && domain !== start.hostname.replace(/^www\./, '')) {
    const mainSite = new URL(start.origin);
    mainSite.hostname = domain;
    urls.push(new URL('/sitemap.xml', mainSite).href);
  }
  return [...new Set(urls)];
}

/**
 * The URLs of a site's sitemaps: those that robots.txt names, otherwise the usual URLs. The usual URLs are
 * also the fallbacks if a named sitemap cannot be read.
 * @param start the requested URL on the host that responded, see `startUrlAfterRedirect`
 */
export function locateSitemaps(
  start: URL,
  robots: RobotsRules,
): Pick<SitemapWalkOptions, 'roots' | 'fallbacks'> {
  const usual = usualSitemapUrls(start);
  return robots.sitemaps.length > 0 ? { roots: robots.sitemaps, fallbacks: usual } : { roots: usual };
}

/** The queue of files of a walk, without duplicates and with a maximum number. */
function createQueue(roots: readonly string[], maxFiles: number) {
  const waiting: SitemapFile[] = [];
  const known = new Set<string>();
  const queue = {
    truncated: false,
    next: () => waiting.shift(),
    /** Marks a URL as known. @returns false if it was known before */
    markKnown: (url: string) => known.size < known.add(url).size,
    add(file: SitemapFile): void {
      if (known.has(file.url)) return;
      if (file.depth > MAX_DEPTH || known.size >= maxFiles) queue.truncated = true;
      else if (queue.markKnown(file.url)) waiting.push(file);
    },
  };
  for (const root of roots) queue.add({ url: root, depth: 0 });
  return queue;
}

type Queue = ReturnType<typeof createQueue>;

/** The state of a walk through sitemaps. */
interface WalkState {
  queue: Queue;
  report: SitemapReport;
  /** Whether a root turned out not to be a sitemap, so that the fallbacks are needed. */
  needsFallbacks: boolean;
}

/** Opens a file. @returns `undefined` if it does not exist, or redirects to a file that was read before */
async function openFile(file: SitemapFile, options: SitemapWalkOptions, state: WalkState) {
  const { queue, report } = state;
  const { responseTimeoutMs = RESPONSE_TIMEOUT_MS } = options;
  const responseTimeout = new AbortController();
  const message = `The sitemap ${file.url} did not respond within ${responseTimeoutMs / 1_000} seconds.`;
  const timer = setTimeout(
    () => responseTimeout.abort(new ServiceError('SCRAPE_TIMEOUT', message)),
    responseTimeoutMs,
  );
  const signal = AbortSignal.any([
    options.signal,
    responseTimeout.signal,
    AbortSignal.timeout(FILE_TIMEOUT_MS),
  ]);
  const { url, statusCode, body } = await openDownload(options.egress, {
    url: file.url,
    headers: {
      'user-agent': options.userAgent,
      accept: 'application/xml,text/xml,text/plain;q=0.9,*/*;q=0.5',
    },
    skipTlsVerification: true,
    signal,
    maxBodyBytes: MAX_BODY_BYTES,
  }).finally(() => clearTimeout(timer));
  if (statusCode >= 200 && statusCode < 300 && (url === file.url || queue.markKnown(url)))
    return { url, body };
  body.destroy();
  if (statusCode >= 200 && statusCode < 300) return undefined;
  if (file.depth > 0 || !isGone(statusCode))
    throw new ServiceError('SCRAPE_SITE_ERROR', `The sitemap ${url} responded with HTTP ${statusCode}.`);
  report.missing.push(url);
  state.needsFallbacks = true;
  return undefined;
}

function toSitemapError(error: unknown, url: string): ServiceError {
  if (error instanceof Error && error.name === 'TimeoutError') {
    const message = `The sitemap ${url} could not be read completely within ${FILE_TIMEOUT_MS / 1_000} seconds.`;
    return new ServiceError('SCRAPE_TIMEOUT', message, { cause: error });
  }
  const translated = toFetchError(error, new URL(url).host);
  // An error of our own code must not be reported as an error of the site.
  if (translated.code === 'UNKNOWN_ERROR') throw error;
  return translated;
}

/** Yields the pages of one file and queues the sitemaps that it names. */
async function* readPages(
  file: SitemapFile,
  options: SitemapWalkOptions,
  state: WalkState,
): AsyncGenerator<string> {
  const { queue, report } = state;
  let entries = 0;
  let opened: Awaited<ReturnType<typeof openFile>>;
  try {
    opened = await openFile(file, options, state);
    if (!opened) return;
    for await (const { kind, url } of parseSitemap(opened.body, opened.url)) {
      entries++;
      const nested = { url, depth: file.depth + 1 };
      if (kind === 'sitemap') queue.add(nested);
      else if (XML_ENDING.test(new URL(url).pathname)) queue.add({ ...nested, maybePage: true });
      else yield url;
    }
    report.files++;
  } catch (error) {
    options.signal.throwIfAborted();
    const { code, message } = toSitemapError(error, file.url);
    if (file.depth === 0) state.needsFallbacks = true;
    if (!file.maybePage) report.failed.push({ url: file.url, code, error: message });
  } finally {
    // If the caller stops in the middle of a file, the connection must be closed.
    opened?.body.destroy();
  }
  if (file.maybePage && entries === 0) yield file.url;
}

/**
 * Reads sitemaps, and the sitemaps that they name, one after another and each only once. Yields their pages
 * in order, in batches of at most 1,000. A page that is listed several times is yielded several times. A file
 * that fails is reported and skipped. If it is a root, the fallbacks are read after everything that the roots
 * name.
 */
export async function* walkSitemaps(options: SitemapWalkOptions): AsyncGenerator<string[], SitemapReport> {
  const { roots, fallbacks = [], maxFiles = MAX_FILES, isWanted = () => true } = options;
  const report: SitemapReport = { files: 0, missing: [], failed: [], truncated: false };
  const queue = createQueue(roots, maxFiles);
  const state: WalkState = { queue, report, needsFallbacks: false };
  function next(): SitemapFile | undefined {
    const file = queue.next();
    if (file || !state.needsFallbacks) return file;
    // The queue ignores fallbacks that were added before.
    for (const url of fallbacks) queue.add({ url, depth: 0 });
    return queue.next();
  }
  for (let file = next(); file; file = next()) {
    let batch: string[] = [];
    for await (const page of readPages(file, options, state)) {
      if (!isWanted(page)) continue;
      batch.push(page);
      if (batch.length < BATCH_SIZE) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }
  return { ...report, truncated: queue.truncated };
}
