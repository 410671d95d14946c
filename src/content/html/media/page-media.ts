import type { Document, Element } from 'domhandler';
import { getElementsByTagName } from 'domutils';
import type { MediaKind } from '../../media-kind.ts';
import type { LoadedMedia, Snapshot } from '../../snapshot.ts';
import { listElements } from '../element-list.ts';
import type { Feed } from '../feed.ts';
import type { StructuredData } from '../structured-data/structured-data.ts';
import { documentBaseUrl, resolveUrl } from '../urls.ts';
import { type DeclaredMedia, findDeclaredMedia } from './declared-media.ts';

/** Where media were found, the most certain first. */
export const MEDIA_SOURCES = ['page', 'loaded', 'linked', 'feed'] as const;

/** A media file that a page names or has loaded. Its content has not been checked. */
export interface MediaLink {
  url: string;
  /** Absent if unknown. */
  kind?: MediaKind;
  /**
   * How the file was found. `page`: the page shows the file or declares it as its own, or the URL of the
   * snapshot is the file itself; `loaded`: the browser loaded the file while the page was open; `linked`: the
   * page links to the file; `feed`: the file belongs to an entry of a feed.
   */
  source: (typeof MEDIA_SOURCES)[number];
  /** URL of the feed entry's page, for files from feeds. */
  entry?: string;
}

/**
 * The media of a page, the most certain first within each source, and the URLs of feeds that may have more.
 */
export interface PageMedia {
  links: MediaLink[];
  /** URLs of the feeds that the page names. */
  feeds: string[];
  /** URL of the page that a feed belongs to, if the response is a feed. */
  home?: string;
}

const AUDIO_ENDING = /\.(?:mp3|m4a|m4b|aac|ogg|oga|opus|wav|flac|weba|mka)$/i;
const VIDEO_ENDING = /\.(?:mp4|m4v|mov|webm|mkv|ogv)$/i;
/** Media types that pages declare for media but that are not audio or video. */
const NO_MEDIA_TYPE = /^(?:text\/|image\/|application\/(?:x-shockwave-flash|xhtml|json|pdf))/i;
const FEED_TYPE = /^application\/(?:rss|atom)\+xml/i;
/** A page with more media is a directory; further links are ignored. */
const MAX_MEDIA_LINKS = 50;

/** The kind of a file by its media type, else by the extension in its URL. */
function mediaKindOf(type: string, url: string): MediaKind | undefined {
  if (/^(?:audio\/(?!.*mpegurl)|application\/ogg)/i.test(type)) return 'audio';
  if (/^video\//i.test(type)) return 'video';
  const path = URL.parse(url)?.pathname ?? '';
  if (AUDIO_ENDING.test(path)) return 'audio';
  return VIDEO_ENDING.test(path) ? 'video' : undefined;
}

/** Whether a response is an audio or video file or a playlist, by its headers and URL. */
export function isPlayable(contentType: string, url: string): boolean {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (/^(?:audio|video)\/|^application\/ogg$|mpegurl|dash\+xml/.test(type)) return true;
  const isUntold = type === '' || /^(?:application|binary)\/octet-stream$/.test(type);
  return isUntold && mediaKindOf('', url) !== undefined;
}

/** Whether unparsed HTML seems to name its media, so that its scripts need not run to find them. */
export const mentionsMedia = (html: string) =>
  /<(?:audio|video|source)\s[^<>]*\bsrc\s*=\s*["']?(?!blob:)[^\s"'>]|\bog:(?:audio|video)\b|\btwitter:player:stream\b|"contentUrl"/i.test(
    html,
  );

/** The media of an HTML page. */
export function findPageMedia(
  document: Document,
  snapshot: Pick<Snapshot, 'url' | 'media'>,
  structuredData: StructuredData,
): PageMedia {
  const base = documentBaseUrl(document, snapshot.url);
  const gather = createMediaCollector(base);
  for (const each of findPlayerSources(document)) gather.add('page', each);
  for (const each of findDeclaredMedia(document, structuredData)) gather.add('page', each);
  addLoaded(gather, snapshot);
  for (const { name, attribs } of listElements(document)) {
    if (name !== 'a') continue;
    const kind = attribs.href && mediaKindOf('', resolveUrl(attribs.href, base) ?? '');
    if (kind) gather.add('linked', { url: attribs.href ?? '', kind });
  }
  const feeds = listElements(document).flatMap(({ name, attribs }) =>
    name === 'link' && FEED_TYPE.test(attribs.type ?? '') && attribs.href
      ? (resolveUrl(attribs.href, base) ?? [])
      : [],
  );
  return { links: gather.links(), feeds: [...new Set(feeds)] };
}

/** The media of a response that is not HTML: the file itself, or the files of a feed's entries. */
export function findFileMedia(snapshot: Pick<Snapshot, 'url' | 'media'>, feed?: Feed): PageMedia {
  const gather = createMediaCollector(snapshot.url);
  addLoaded(gather, snapshot);
  for (const { files, page } of feed?.entries ?? []) for (const file of files) gather.add('feed', file, page);
  return { links: gather.links(), feeds: [], ...(feed?.home && { home: feed.home }) };
}

/** The sources of `<audio>` and `<video>` elements, in order. */
function findPlayerSources(document: Document): DeclaredMedia[] {
  const named = (kind: MediaKind, { attribs }: Element): DeclaredMedia[] =>
    attribs.src ? [{ url: attribs.src, type: attribs.type, kind }] : [];
  return getElementsByTagName((name) => name === 'audio' || name === 'video', document).flatMap((player) => {
    const kind = player.name === 'audio' ? 'audio' : 'video';
    const sources = getElementsByTagName('source', player.children);
    return [...named(kind, player), ...sources.flatMap((source) => named(kind, source))];
  });
}

function addLoaded(
  gather: MediaCollector,
  { url, media = [] }: { url: string; media?: LoadedMedia[] },
): void {
  for (const each of media) {
    const source = each.url === url ? 'page' : 'loaded';
    gather.add(source, { url: each.url, type: each.contentType });
  }
}

type MediaCollector = ReturnType<typeof createMediaCollector>;

function createMediaCollector(base: string) {
  const found = new Map<string, MediaLink>();
  return {
    add(
      source: MediaLink['source'],
      { url: declaredUrl, type = '', kind }: DeclaredMedia,
      entry?: string,
    ): void {
      if (found.size >= MAX_MEDIA_LINKS || NO_MEDIA_TYPE.test(type)) return;
      const url = resolveUrl(declaredUrl, base);
      if (!url || !/^https?:/.test(url) || found.has(url)) return;
      const known = mediaKindOf(type, url) ?? kind;
      found.set(url, { url, source, ...(known && { kind: known }), ...(entry && { entry }) });
    },
    links: () => [...found.values()],
  };
}
