import type { Document } from 'domhandler';
import { listElements } from './element-list.ts';
import { documentBaseUrl, isRelative, isRouteFragment, resolveUrl } from './urls.ts';

const FOLLOWED = /^(https?|mailto):/;
const isFollowed = (url: string) => FOLLOWED.test(url) || isRelative(url);

/**
 * URLs of a page's links: unique, in document order, and absolute unless the page is an uploaded file. Links
 * to anchors in the page itself are excluded.
 */
export function extractLinks(document: Document, pageUrl: string): string[] {
  const base = documentBaseUrl(document, pageUrl);
  const places = new Set([withoutFragment(base), withoutFragment(pageUrl)]);
  const isPlace = (url: string) => {
    if (!url.includes('#')) return false;
    const absolute = URL.parse(url, base);
    return (
      absolute?.href.includes('#') &&
      !isRouteFragment(absolute.hash) &&
      places.has(withoutFragment(absolute.href))
    );
  };
  const anchors = listElements(document).filter(({ name }) => name === 'a' || name === 'area');
  const links = anchors.flatMap(({ attribs: { href } }) => {
    const url = href === undefined ? undefined : resolveUrl(href, base);
    return url && isFollowed(url) && !isPlace(url) ? [url] : [];
  });
  return [...new Set(links)];
}

/** Absolute URLs of the pages in frames of a page. */
export function extractFrameUrls(document: Document, pageUrl: string): string[] {
  const base = documentBaseUrl(document, pageUrl);
  return ['iframe', 'frame']
    .flatMap((frame) => listElements(document).filter(({ name }) => name === frame))
    .flatMap(({ attribs: { src } }) => (src && resolveUrl(src, base)) || [])
    .filter(isFollowed);
}

const withoutFragment = (url: string) => url.replace(/#.*$/s, '');
