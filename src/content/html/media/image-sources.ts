import type { Element } from 'domhandler';
import { hasAttributes, isParentElement, isTag } from '../nodes.ts';
import { LAZY_SOURCES, LAZY_SRCSETS, largestCandidate, parseSrcset } from './srcset.ts';

/** Elements of AMP that show an image. */
const AMP_IMAGES: ReadonlySet<string> = new Set(['amp-img', 'amp-anim']);
/** Layouts of AMP in which the width and height of an element are its size, as without a layout. */
const AMP_SIZED_LAYOUT = /^(?:|fixed|nodisplay)$/;
// No character class matches beyond the next opening parenthesis, which keeps matching linear.
const CSS_URL = /url\(\s*(?:"([^"]*)"|'([^']*)'|([^()'"\s]+))\s*\)/gi;

/** Whether an element shows an image as `img` does. */
export const isImageElement = ({ name }: Element): boolean => name === 'img' || AMP_IMAGES.has(name);

/**
 * Whether an image is a tracking pixel. The width and height of an image of AMP may be its proportions, so it is none if it
 * has an alternative text or fills the width.
 */
export function isTrackingPixel(image: Element): boolean {
  const { width = '', height = '', alt, layout = '' } = image.attribs;
  if (!/^[01]$/.test(width) || !/^[01]$/.test(height)) return false;
  return image.name === 'img' || (!alt && AMP_SIZED_LAYOUT.test(layout.toLowerCase()));
}

/**
 * The URL of an image as it is written. Lazy-loading attributes take precedence over `src`, which may be a placeholder, and so
 * do the sources of a `picture` over no URL or an inline image.
 * @param parent the element around the image
 */
export function imageSource(attribs: Element['attribs'], parent: Element['parent']): string | undefined {
  const lazy = firstOf(attribs, LAZY_SOURCES);
  // Some pages keep options in these attributes.
  const lazySource = lazy && !/[\s{<]/.test(lazy) ? lazy : undefined;
  const largest = largestCandidate(firstOf(attribs, LAZY_SRCSETS) ?? '');
  const own = largest ?? lazySource ?? largestCandidate(attribs.srcset ?? '') ?? attribs.src;
  const isShown = own !== undefined && !/^\s*(?:data:|$)/i.test(own);
  return isShown ? own : (pictureSource(parent) ?? own);
}

/** The largest candidate of all sources of a `picture`. */
function pictureSource(picture: Element['parent']): string | undefined {
  if (!isParentElement(picture) || picture.name !== 'picture') return undefined;
  const sources = picture.children.filter(isTag).filter(({ name }) => name === 'source');
  const written = sources.flatMap(({ attribs }) => firstOf(attribs, LAZY_SRCSETS) ?? attribs.srcset ?? []);
  return largestCandidate(written.join(', '));
}

const firstOf = (attribs: Element['attribs'], names: readonly string[]) =>
  names.map((name) => attribs[name]?.trim()).find(Boolean);

/**
 * The URL of the background of an element whose role says that it is a picture, and the picture's alternative text.
 */
export function backgroundPicture(element: Element): { src: string; alt: string } | undefined {
  if (!hasAttributes(element) || element.attribs.role !== 'img') return undefined;
  const { style = '', title = '', 'aria-label': alt = title } = element.attribs;
  const [src] = backgroundUrls(style);
  return src ? { src, alt } : undefined;
}

/** The URLs in the value of a `style` attribute, as they are written. */
export const backgroundUrls = (style: string): string[] =>
  style.includes('url(')
    ? [...style.matchAll(CSS_URL)].map(([, double, single, bare = '']) => double ?? single ?? bare)
    : [];

/** All URLs of an image, as they are written: for each screen, and those that it loads later. */
export const imageCandidates = ({ attribs }: Element): (string | undefined)[] => [
  attribs.src,
  ...LAZY_SOURCES.map((name) => attribs[name]),
  ...sourceCandidates(attribs),
];

/** The URLs in the attributes that list an image for several screens. */
export const sourceCandidates = (attribs: Element['attribs']): string[] =>
  ['srcset', ...LAZY_SRCSETS].flatMap((name) => srcsetUrls(attribs[name]));

/** The URLs in a `srcset`. */
export const srcsetUrls = (srcset = ''): string[] => parseSrcset(srcset).map(({ url }) => url);
