import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Blobs } from '../blobs.ts';
import { ServiceError } from '../errors.ts';
import { referenceTo } from '../files.ts';
import type { RenderPool } from '../formats/pool.ts';
import type { Track } from '../formats/track.ts';
import { makeHome } from '../home.ts';
import type { PageMedia } from '../html/media.ts';
import { type MediaKind, UNSUPPORTED_URL } from '../media-kind.ts';
import { decodeText } from '../net/charset.ts';
import { download } from '../net/download.ts';
import type { Egress, Route } from '../net/egress.ts';
import type { EgressProxy } from '../net/proxy.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';
import type { Snapshot } from '../snapshot.ts';
import { parseTarget } from '../url.ts';
import { candidatesFor, newestOf, ofPage } from './candidates.ts';
import { createFiles } from './files.ts';
import { runYtDlp } from './yt-dlp.ts';

/** What files of a page are made with. */
export interface MediaHands {
  egress: Egress;
  /** For programs that are not ours. */
  proxy: EgressProxy;
  renderer: RenderPool;
  /** Threads of their own: one that puts a playlist together waits for its files, and pages must not wait with it. */
  tracks: RenderPool;
  blobs: Blobs;
  userAgent: string;
  /** Of one file. */
  maxBytes: number;
  /** Gets what pages of media sites play. */
  ytDlp: string | undefined;
}

/** What a page plays, wanted as files. */
interface MediaOrder {
  kinds: MediaKind[];
  page: Snapshot;
  /** What the page says of it. */
  media: PageMedia;
  request: Pick<ScrapeRequest, 'headers' | 'skipTlsVerification' | 'location'>;
  /** Ends the work; its reason is thrown. */
  signal: AbortSignal;
  urgent: boolean;
}

/** Makes files of what pages play. */
export interface MediaMaker {
  /**
   * @returns a blob reference for each kind
   * @throws ServiceError where there is nothing of a kind, or nothing that can be taken: what is wrong with the best
   *   file there is
   */
  make(order: MediaOrder): Promise<Partial<Record<MediaKind, string>>>;
}

/** Files that are tried for one kind. */
const MOST_TRIES = 5;
const MOST_FEEDS = 2;
const MOST_FEED_BYTES = 5 * 1024 * 1024;
/** Files are ours alone; nothing runs among them. */
const NO_USER = 0;

/** @param hands what it reaches the outside world through */
export function createMediaMaker(hands: MediaHands): MediaMaker {
  return {
    async make(order) {
      const home = await makeHome('media', NO_USER);
      try {
        const made: Partial<Record<MediaKind, string>> = {};
        const search = createSearch(hands, order, home.path);
        for (const kind of order.kinds) made[kind] = await search(kind);
        return made;
      } finally {
        await home.remove();
      }
    },
  };
}

/** The search for the files of one page: what is fetched for one kind serves the other too. */
function createSearch(hands: MediaHands, order: MediaOrder, directory: string) {
  const { renderer, tracks, blobs, egress, userAgent, maxBytes, ytDlp } = hands;
  const { page, request, signal, urgent } = order;
  const { skipTlsVerification, headers = {} } = request;
  const route: Route = { proxy: page.proxy, country: request.location?.country };
  const files = createFiles({
    ...{ egress, userAgent, directory, headers, skipTlsVerification, route, maxBytes, signal },
    pageUrl: page.url,
    askedUrl: parseTarget(page.sourceUrl, true),
  });
  let feeds: Promise<PageMedia[]> | undefined;

  async function keep({ path: file, mediaType }: Track): Promise<string> {
    const { size } = await stat(file);
    return referenceTo({ key: await blobs.putFile(file), size, mediaType });
  }

  async function take(kind: MediaKind, address: string): Promise<string> {
    const { path: file, url, isPlaylist } = await files.fetch(address);
    const task = { kind, url, path: file, target: `${file}.${kind}` };
    const options = { signal, urgent, ...(isPlaylist && { bring: files.ofPlaylist() }) };
    return keep(await tracks.take(task, options));
  }

  async function takeFromSite(program: string, kind: MediaKind): Promise<string> {
    const { url: proxyUrl } = await hands.proxy.through(route);
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
    // Not before it is kept may the directory go.
    return await keep(await tracks.take(task, { signal, urgent }));
  }

  async function readFeed(url: string): Promise<PageMedia> {
    const answer = await download(egress, {
      ...{ url, skipTlsVerification, route, signal, maxBodyBytes: MOST_FEED_BYTES },
      headers: { 'user-agent': userAgent },
    });
    const { contentType, statusCode, body } = answer;
    const text = statusCode < 300 ? decodeText(body, contentType) : '';
    const snapshot = {
      ...page,
      url: answer.url,
      contentType,
      statusCode,
      kind: 'text' as const,
      text,
      media: [],
    };
    const clean = { onlyMainContent: false, removeBase64Images: false };
    const { media } = await renderer.render(
      { snapshot, clean, formats: order.kinds.map((type) => ({ type })) },
      { signal, urgent },
    );
    return media ?? { links: [], feeds: [] };
  }

  /** What feeds of the page have for it; one that cannot be read has nothing. */
  function readFeeds(): Promise<PageMedia[]> {
    feeds ??= Promise.all(order.media.feeds.slice(0, MOST_FEEDS).map(readOwn));
    return feeds;
  }

  async function readOwn(url: string): Promise<PageMedia> {
    try {
      return ofPage(await readFeed(url), page.url);
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
      for (const { url } of candidatesFor(kind, media).slice(0, MOST_TRIES)) {
        const made = await attempt(() => take(kind, url));
        if (made) return made;
      }
      return undefined;
    };
    const own = await attemptAll(newestOf(order.media));
    if (own) return own;
    for (const feed of await readFeeds()) {
      const made = await attemptAll(feed);
      if (made) return made;
    }
    const made = ytDlp && (await attempt(() => takeFromSite(ytDlp, kind)));
    if (made) return made;
    throw best ?? nothing(kind, page.url);
  };
}

function nothing(kind: MediaKind, url: string): ServiceError {
  return new ServiceError(
    UNSUPPORTED_URL[kind],
    `No ${kind} was found on ${url}: no player, structured data, link or feed names a file, and none was loaded. What media sites such as YouTube play is got by yt-dlp, which this service does not have; its operator can set WINNOW_YT_DLP.`,
  );
}
