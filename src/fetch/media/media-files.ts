import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ServiceError } from '../../errors.ts';
import { canForwardHeaders } from '../../url/url.ts';
import type { Egress, ProxyRoute } from '../net/checked-egress.ts';
import { type OpenDownload, openDownload } from '../net/download.ts';
import { createTooLargeError } from '../net/response-body.ts';

/** How the media files of a page are fetched. */
export interface MediaFileOptions {
  egress: Egress;
  userAgent: string;
  /** Directory for the copies. */
  directory: string;
  /** The page that the files belong to. */
  pageUrl: string;
  /** The requested URL. The user's headers are sent to its origin only, even after redirects. */
  requestedUrl: URL;
  headers: Record<string, string>;
  skipTlsVerification: boolean;
  route: ProxyRoute;
  /** Limit for one file, and for all files of one playlist together. */
  maxBytes: number;
  signal: AbortSignal;
}

/** A copy of a file on disk. */
export interface FetchedFile {
  path: string;
  /** The URL of the response, after redirects. */
  url: string;
  /** The file is an HLS playlist, which only lists other files. */
  isPlaylist: boolean;
}

const SIZE_SETTING = 'WINNOW_MAX_MEDIA_MB';
/** Most files of a playlist; typical ones have hundreds of six-second segments. */
const MAX_FILES = 10_000;
/** Statuses that refuse the client rather than the file. */
const REFUSED_STATUSES = new Set([401, 402, 403, 407, 451]);
/** The beginnings of HLS playlists and DASH manifests, with an optional byte order mark. */
const HLS = /^\uFEFF?\s*#EXTM3U/;
const DASH = /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<MPD[\s>]/;

/** Fetches the media files of a page to disk, each once; memory use does not depend on their size. */
export function createMediaFiles(options: MediaFileOptions) {
  const { directory, maxBytes, signal } = options;
  const fetched = new Map<string, Promise<FetchedFile>>();

  async function write({ url, body }: OpenDownload, file: string, take: (count: number) => boolean) {
    body.on('data', (chunk: Buffer) => {
      if (!take(chunk.length))
        body.destroy(createTooLargeError({ url, maxBodyBytes: maxBytes, limitSetting: SIZE_SETTING }));
    });
    await pipeline(body, createWriteStream(file, { flags: 'wx', mode: 0o600 }), { signal }).catch((error) => {
      signal.throwIfAborted();
      throw error;
    });
    return { path: file, url, isPlaylist: await isPlaylist(file, url) };
  }

  function once(url: string, take: (count: number) => boolean): Promise<FetchedFile> {
    const file = path.join(directory, String(fetched.size));
    const pending =
      fetched.get(url) ?? requestFile(options, url).then((response) => write(response, file, take));
    fetched.set(url, pending);
    return pending;
  }

  return {
    /**
     * @throws ServiceError `SCRAPE_MEDIA_ACCESS_DENIED`, `SCRAPE_SITE_ERROR`, `SCRAPE_CONTENT_TOO_LARGE`,
     *   `SCRAPE_UNSUPPORTED_FILE_ERROR` for a page or a manifest of DASH
     */
    fetch: (url: string) => once(url, () => true),

    /** Fetches the files of one playlist, whose sizes are limited together. */
    ofPlaylist() {
      let left = maxBytes;
      const take = (count: number) => {
        left -= count;
        return left >= 0;
      };
      return async (url: string): Promise<string> => {
        if (fetched.size > MAX_FILES) {
          const message = `The playlist with ${url} has more than ${MAX_FILES} files.`;
          throw new ServiceError('SCRAPE_CONTENT_TOO_LARGE', message);
        }
        return (await once(url, take)).path;
      };
    },
  };
}

/** Requests a file and checks the response's headers. */
async function requestFile(options: MediaFileOptions, url: string): Promise<OpenDownload> {
  const {
    egress,
    userAgent,
    pageUrl,
    requestedUrl,
    headers,
    skipTlsVerification,
    route,
    signal,
    maxBytes: maxBodyBytes,
  } = options;
  const own = URL.canParse(url) && canForwardHeaders(requestedUrl, new URL(url)) ? headers : {};
  const response = await openDownload(egress, {
    url,
    skipTlsVerification,
    route,
    signal,
    maxBodyBytes,
    limitSetting: SIZE_SETTING,
    headers: { accept: '*/*', 'user-agent': userAgent, referer: createReferer(pageUrl, url) },
    userHeaders: own,
  });
  const refusal = responseError(response, maxBodyBytes);
  if (!refusal) return response;
  response.body.destroy();
  throw refusal;
}

/** The `Referer` that browsers send by default: only the origin to other origins. */
function createReferer(pageUrl: string, url: string): string {
  const page = new URL(pageUrl);
  if (URL.parse(url)?.origin !== page.origin) return `${page.origin}/`;
  return `${page.origin}${page.pathname}${page.search}`;
}

function responseError({ url, statusCode, headers, contentType }: OpenDownload, maxBodyBytes: number) {
  if (REFUSED_STATUSES.has(statusCode)) {
    const message = `${url} responded with ${statusCode}: the site restricts access to this file.`;
    return new ServiceError('SCRAPE_MEDIA_ACCESS_DENIED', message);
  }
  if (statusCode < 200 || statusCode > 299) {
    return new ServiceError('SCRAPE_SITE_ERROR', `${url} responded with ${statusCode} instead of a file.`);
  }
  if (/^\s*(?:text\/html|application\/xhtml)/i.test(contentType)) {
    return new ServiceError('SCRAPE_UNSUPPORTED_FILE_ERROR', `${url} is a web page, not a media file.`);
  }
  const isCoded = headers['content-encoding'] !== undefined;
  const isTooLarge = !isCoded && Number(headers['content-length']) > maxBodyBytes;
  return isTooLarge ? createTooLargeError({ url, maxBodyBytes, limitSetting: SIZE_SETTING }) : undefined;
}

async function isPlaylist(file: string, url: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1024), 0, 1024, 0);
    const start = buffer.toString('utf8', 0, bytesRead);
    if (DASH.test(start)) {
      const message = `${url} is a DASH manifest, which Winnow cannot read.`;
      throw new ServiceError('SCRAPE_UNSUPPORTED_FILE_ERROR', message);
    }
    return HLS.test(start);
  } finally {
    await handle.close();
  }
}

/** The media files of one page. */
export type MediaFiles = ReturnType<typeof createMediaFiles>;
