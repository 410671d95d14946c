import type { DeclaredIcon, LogoCandidate } from './branding-data.ts';
import { omitUndefined } from './omit-undefined.ts';

/** Images that identify a page: absolute URLs or data URIs. */
export interface Images {
  logo?: string;
  favicon?: string;
  ogImage?: string;
}

/** Images that the page's metadata names, and the page's URL. */
export interface PageImageMetadata {
  pageUrl: string;
  /** Logo of the organisation in structured data, possibly relative. */
  organizationLogo: string | undefined;
  ogImage: string | undefined;
}

/** Images with a lower score are not logos. */
const MIN_LOGO_SCORE = 2.5;

/** Selects the logo, the favicon and the Open Graph image. */
export function selectImages(
  candidates: readonly LogoCandidate[],
  icons: readonly DeclaredIcon[],
  metadata: PageImageMetadata,
): Images {
  const { pageUrl, organizationLogo, ogImage } = metadata;
  const absolute = (url: string | undefined) => (url && URL.parse(url, pageUrl)?.href) || undefined;
  return omitUndefined({
    logo: findLogo(candidates, pageUrl)?.src ?? absolute(organizationLogo),
    favicon: absolute(selectFavicon(icons)?.href),
    ogImage: absolute(ogImage),
  });
}

/** Finds the candidate that is the page's logo. @returns `undefined` where none scores high enough */
export function findLogo(candidates: readonly LogoCandidate[], pageUrl: string): LogoCandidate | undefined {
  let best: { mark: LogoCandidate; score: number } | undefined;
  // The first of equal candidates wins.
  for (const candidate of candidates) {
    const score = scoreLogoCandidate(candidate, pageUrl);
    if (score >= MIN_LOGO_SCORE && (!best || score > best.score)) best = { mark: candidate, score };
  }
  return best?.mark;
}

function scoreLogoCandidate(
  { hints, name, region, href, top, width, height }: LogoCandidate,
  pageUrl: string,
): number {
  if (width < 12 || height < 8 || width > 800 || height > 400) return 0;
  const isAtTop = region === 'header' || region === 'navigation';
  const isControl = /(icon|menu|search|burger|toggle|cart|user|avatar|flag|chevron|arrow|social)/.test(hints);
  return (
    (isHomePage(href, pageUrl) ? 3 : 0) +
    (isAtTop ? 1.5 : 0) +
    (top < 200 ? 0.5 : 0) +
    (/logo/.test(hints) || /\blogo\b/i.test(name) ? 2 : 0) +
    (/brand/.test(hints) ? 1 : 0) -
    (region === 'footer' ? 1 : 0) -
    (isControl ? 2 : 0) -
    // Logos of partners and customers come in rows, further down, and link to other sites.
    (/(partner|client|customer|sponsor|trusted|payment)/.test(hints) ? 4 : 0) -
    (href && !isHomePage(href, pageUrl) && URL.parse(href)?.host !== URL.parse(pageUrl)?.host ? 3 : 0)
  );
}

/** Whether a URL is the site's home page, in any language. */
function isHomePage(href: string, pageUrl: string): boolean {
  const target = URL.parse(href);
  const page = URL.parse(pageUrl);
  if (!target || !page || target.host !== page.host) return false;
  return /^\/([a-z]{2}([-_][a-z]{2})?\/?)?(index\.\w+|home\/?)?$/i.test(target.pathname);
}

/** Usual sizes in pixels of icons that declare none, by `rel`. */
const DEFAULT_ICON_SIZES: [RegExp, number][] = [
  [/apple-touch-icon/, 180],
  [/manifest/, 192],
  [/icon/, 16],
];
/** Larger icons are no better, so their size counts as this many pixels. */
const MAX_ICON_SIZE = 512;

/** Selects the icon with the highest resolution: SVG before bitmaps. */
function selectFavicon(icons: readonly DeclaredIcon[]): DeclaredIcon | undefined {
  const sizeOf = ({ href, rel, sizes, type }: DeclaredIcon) => {
    const isSvg = /svg/.test(type) || /\.svg([?#]|$)/i.test(href) || /^data:image\/svg/.test(href);
    if (isSvg || sizes === 'any') return isSvg ? MAX_ICON_SIZE + 1 : 32;
    const declared = (sizes.match(/\d+(?=x\d)/gi) ?? []).map(Number);
    const fallback = DEFAULT_ICON_SIZES.find(([pattern]) => pattern.test(rel))?.[1] ?? 0;
    return Math.min(
      MAX_ICON_SIZE,
      declared.length ? declared.reduce((most, size) => Math.max(most, size)) : fallback,
    );
  };
  let best: { icon: DeclaredIcon; size: number } | undefined;
  for (const icon of icons) {
    const size = sizeOf(icon);
    if (icon.href && (!best || size > best.size)) best = { icon, size };
  }
  return best?.icon;
}
