import type { Document, Element } from 'domhandler';
import { listElements } from '../element-list.ts';
import { isParentElement } from '../nodes.ts';
import { isRelative, resolveUrl } from '../urls.ts';
import { backgroundUrls, imageCandidates, sourceCandidates, srcsetUrls } from './image-sources.ts';

const META = new Set([
  'og:image',
  'og:image:url',
  'og:image:secure_url',
  'twitter:image',
  'twitter:image:src',
]);

/**
 * URLs of all images of a page or a part of it, including icons and previews that it names: absolute, unique, in document
 * order, without `data:` URLs.
 * @param base the URL that they are resolved against
 */
export function extractImages(document: Document, base: string): string[] {
  const images = listElements(document)
    .flatMap(imageUrlsOf)
    .flatMap((url) => (url && !/^\s*data:/i.test(url) ? (resolveUrl(url, base) ?? []) : []));
  return [...new Set(images.filter((url) => /^https?:/.test(url) || isRelative(url)))];
}

const imageUrlsOf = (element: Element) => [
  ...attributeUrlsOf(element),
  ...backgroundUrls(element.attribs.style ?? ''),
];

function attributeUrlsOf(element: Element): (string | undefined)[] {
  const { name, attribs, parent } = element;
  switch (name) {
    case 'img':
    case 'amp-img':
    case 'amp-anim':
      return imageCandidates(element);
    case 'source':
      return isParentElement(parent) && parent.name === 'picture'
        ? [attribs.src, ...sourceCandidates(attribs)]
        : [];
    case 'video':
      return [attribs.poster];
    case 'link':
      return isImageLink(attribs) ? [attribs.href, ...srcsetUrls(attribs.imagesrcset)] : [];
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
