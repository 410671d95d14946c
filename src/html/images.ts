import type { Document, Element } from 'domhandler';
import { baseOf, largestCandidate, resolve } from './address.ts';
import { select } from './clean.ts';

const SOURCES =
  'img, picture source, video[poster], meta[property="og:image"], meta[name="twitter:image"], link[rel~="icon"], [style*="url("]';

/** Every image that a page names: absolute, unique, in document order. */
export function imagesOf(document: Document, pageUrl: string): string[] {
  const base = baseOf(document, pageUrl);
  const images = select(SOURCES, document)
    .flatMap(addressesOf)
    .flatMap((address) => resolve(address, base) ?? []);
  return [...new Set(images.filter((address) => /^https?:/.test(address)))];
}

function addressesOf({ name, attribs }: Element): string[] {
  const style = [...(attribs.style ?? '').matchAll(/url\(\s*(['"]?)(.*?)\1\s*\)/g)].map((match) => match[2]);
  const own =
    name === 'meta'
      ? [attribs.content]
      : name === 'link'
        ? [attribs.href]
        : [attribs.src, attribs['data-src'], largestCandidate(attribs.srcset), attribs.poster];
  return [...own, ...style].filter((address): address is string => Boolean(address));
}
