import type { Document } from 'domhandler';
import { getElementsByTagName } from 'domutils';
import { baseOf, resolve } from './address.ts';

const FOLLOWED = /^(https?|mailto):/;

/** Where the links of a page lead: absolute, unique, in document order; a place in the page itself is no link. */
export function linksOf(document: Document, pageUrl: string): string[] {
  const base = baseOf(document, pageUrl);
  const places = new Set([withoutFragment(base), withoutFragment(pageUrl)]);
  const links = getElementsByTagName('a', document).flatMap(({ attribs: { href } }) => {
    const address = href === undefined ? undefined : resolve(href, base);
    if (!address || !FOLLOWED.test(address)) return [];
    return address.includes('#') && places.has(withoutFragment(address)) ? [] : [address];
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
