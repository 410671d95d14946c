import { getDomain } from 'tldts';
import { type ErrorCode, ServiceError } from '../errors.ts';
import { openDownload } from '../net/download.ts';
import type { Egress } from '../net/egress.ts';
import { toFetchError } from '../net/fetch-error.ts';
import { trimPath } from './path.ts';
import type { Robots } from './robots.ts';
import { parseSitemap } from './sitemap.ts';

/** Where a walk begins and how far it goes. */
export interface SitemapWalk {
  egress: Egress;
  /** Addresses of sitemaps, known or guessed. */
  roots: readonly string[];
  /** Guessed URLs, asked as well where one of the roots gives no sitemap. */
  fallbacks?: readonly string[] | undefined;
  userAgent: string;
  /** Its reason is what an aborted walk throws. */
  signal: AbortSignal;
  /** Milliseconds until the headers of a file must have come; 20,000 unless said otherwise. */
  answerTimeoutMs?: number | undefined;
  /** Files that are asked for at most, missing ones included; 1,000 unless said otherwise. */
  maxFiles?: number | undefined;
  /** Pages for which it is false are not given out. */
  isWanted?: ((url: string) => boolean) | undefined;
}

/** What became of the files of a walk. */
export interface SitemapReport {
  /** How many were read to their end. */
  files: number;
  /** Roots where nothing is (404, 410): a guess that was wrong is no failure. */
  missing: string[];
  failed: { url: string; code: ErrorCode; error: string }[];
  /** Some files were left out: too many of them, or too deep in each other. */
  truncated: boolean;
}

interface File {
  url: string;
  depth: number;
  /** Stood among pages, and may be one. */
  maybePage?: boolean;
}

const MAX_FILES = 1_000;
const MAX_DEPTH = 5;
const BATCH = 1_000;
const FILE_TIMEOUT_MS = 60_000;
/** Sites that make their sitemaps when they are asked for them take a while. */
const ANSWER_TIMEOUT_MS = 20_000;
/** Beyond what a sitemap's text may have, so that its own limit speaks. */
const MAX_BODY_BYTES = 512 * 1024 * 1024;
/** Sites list sitemaps among their pages. */
const XML_ENDING = /\.xml(?:\.gz)?$/i;

/** The usual places of a host: its root, beside and above the start path. */
function usualPlaces(start: URL): string[] {
  const folder = trimPath(start.pathname);
  const names = [`${folder}/sitemap.xml`, '/sitemap.xml', '/sitemap_index.xml', '/sitemap.xml.gz'];
  const places = names.map((name) => new URL(name, start.origin).href);
  const domain = getDomain(start.hostname, { allowPrivateDomains: true, extractHostname: false });
  if (domain && domain !== start.hostname.replace(/^www\./, '')) {
    const main = new URL(start.origin);
    main.hostname = domain;
    places.push(new URL('/sitemap.xml', main).href);
  }
  return [...new Set(places)];
}

/**
 * Where a site's sitemaps are: what its robots.txt names, and where they usually are if it names none, or one that
 * gives nothing.
 * @param start the URL that was asked for, on the host that answered
 */
export function sitemapPlaces(start: URL, robots: Robots): Pick<SitemapWalk, 'roots' | 'fallbacks'> {
  const usual = usualPlaces(start);
  return robots.sitemaps.length > 0 ? { roots: robots.sitemaps, fallbacks: usual } : { roots: usual };
}

/** The files of a walk: each once, and no more than allowed. */
function createQueue(roots: readonly string[], maxFiles: number) {
  const waiting: File[] = [];
  const known = new Set<string>();
  const queue = {
    truncated: false,
    next: () => waiting.shift(),
    /** @returns false for an address that was met before */
    know: (url: string) => known.size < known.add(url).size,
    add(file: File): void {
      if (known.has(file.url)) return;
      if (file.depth > MAX_DEPTH || known.size >= maxFiles) queue.truncated = true;
      else if (queue.know(file.url)) waiting.push(file);
    },
  };
  for (const root of roots) queue.add({ url: root, depth: 0 });
  return queue;
}

type Queue = ReturnType<typeof createQueue>;

