import { stat } from 'node:fs/promises';
import path from 'node:path';
import { formatFileReference } from '../blobs/file-urls.ts';
import type { Blobs } from '../blobs/index.ts';
import { createProgramHome } from '../child-processes/program-home.ts';
import { ServiceError } from '../errors.ts';
import type { PageMedia } from '../html/media/page-media.ts';
import { type MediaKind, NO_MEDIA_ERROR } from '../media-kind.ts';
import { download } from '../net/download.ts';
import type { Egress, Route } from '../net/egress.ts';
import type { EgressProxy } from '../net/egress-proxy.ts';
import { decodeText } from '../parsers/charset.ts';
import type { RemuxedFile } from '../rendering/remux.ts';
import type { RenderPool } from '../rendering/render-pool.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';
import type { Snapshot } from '../snapshot.ts';
import { parseTarget } from '../url/url.ts';
import { entryForPage, newestEntry, rankCandidates } from './candidates.ts';
import { createMediaFiles } from './media-files.ts';
import { runYtDlp } from './yt-dlp.ts';

/** The dependencies of the extractor. */
export interface MediaExtractorDeps {
  egress: Egress;
  /** The proxy that external programs use. */
  proxy: EgressProxy;
  renderer: RenderPool;
  /** Threads of their own, because assembling a playlist waits for downloads and would delay pages. */
  tracks: RenderPool;
  blobs: Blobs;
  userAgent: string;
  /** Limit for one file, in bytes. */
  maxBytes: number;
  /** Path of yt-dlp, which reads the pages of media sites; `undefined` without it. */
  ytDlp: string | undefined;
}

/** A request for the media of a page as files. */
interface MediaRequest {
  kinds: MediaKind[];
  page: Snapshot;
  /** The media that the page refers to. */
  media: PageMedia;
  request: Pick<ScrapeRequest, 'headers' | 'skipTlsVerification' | 'location'>;
  /** Aborts the work; its reason is thrown. */
  signal: AbortSignal;
  urgent: boolean;
}

/** Extracts audio and video files from pages. */
export interface MediaExtractor {
  /**
   * @returns a blob reference for each kind
   * @throws ServiceError where a kind has no usable file; the error is that of the best candidate
   */
  make(options: MediaRequest): Promise<Partial<Record<MediaKind, string>>>;
}

/** Most files that are tried for one kind. */
const MAX_CANDIDATES = 5;
const MAX_FEEDS = 2;
const MAX_FEED_BYTES = 5 * 1024 * 1024;
/** The working directory belongs to root, because no other program runs there. */
const ROOT_UID = 0;

/** Creates the extractor of audio and video files. */
export function createMediaExtractor(deps: MediaExtractorDeps): MediaExtractor {
  return {
    async make(options) {
      const home = await createProgramHome('media', ROOT_UID);
      try {
        const made: Partial<Record<MediaKind, string>> = {};
        const search = createSearch(deps, options, home.path);
        for (const kind of options.kinds) made[kind] = await search(kind);
        return made;
      } finally {
        await home.remove();
      }
    },
  };
}

/** Creates the search for the files of one page. Downloads are shared between the kinds. */
function createSearch(deps: MediaExtractorDeps, options: MediaRequest, directory: string) {
  const { renderer, tracks, blobs, egress, userAgent, maxBytes, ytDlp } = deps;
  const { page, request, signal, urgent } = options;
  const { skipTlsVerification, headers = {} } = request;
  const route: Route = { proxy: page.proxy, country: request.location?.country };
  const files = createMediaFiles({
    ...{ egress, userAgent, directory, headers, skipTlsVerification, route, maxBytes, signal },
    pageUrl: page.url,
    requestedUrl: parseTarget(page.sourceUrl, true),
  });
  let feeds: Promise<PageMedia[]> | undefined;

  async function keep({ path: file, mediaType }: RemuxedFile): Promise<string> {
    const { size } = await stat(file);
    return formatFileReference({ key: await blobs.putFile(file), size, mediaType });
  }

  async function take(kind: MediaKind, mediaUrl: string): Promise<string> {
    const { path: file, url, isPlaylist } = await files.fetch(mediaUrl);
    const task = { kind, url, path: file, target: `${file}.${kind}` };
    const options = { signal, urgent, ...(isPlaylist && { fetchFile: files.ofPlaylist() }) };
    return keep(await tracks.remux(task, options));
  }

  async function takeFromSite(program: string, kind: MediaKind): Promise<string> {
    const { url: proxyUrl } = await deps.proxy.forRoute(route);
    const { url } = page;
    await using file = await runYtDlp(program, {
      kind,
      url,
      proxyUrl,
      skipTlsVerification,
      maxBytes,
      signal,
    });
    const task = { kind, url, path: file.path, target: path.join(directory, `site.${kind}`) };
    // Awaited here, because the directory is removed when this function returns.
    return await keep(await tracks.remux(task, { signal, urgent }));
  }

  async function readFeed(url: string): Promise<PageMedia> {
    const response = await download(egress, {
      ...{ url, skipTlsVerification, route, signal, maxBodyBytes: MAX_FEED_BYTES },
      headers: { 'user-agent': userAgent },
    });
    const { contentType, statusCode, body } = response;
    const text = statusCode < 300 ? decodeText(body, contentType) : '';
    const snapshot = {
      ...page,
      url: response.url,
      contentType,
      statusCode,
      kind: 'text' as const,
      text,
      media: [],
    };
    const clean = { onlyMainContent: false, removeBase64Images: false };
    const { prepared } = await renderer.render(
      { snapshot, clean, formats: options.kinds.map((type) => ({ type })) },
      { signal, urgent },
    );
    // Both kinds prepare the media of the page.
    return prepared[options.kinds[0] ?? 'audio'] as PageMedia;
  }

  /** Reads the feeds that the page links to, once. */
  function readFeeds(): Promise<PageMedia[]> {
    feeds ??= Promise.all(options.media.feeds.slice(0, MAX_FEEDS).map(readOwn));
    return feeds;
  }

  async function readOwn(url: string): Promise<PageMedia> {
    try {
      return entryForPage(await readFeed(url), page.url);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ServiceError) return { links: [], feeds: [] };
      throw error;
    }
  }

  return async function search(kind: MediaKind): Promise<string> {
    let best: ServiceError | undefined;
    const attempt = async (make: () => Promise<string>): Promise<string | undefined> => {
      try {
        return await make();
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ServiceError)) throw error;
        best ??= error;
        return undefined;
      }
    };
    const attemptAll = async (media: PageMedia): Promise<string | undefined> => {
      for (const { url } of rankCandidates(kind, media).slice(0, MAX_CANDIDATES)) {
        const made = await attempt(() => take(kind, url));
        if (made) return made;
      }
      return undefined;
    };
    const own = await attemptAll(newestEntry(options.media));
    if (own) return own;
    for (const feed of await readFeeds()) {
      const made = await attemptAll(feed);
      if (made) return made;
    }
    const made = ytDlp && (await attempt(() => takeFromSite(ytDlp, kind)));
    if (made) return made;
    throw best ?? notFound(kind, page.url);
  };
}

function notFound(kind: MediaKind, url: string): ServiceError {
  return new ServiceError(
    NO_MEDIA_ERROR[kind],
    `No ${kind} was found on ${url}: no player, structured data, link or feed names a file, and the page loaded none. Media sites such as YouTube need yt-dlp, which this service does not have; its operator can set WINNOW_YT_DLP.`,
  );
}
