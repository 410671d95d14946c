import type { Document } from 'domhandler';
import { findAll, getElementsByTagName } from 'domutils';
import { documentBaseUrl, isRouteFragment, resolveUrl } from './urls.ts';

const FOLLOWED = /^(https?|mailto):/;

/** URLs of a page's links: absolute, unique, in document order. Links to anchors in the page itself are excluded. */
export function extractLinks(document: Document, pageUrl: string): string[] {
  const base = documentBaseUrl(document, pageUrl);
  const places = new Set([withoutFragment(base), withoutFragment(pageUrl)]);
  const isPlace = (url: string) =>
    url.includes('#') && !isRouteFragment(new URL(url).hash) && places.has(withoutFragment(url));
  const anchors = findAll(({ name }) => name === 'a' || name === 'area', document.children);
  const links = anchors.flatMap(({ attribs: { href } }) => {
    const url = href === undefined ? undefined : resolveUrl(href, base);
    return url && FOLLOWED.test(url) && !isPlace(url) ? [url] : [];
  });
  return [...new Set(links)];
}

/** Absolute URLs of the pages in frames of a page. */
export function extractFrameUrls(document: Document, pageUrl: string): string[] {
  const base = documentBaseUrl(document, pageUrl);
  return ['iframe', 'frame']
    .flatMap((name) => getElementsByTagName(name, document))
    .flatMap(({ attribs: { src } }) => (src && resolveUrl(src, base)) || [])
    .filter((url) => FOLLOWED.test(url));
}

const withoutFragment = (url: string) => url.replace(/#.*$/s, '');