/** What a walk carries from file to file. */
interface Progress {
  queue: Queue;
  report: SitemapReport;
  /** A root gave no sitemap. */
  isRootLost: boolean;
}

/** @returns `undefined` where nothing is, and where a redirect leads to what was read already */
async function openFile(file: File, walk: SitemapWalk, progress: Progress) {
  const { queue, report } = progress;
  const { answerTimeoutMs = ANSWER_TIMEOUT_MS } = walk;
  const silence = new AbortController();
  const message = `The sitemap ${file.url} was not answered in ${answerTimeoutMs / 1_000} seconds.`;
  const timer = setTimeout(() => silence.abort(new ServiceError('SCRAPE_TIMEOUT', message)), answerTimeoutMs);
  const signal = AbortSignal.any([walk.signal, silence.signal, AbortSignal.timeout(FILE_TIMEOUT_MS)]);
  const { url, statusCode, body } = await openDownload(walk.egress, {
    url: file.url,
    headers: { 'user-agent': walk.userAgent, accept: 'application/xml,text/xml,text/plain;q=0.9,*/*;q=0.5' },
    skipTlsVerification: true,
    signal,
    maxBodyBytes: MAX_BODY_BYTES,
  }).finally(() => clearTimeout(timer));
  if (statusCode >= 200 && statusCode < 300 && (url === file.url || queue.know(url))) return { url, body };
  body.destroy();
  if (statusCode >= 200 && statusCode < 300) return undefined;
  if (file.depth > 0 || (statusCode !== 404 && statusCode !== 410))
    throw new ServiceError('SCRAPE_SITE_ERROR', `The sitemap ${url} was answered with HTTP ${statusCode}.`);
  report.missing.push(url);
  progress.isRootLost = true;
  return undefined;
}

function toServiceError(error: unknown, url: string): ServiceError {
  if (error instanceof Error && error.name === 'TimeoutError') {
    const message = `The sitemap ${url} was not read to its end in ${FILE_TIMEOUT_MS / 1_000} seconds.`;
    return new ServiceError('SCRAPE_TIMEOUT', message, { cause: error });
  }
  const translated = toFetchError(error, new URL(url).host);
  // A fault of ours must not pass for one of the site.
  if (translated.code === 'UNKNOWN_ERROR') throw error;
  return translated;
}

/** Gives the pages of one file and queues the sitemaps that it names. */
async function* pagesOf(file: File, walk: SitemapWalk, progress: Progress): AsyncGenerator<string> {
  const { queue, report } = progress;
  let entries = 0;
  let opened: Awaited<ReturnType<typeof openFile>>;
  try {
    opened = await openFile(file, walk, progress);
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
    walk.signal.throwIfAborted();
    const { code, message } = toServiceError(error, file.url);
    if (file.depth === 0) progress.isRootLost = true;
    if (!file.maybePage) report.failed.push({ url: file.url, code, error: message });
  } finally {
    // Who stops in the middle of a file leaves its connection too.
    opened?.body.destroy();
  }
  if (file.maybePage && entries === 0) yield file.url;
}

/**
 * Reads sitemaps and all that they name, one after another, each once. Gives their pages in batches of at most 1,000,
 * in order, and the same page as often as it is named. A file that fails is left out and reported; where that is a
 * root, the fallbacks are read after all that the roots name.
 */
export async function* walkSitemaps(walk: SitemapWalk): AsyncGenerator<string[], SitemapReport> {
  const { roots, fallbacks = [], maxFiles = MAX_FILES, isWanted = () => true } = walk;
  const report: SitemapReport = { files: 0, missing: [], failed: [], truncated: false };
  const queue = createQueue(roots, maxFiles);
  const progress: Progress = { queue, report, isRootLost: false };
  function next(): File | undefined {
    const file = queue.next();
    if (file || !progress.isRootLost) return file;
    // Those that were added before are known, and left out.
    for (const url of fallbacks) queue.add({ url, depth: 0 });
    return queue.next();
  }
  for (let file = next(); file; file = next()) {
    let batch: string[] = [];
    for await (const page of pagesOf(file, walk, progress)) {
      if (!isWanted(page)) continue;
      batch.push(page);
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }
  return { ...report, truncated: queue.truncated };
}
