import type { Document, Element } from 'domhandler';
import { listElements } from '../element-list.ts';
import { isParentElement } from '../nodes.ts';
import { documentBaseUrl, isRelative, resolveUrl } from '../urls.ts';
import { LAZY_SOURCES, LAZY_SRCSETS, parseSrcset } from './srcset.ts';

const META = new Set([
  'og:image',
  'og:image:url',
  'og:image:secure_url',
  'twitter:image',
  'twitter:image:src',
]);
// No character class matches beyond the next opening parenthesis, which keeps matching linear.
const CSS_URL = /url\(\s*(?:"([^"]*)"|'([^']*)'|([^()'"\s]+))\s*\)/gi;

/**
 * URLs of all images of a page, including icons and previews: absolute, unique, in document order, without
 * `data:` URLs.
 */
export function extractImages(document: Document, pageUrl: string): string[] {
  const base = documentBaseUrl(document, pageUrl);
  const images = listElements(document)
    .flatMap(imageUrlsOf)
    .flatMap((url) => (url && !/^\s*data:/i.test(url) ? (resolveUrl(url, base) ?? []) : []));
  return [...new Set(images.filter((url) => /^https?:/.test(url) || isRelative(url)))];
}

function imageUrlsOf(element: Element): (string | undefined)[] {
  const { style } = element.attribs;
  const backgrounds = style?.includes('url(')
    ? [...style.matchAll(CSS_URL)].map(([, double, single, bare]) => double ?? single ?? bare)
    : [];
  return [...attributeUrlsOf(element), ...backgrounds];
}

function attributeUrlsOf({ name, attribs, parent }: Element): (string | undefined)[] {
  switch (name) {
    case 'img':
      return [
        attribs.src,
        ...LAZY_SOURCES.map((name) => attribs[name]),
        ...candidates(attribs.srcset),
        ...LAZY_SRCSETS.flatMap((name) => candidates(attribs[name])),
      ];
    case 'source':
      return isParentElement(parent) && parent.name === 'picture'
        ? [attribs.src, ...['srcset', ...LAZY_SRCSETS].flatMap((name) => candidates(attribs[name]))]
        : [];
    case 'video':
      return [attribs.poster];
    case 'link':
      return isImageLink(attribs) ? [attribs.href, ...candidates(attribs.imagesrcset)] : [];
    case 'image':
      return [attribs.href, attribs['xlink:href']];
    case 'input':
      return attribs.type?.toLowerCase() === 'image' ? [attribs.src] : [];
    case 'meta':
      return META.has((attribs.property ?? attribs.name ?? '').toLowerCase()) ? [attribs.content] : [];
    default:
      return [];
  }
}

const isImageLink = ({ rel = '', as }: Element['attribs']) =>
  /(^|\s)(icon|apple-touch-icon(-precomposed)?|image_src)(\s|$)/i.test(rel) ||
  (/(^|\s)preload(\s|$)/i.test(rel) && as === 'image');

const candidates = (srcset = '') => parseSrcset(srcset).map(({ url }) => url);
