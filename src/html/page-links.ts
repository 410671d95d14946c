import type { Document } from 'domhandler';
import { findAll, getElementsByTagName } from 'domutils';
import { documentBaseUrl, isRouteFragment, resolveUrl } from './urls.ts';

const FOLLOWED = /^(https?|mailto):/;

/** Where the links of a page lead: absolute, unique, in document order; a place in the page itself is no link. */
export function extractLinks(document: Document, pageUrl: string): string[] {
  const base = documentBaseUrl(document, pageUrl);
  const places = new Set([withoutFragment(base), withoutFragment(pageUrl)]);
  const isPlace = (address: string) =>
    address.includes('#') && !isRouteFragment(new URL(address).hash) && places.has(withoutFragment(address));
  const anchors = findAll(({ name }) => name === 'a' || name === 'area', document.children);
  const links = anchors.flatMap(({ attribs: { href } }) => {
    const address = href === undefined ? undefined : resolveUrl(href, base);
    return address && FOLLOWED.test(address) && !isPlace(address) ? [address] : [];
  });
  return [...new Set(links)];
}

/** Addresses of the pages that stand in frames of this one. */
export function extractFrameUrls(document: Document, pageUrl: string): string[] {
  const base = documentBaseUrl(document, pageUrl);
  return ['iframe', 'frame']
    .flatMap((name) => getElementsByTagName(name, document))
    .flatMap(({ attribs: { src } }) => (src && resolveUrl(src, base)) || [])
    .filter((address) => FOLLOWED.test(address));
}

const withoutFragment = (address: string) => address.replace(/#.*$/s, '');
