import type { Document } from 'domhandler';
import { findAll, getElementsByTagName } from 'domutils';
import { baseOf, isRoute, resolve } from './address.ts';

const FOLLOWED = /^(https?|mailto):/;

/** Where the links of a page lead: absolute, unique, in document order; a place in the page itself is no link. */
export function linksOf(document: Document, pageUrl: string): string[] {
  const base = baseOf(document, pageUrl);
  const places = new Set([withoutFragment(base), withoutFragment(pageUrl)]);
  const isPlace = (address: string) =>
    address.includes('#') && !isRoute(new URL(address).hash) && places.has(withoutFragment(address));
  const anchors = findAll(({ name }) => name === 'a' || name === 'area', document.children);
  const links = anchors.flatMap(({ attribs: { href } }) => {
    const address = href === undefined ? undefined : resolve(href, base);
    return address && FOLLOWED.test(address) && !isPlace(address) ? [address] : [];
  });
  return [...new Set(links)];
}

/** Addresses of the pages that stand in frames of this one. */
export function framesOf(document: Document, pageUrl: string): string[] {
  const base = baseOf(document, pageUrl);
  return ['iframe', 'frame']
    .flatMap((name) => getElementsByTagName(name, document))
    .flatMap(({ attribs: { src } }) => (src && resolve(src, base)) || [])
    .filter((address) => FOLLOWED.test(address));
}

const withoutFragment = (address: string) => address.replace(/#.*$/s, '');
