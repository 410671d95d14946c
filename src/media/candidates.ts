import { MEDIA_SOURCES, type MediaLink, type PageMedia } from '../html/media.ts';
import type { MediaKind } from '../media-kind.ts';
import { normalizeTarget } from '../url.ts';

/**
 * Which files of a page to try for a kind, best first.
 *
 * 1. What the page shows or says of itself, then what a browser loaded for it, then what it links to; each only counts
 *    where those before it gave nothing.
 * 2. Among these, for sound a file of sound before one of which nothing is told before a video; for moving pictures a
 *    video before one of which nothing is told, and never a file of sound.
 * 3. Else in the order of the page, which is its own choice among the same in several formats.
 */
export function candidatesFor(kind: MediaKind, { links }: PageMedia): MediaLink[] {
  const ranks = kind === 'audio' ? ['audio', undefined, 'video'] : ['video', undefined];
  const rankOf = (link: MediaLink) => ranks.indexOf(link.kind);
  const sourceOf = (link: MediaLink) => MEDIA_SOURCES.indexOf(link.source);
  return links
    .filter((link) => rankOf(link) >= 0)
    .sort((one, other) => sourceOf(one) - sourceOf(other) || rankOf(one) - rankOf(other));
}

/** The files of a feed's newest entry: of the feed alone, nothing else can be meant. */
export function newestOf(feed: PageMedia): PageMedia {
  const [first] = feed.links.filter(({ source }) => source === 'feed');
  return {
    ...feed,
    links: feed.links.filter(({ source, entry }) => source !== 'feed' || entry === first?.entry),
  };
}

/**
 * What a feed has for a page that names it: the files of the entry that is about the page; where the page is the one
 * that the feed is of, those of the newest entry. Other entries are about other pages.
 */
export function ofPage(feed: PageMedia, pageUrl: string): PageMedia {
  const page = normalizeTarget(pageUrl);
  const isPage = (url: string | undefined) => url !== undefined && normalizeTarget(url) === page;
  const own = feed.links.filter(({ entry }) => isPage(entry));
  if (own.length) return { ...feed, links: own };
  return isPage(feed.home) ? newestOf(feed) : { ...feed, links: [] };
}
