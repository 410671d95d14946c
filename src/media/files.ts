import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ServiceError } from '../errors.ts';
import { tooLarge } from '../net/body.ts';
import { type OpenDownload, openDownload } from '../net/download.ts';
import type { Egress, Route } from '../net/egress.ts';
import { mayShare } from '../url.ts';

/** How files of a page are fetched. */
export interface FileOrder {
  egress: Egress;
  userAgent: string;
  /** Where copies go. */
  directory: string;
  /** Whose files they are. */
  pageUrl: string;
  /** The address that was asked for: the user's headers are for its origin alone, wherever it led. */
  askedUrl: URL;
  headers: Record<string, string>;
  skipTlsVerification: boolean;
  route: Route;
  /** Of one file, and of all files of a playlist together. */
  maxBytes: number;
  signal: AbortSignal;
}

/** A copy on the disk. */
export interface FetchedFile {
  path: string;
  /** The address that answered. */
  url: string;
  /** It only names other files (HLS). */
  isPlaylist: boolean;
}

const LIMIT = 'WINNOW_MAX_MEDIA_MB';
/** Most playlists are of hundreds: six seconds each. */
const MOST_FILES = 10_000;
/** Answers that mean us, not the file. */
const REFUSALS = new Set([401, 402, 403, 407, 451]);
/** How playlists of HLS begin, and of DASH, perhaps behind a mark of byte order. */
const HLS = /^\uFEFF?\s*#EXTM3U/;
const DASH = /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<MPD[\s>]/;

/** Fetches files of a page, each once; in little memory, whatever their size. */
export function createFiles(order: FileOrder) {
  const { directory, maxBytes, signal } = order;
  const fetched = new Map<string, Promise<FetchedFile>>();

  async function write({ url, body }: OpenDownload, file: string, take: (count: number) => boolean) {
    body.on('data', (chunk: Buffer) => {
      if (!take(chunk.length)) body.destroy(tooLarge({ url, maxBodyBytes: maxBytes, limit: LIMIT }));
    });
    await pipeline(body, createWriteStream(file, { flags: 'wx', mode: 0o600 }), { signal }).catch((error) => {
      signal.throwIfAborted();
      throw error;
    });
    return { path: file, url, isPlaylist: await isPlaylist(file, url) };
  }

  function once(url: string, take: (count: number) => boolean): Promise<FetchedFile> {
    const file = path.join(directory, String(fetched.size));
    const coming = fetched.get(url) ?? ask(order, url).then((answer) => write(answer, file, take));
    fetched.set(url, coming);
    return coming;
  }

  return {
    /**
     * @throws ServiceError `SCRAPE_MEDIA_ACCESS_DENIED`, `SCRAPE_SITE_ERROR`, `SCRAPE_CONTENT_TOO_LARGE`,
     *   `SCRAPE_UNSUPPORTED_FILE_ERROR` for a page or a manifest of DASH
     */
    fetch: (url: string) => once(url, () => true),

    /** Fetches the files of one playlist, whose sizes count together. */
    ofPlaylist() {
      let left = maxBytes;
      const take = (count: number) => {
        left -= count;
        return left >= 0;
      };
      return async (url: string): Promise<string> => {
        if (fetched.size > MOST_FILES) {
          const message = `The playlist that names ${url} is of more than ${MOST_FILES} files.`;
          throw new ServiceError('SCRAPE_CONTENT_TOO_LARGE', message);
        }
        return (await once(url, take)).path;
      };
    },
  };
}

/** An answer with a file in it, by its headers. */
async function ask(order: FileOrder, url: string): Promise<OpenDownload> {
  const {
    egress,
    userAgent,
    pageUrl,
    askedUrl,
    headers,
    skipTlsVerification,
    route,
    signal,
    maxBytes: maxBodyBytes,
  } = order;
  const own = URL.canParse(url) && mayShare(askedUrl, new URL(url)) ? headers : {};
  const answer = await openDownload(egress, {
    ...{ url, skipTlsVerification, route, signal, maxBodyBytes, limit: LIMIT },
    headers: { accept: '*/*', 'user-agent': userAgent, referer: refererOf(pageUrl, url) },
    ownHeaders: own,
  });
  const refusal = refusalOf(answer, maxBodyBytes);
  if (!refusal) return answer;
  answer.body.destroy();
  throw refusal;
}

/** As browsers do by default: to other origins the origin alone. */
function refererOf(pageUrl: string, url: string): string {
  const page = new URL(pageUrl);
  if (URL.parse(url)?.origin !== page.origin) return `${page.origin}/`;
  return `${page.origin}${page.pathname}${page.search}`;
}

function refusalOf({ url, statusCode, headers, contentType }: OpenDownload, maxBodyBytes: number) {
  if (REFUSALS.has(statusCode)) {
    const message = `${url} answered ${statusCode}: the site does not give this file to everybody.`;
    return new ServiceError('SCRAPE_MEDIA_ACCESS_DENIED', message);
  }
  if (statusCode < 200 || statusCode > 299) {
    return new ServiceError('SCRAPE_SITE_ERROR', `${url} answered ${statusCode} instead of a file.`);
  }
  if (/^\s*(?:text\/html|application\/xhtml)/i.test(contentType)) {
    return new ServiceError('SCRAPE_UNSUPPORTED_FILE_ERROR', `${url} is a page, not a file to play.`);
  }
  const isCoded = headers['content-encoding'] !== undefined;
  const isTooLarge = !isCoded && Number(headers['content-length']) > maxBodyBytes;
  return isTooLarge ? tooLarge({ url, maxBodyBytes, limit: LIMIT }) : undefined;
}

async function isPlaylist(file: string, url: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1024), 0, 1024, 0);
    const start = buffer.toString('utf8', 0, bytesRead);
    if (DASH.test(start)) {
      const message = `${url} is a manifest of DASH, which cannot be read yet.`;
      throw new ServiceError('SCRAPE_UNSUPPORTED_FILE_ERROR', message);
    }
    return HLS.test(start);
  } finally {
    await handle.close();
  }
}
