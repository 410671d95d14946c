import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { PageMedia } from '../../content/html/media/page-media.ts';
import { type MediaKind, NO_MEDIA_ERROR } from '../../content/media-kind.ts';
import { decodeText } from '../../content/parsers/charsets/decode-text.ts';
import type { RemuxedFile } from '../../content/rendering/remux.ts';
import type { RenderPool } from '../../content/rendering/render-pool.ts';
import type { FetchedSnapshot } from '../../content/snapshot.ts';
import { ServiceError } from '../../errors.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import { formatFileReference } from '../../storage/blobs/file-urls.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import { createProgramHome } from '../../system/child-processes/program-home.ts';
import { parseTarget } from '../../url/url.ts';
import type { Egress, ProxyRoute } from '../net/checked-egress.ts';
import { download } from '../net/download.ts';
import type { EgressProxy } from '../net/egress-proxy.ts';
import { entryForPage, newestEntry, rankCandidates } from './candidates.ts';
import { createMediaFiles, type MediaFiles } from './media-files.ts';
import { runYtDlp } from './yt-dlp.ts';

/** The dependencies of the extractor. */
export interface MediaExtractorDeps {
  egress: Egress;
  /** The proxy that external programs use. */
  proxy: EgressProxy;
  renderer: RenderPool;
  /** Threads of their own, because assembling a playlist waits for downloads and would delay pages. */
  remuxPool: RenderPool;
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
  page: FetchedSnapshot;
  /** The media that the page refers to. */
  media: PageMedia;
  request: Pick<ScrapeRequest, 'headers' | 'skipTlsVerification' | 'location'>;
  /** On whose behalf the files are read. */
  owner: string;
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
        const search = new MediaSearch(deps, options, home.path);
        for (const kind of options.kinds) made[kind] = await search.find(kind);
        return made;
      } finally {
        await home.remove();
      }
    },
  };
}

/** The search for the media files of one page. Downloads are shared between the kinds. */
class MediaSearch {
  readonly #deps: MediaExtractorDeps;
  readonly #options: MediaRequest;
  readonly #directory: string;
  readonly #route: ProxyRoute;
  readonly #files: MediaFiles;
  #feeds: Promise<PageMedia[]> | undefined;

