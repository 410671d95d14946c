import type { Document } from 'domhandler';
import { baseOf, resolve } from './address.ts';
import { select } from './clean.ts';

const FOLLOWED = /^(https?|mailto):/;

/** Where the links of a page lead: absolute, unique, in document order; a mere fragment is no link. */
export function linksOf(document: Document, pageUrl: string): string[] {
  const base = baseOf(document, pageUrl);
  const links = select('a[href]', document).flatMap(({ attribs }) => {
    const href = attribs.href!.trim();
    const address = href.startsWith('#') ? undefined : resolve(href, base);
    return address && FOLLOWED.test(address) ? [address] : [];
  });
  return [...new Set(links)];
}
