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

const withoutFragment = (address: string) => address.replace(/#.*$/s, '');