  /** @param directory for the downloaded files; the caller removes it */
  constructor(deps: MediaExtractorDeps, options: MediaRequest, directory: string) {
    const { egress, userAgent, maxBytes } = deps;
    const { page, request, signal } = options;
    this.#deps = deps;
    this.#options = options;
    this.#directory = directory;
    this.#route = { proxy: page.proxy, country: request.location?.country };
    this.#files = createMediaFiles({
      egress,
      userAgent,
      directory,
      pageUrl: page.url,
      requestedUrl: parseTarget(page.sourceUrl, true),
      headers: request.headers ?? {},
      skipTlsVerification: request.skipTlsVerification,
      route: this.#route,
      maxBytes,
      signal,
    });
  }

  /**
   * Tries the media of the page, then those of its feeds, then yt-dlp.
   * @returns a blob reference
   * @throws ServiceError the first error where no attempt gave a file
   */
  async find(kind: MediaKind): Promise<string> {
    const attempts = new Attempts(this.#options.signal);
    for await (const media of this.#sources()) {
      for (const { url } of rankCandidates(kind, media).slice(0, MAX_CANDIDATES)) {
        const made = await attempts.try(() => this.#fetchFile(kind, url));
        if (made) return made;
      }
    }
    const { ytDlp } = this.#deps;
    const made = ytDlp && (await attempts.try(() => this.#fetchFromSite(ytDlp, kind)));
    if (made) return made;
    throw attempts.firstError ?? createNotFoundError(kind, this.#options.page.url);
  }

  /** The media of the page, then those of its feeds, which are read only when they are needed. */
  async *#sources(): AsyncGenerator<PageMedia> {
    yield newestEntry(this.#options.media);
    yield* await this.#readFeeds();
  }

  async #fetchFile(kind: MediaKind, candidateUrl: string): Promise<string> {
    const { owner, signal, urgent } = this.#options;
    const { path: file, url, isPlaylist } = await this.#files.fetch(candidateUrl);
    const task = { kind, url, path: file, target: `${file}.${kind}` };
    const fetchFile = isPlaylist ? { fetchFile: this.#files.ofPlaylist() } : {};
    return this.#store(await this.#deps.remuxPool.remux(task, { owner, signal, urgent, ...fetchFile }));
  }

  async #fetchFromSite(program: string, kind: MediaKind): Promise<string> {
    const { page, request, owner, signal, urgent } = this.#options;
    const { authorizedUrl: proxyUrl } = await this.#deps.proxy.forRoute(this.#route);
    await using file = await runYtDlp(program, {
      kind,
      url: page.url,
      proxyUrl,
      skipTlsVerification: request.skipTlsVerification,
      maxBytes: this.#deps.maxBytes,
      signal,
    });
    const target = path.join(this.#directory, `site.${kind}`);
    const task = { kind, url: page.url, path: file.path, target };
    // Awaited here, because the directory is removed when this function returns.
    return await this.#store(await this.#deps.remuxPool.remux(task, { owner, signal, urgent }));
  }

  async #store({ path: file, mediaType }: RemuxedFile): Promise<string> {
    const { size } = await stat(file);
    return formatFileReference({ key: await this.#deps.blobs.putFile(file), size, mediaType });
  }

  /** Reads the feeds that the page links to, once. */
  #readFeeds(): Promise<PageMedia[]> {
    this.#feeds ??= Promise.all(
      this.#options.media.feeds.slice(0, MAX_FEEDS).map((url) => this.#readEntry(url)),
    );
    return this.#feeds;
  }

  /** The media of the feed's entry for the page; none where the feed cannot be read. */
  async #readEntry(feedUrl: string): Promise<PageMedia> {
    const { page, signal } = this.#options;
    try {
      return entryForPage(await this.#readFeed(feedUrl), page.url);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ServiceError) return { links: [], feeds: [] };
      throw error;
    }
  }

  async #readFeed(feedUrl: string): Promise<PageMedia> {
    const { kinds, owner, signal, urgent } = this.#options;
    const task = {
      snapshot: await this.#downloadFeed(feedUrl),
      clean: { onlyMainContent: false, removeBase64Images: false },
      formats: kinds.map((type) => ({ type })),
    };
    const { prepared } = await this.#deps.renderer.render(task, { owner, signal, urgent });
    // Both kinds prepare the media of the page.
    return prepared[kinds[0] ?? 'audio'] as PageMedia;
  }

  /** The feed as if it were the page. */
  async #downloadFeed(feedUrl: string): Promise<FetchedSnapshot> {
    const { egress, userAgent } = this.#deps;
    const { page, request, signal } = this.#options;
    const { url, body, contentType, statusCode } = await download(egress, {
      url: feedUrl,
      headers: { 'user-agent': userAgent },
      skipTlsVerification: request.skipTlsVerification,
      route: this.#route,
      signal,
      maxBodyBytes: MAX_FEED_BYTES,
    });
    const text = statusCode < 300 ? decodeText(body, contentType) : '';
    return { ...page, url, contentType, statusCode, kind: 'text', text, media: [] };
  }
}

/** Attempts to get a file, of which any may fail with a `ServiceError`. */
class Attempts {
  /** The error of the first attempt that failed, which had the best candidate. */
  firstError: ServiceError | undefined;
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async try(make: () => Promise<string>): Promise<string | undefined> {
    try {
      return await make();
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!(error instanceof ServiceError)) throw error;
      this.firstError ??= error;
      return undefined;
    }
  }
}

function createNotFoundError(kind: MediaKind, url: string): ServiceError {
  return new ServiceError(
    NO_MEDIA_ERROR[kind],
    `No ${kind} was found on ${url}: no player, structured data, link or feed names a file, and the page loaded none. Media sites such as YouTube need yt-dlp, which this service does not have; its operator can set WINNOW_YT_DLP.`,
  );
}
