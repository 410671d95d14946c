import { present } from './present.ts';
import type { Icon, Mark } from './survey.ts';

/** Pictures that stand for a page: absolute addresses, or data URIs. */
export interface Images {
  logo?: string;
  favicon?: string;
  ogImage?: string;
}

/** What the page says of its pictures elsewhere. */
export interface ImageFacts {
  pageUrl: string;
  /** Of the organisation in structured data. */
  organizationLogo: string | undefined;
  ogImage: string | undefined;
}

/** Less than this is a picture of something else. */
const LEAST_SCORE = 2.5;

/** Judges which picture is the logo, which icon the best. */
export function imagesOf(marks: readonly Mark[], icons: readonly Icon[], facts: ImageFacts): Images {
  const { pageUrl, organizationLogo, ogImage } = facts;
  const absolute = (address: string | undefined) =>
    (address && URL.parse(address, pageUrl)?.href) || undefined;
  return present({
    logo: logoOf(marks, pageUrl)?.src ?? absolute(organizationLogo),
    favicon: absolute(bestIcon(icons)?.href),
    ogImage: absolute(ogImage),
  });
}

/** The mark that is the page's logo, if one is. */
export function logoOf(marks: readonly Mark[], pageUrl: string): Mark | undefined {
  let best: { mark: Mark; score: number } | undefined;
  // Of equals the first one.
  for (const mark of marks) {
    const score = scoreOf(mark, pageUrl);
    if (score >= LEAST_SCORE && (!best || score > best.score)) best = { mark, score };
  }
  return best?.mark;
}

function scoreOf({ hints, name, region, href, top, width, height }: Mark, pageUrl: string): number {
  if (width < 12 || height < 8 || width > 800 || height > 400) return 0;
  const isAtTop = region === 'header' || region === 'navigation';
  const isControl = /(icon|menu|search|burger|toggle|cart|user|avatar|flag|chevron|arrow|social)/.test(hints);
  return (
    (leadsHome(href, pageUrl) ? 3 : 0) +
    (isAtTop ? 1.5 : 0) +
    (top < 200 ? 0.5 : 0) +
    (/logo/.test(hints) || /\blogo\b/i.test(name) ? 2 : 0) +
    (/brand/.test(hints) ? 1 : 0) -
    (region === 'footer' ? 1 : 0) -
    (isControl ? 2 : 0) -
    // Those of others stand in rows, further down, and lead elsewhere.
    (/(partner|client|customer|sponsor|trusted|payment)/.test(hints) ? 4 : 0) -
    (href && !leadsHome(href, pageUrl) && URL.parse(href)?.host !== URL.parse(pageUrl)?.host ? 3 : 0)
  );
}

/** Whether an address is the first page of the site, in whatever language. */
function leadsHome(href: string, pageUrl: string): boolean {
  const target = URL.parse(href);
  const page = URL.parse(pageUrl);
  if (!target || !page || target.host !== page.host) return false;
  return /^\/([a-z]{2}([-_][a-z]{2})?\/?)?(index\.\w+|home\/?)?$/i.test(target.pathname);
}

/** Icons without a size: what they usually have. */
const USUAL_SIZES: [RegExp, number][] = [
  [/apple-touch-icon/, 180],
  [/manifest/, 192],
  [/icon/, 16],
];
/** Larger ones bring nothing more. */
const MOST_SIZE = 512;

/** The icon that can be shown the largest: drawings before pictures. */
function bestIcon(icons: readonly Icon[]): Icon | undefined {
  const sizeOf = ({ href, rel, sizes, type }: Icon) => {
    const isDrawing = /svg/.test(type) || /\.svg([?#]|$)/i.test(href) || /^data:image\/svg/.test(href);
    if (isDrawing || sizes === 'any') return isDrawing ? MOST_SIZE + 1 : 32;
    const given = (sizes.match(/\d+(?=x\d)/gi) ?? []).map(Number);
    const usual = USUAL_SIZES.find(([pattern]) => pattern.test(rel))?.[1] ?? 0;
    return Math.min(MOST_SIZE, given.length ? Math.max(...given) : usual);
  };
  let best: { icon: Icon; size: number } | undefined;
  for (const icon of icons) {
    const size = sizeOf(icon);
    if (icon.href && (!best || size > best.size)) best = { icon, size };
  }
  return best?.icon;
}
