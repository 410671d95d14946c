import { MEDIA_SOURCES, type MediaLink, type PageMedia } from '../../content/html/media/page-media.ts';
import type { MediaKind } from '../../content/media-kind.ts';
import { normalizeTarget } from '../../url/url.ts';

/**
 * Ranks the media files of a page for a kind, best first.
 *
 * 1. Players and structured data of the page come before what the browser loaded, and that before links.
 * 2. Within a source, audio prefers audio files over files of unknown type over videos. Video prefers videos
 *    over files of unknown type and never takes audio files.
 * 3. Otherwise the order of the page decides, which is the author's preference among several encodings.
 */
export function rankCandidates(kind: MediaKind, { links }: PageMedia): MediaLink[] {
  const ranks = kind === 'audio' ? ['audio', undefined, 'video'] : ['video', undefined];
  const rankOf = (link: MediaLink) => ranks.indexOf(link.kind);
  const sourceOf = (link: MediaLink) => MEDIA_SOURCES.indexOf(link.source);
  return links
    .filter((link) => rankOf(link) >= 0)
    .sort((one, other) => sourceOf(one) - sourceOf(other) || rankOf(one) - rankOf(other));
}

/** Keeps only the newest entry of a feed: a URL that is the feed itself can mean no other. */
export function newestEntry(feed: PageMedia): PageMedia {
  const [first] = feed.links.filter(({ source }) => source === 'feed');
  return {
    ...feed,
    links: feed.links.filter(({ source, entry }) => source !== 'feed' || entry === first?.entry),
  };
}

/**
 * Selects the files of a feed that belong to a page which links to the feed: those of the entry about the
 * page, or of the newest entry where the page is the feed's home page. Other entries are about other pages.
 */
export function entryForPage(feed: PageMedia, pageUrl: string): PageMedia {
  const page = normalizeTarget(pageUrl);
  const isPage = (url: string | undefined) => url !== undefined && normalizeTarget(url) === page;
  const own = feed.links.filter(({ entry }) => isPage(entry));
  if (own.length) return { ...feed, links: own };
  return isPage(feed.home) ? newestEntry(feed) : { ...feed, links: [] };
}
