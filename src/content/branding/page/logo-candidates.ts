import type { PageElement } from '../../open-page/page-dom.ts';
import { pageFunction } from '../../open-page/page-function.ts';
import { type LogoCandidate, LogoCandidates } from '../branding-data.ts';
import type { VisibleElement } from './visible-elements.ts';

/** Limits for collecting logos. */
export interface LogoLimits {
  candidates: number;
  /** The longest source, in characters. Candidates with a longer one are left out. */
  sourceLength: number;
  /** The longest URL of a link, in characters. */
  linkLength: number;
}

/**
 * Runs in the page: collects images that may be the logo: those in the page's header or navigation, in a
 * link, or with a logo's name. An SVG has no `src` yet; `serializeSvg` makes it from the index.
 */
export const collectLogoCandidates = pageFunction(LogoCandidates, (limits: LogoLimits, dom) => {
  const MAX_LENGTH = 200;
  const absolute = (url: string) => URL.parse(url, dom.baseUrl(dom.document()))?.href ?? '';
  const textOf = (element: PageElement | undefined | null, name: string) =>
    ((element && dom.attribute(element, name)) ?? '').slice(0, MAX_LENGTH);

  const imageIn = (image: HTMLImageElement) => {
    const shown = image.currentSrc || image.getAttribute('src') || '';
    // A placeholder that a script replaces when the image is scrolled into view.
    const isPlaceholder = !shown || /^data:image\/(gif|svg)/.test(shown);
    const lazySource = image.getAttribute('data-src') ?? image.getAttribute('data-lazy-src');
    return absolute((isPlaceholder && lazySource) || shown);
  };
  const kindOf = (
    element: PageElement,
    { backgroundImage }: CSSStyleDeclaration,
  ): LogoCandidate['kind'] | undefined => {
    if (dom.localName(element) === 'svg') return 'svg';
    if (element instanceof HTMLImageElement) return 'image';
    return /url\(/.test(backgroundImage) ? 'background' : undefined;
  };
  const sourceOf = (
    element: PageElement,
    { backgroundImage }: CSSStyleDeclaration,
    kind: LogoCandidate['kind'],
  ) => {
    if (kind === 'svg') return '';
    if (element instanceof HTMLImageElement) return imageIn(element);
    return absolute(/url\("?(.*?)"?\)/.exec(backgroundImage)?.[1] ?? '');
  };

  const candidates: (LogoCandidate & { index: number })[] = [];
  for (const [index, item] of dom.keep<VisibleElement[]>('visibleElements', () => []).entries()) {
    if (candidates.length >= limits.candidates) break;
    const { element, style, region, link, area, top, width, height } = item;
    const kind = area ? kindOf(element, style) : undefined;
    const isAtTop = region === 'header' || region === 'navigation';
    const ownNames = ['id', 'class', 'alt'].map((name) => textOf(element, name)).join(' ');
    if (!kind || !(isAtTop || link || /logo|brand/i.test(ownNames))) continue;
    const src = sourceOf(element, style, kind);
    if (src.length > limits.sourceLength) continue;
    const ancestorNames = [dom.parentElement(element), link].flatMap((each) => [
      textOf(each, 'id'),
      textOf(each, 'class'),
    ]);
    const [titleElement] = dom.findAll(':scope > title', element);
    const title = ((titleElement && dom.textContent(titleElement)) ?? '').slice(0, MAX_LENGTH);
    const names = [textOf(element, 'alt'), textOf(element, 'aria-label'), title, textOf(link, 'aria-label')];
    candidates.push({
      index,
      kind,
      src,
      region,
      top,
      width,
      height,
      colors: [],
      name: names.find((name) => name.trim())?.trim() ?? '',
      hints: [ownNames, ...ancestorNames, src.slice(0, 300)].join(' ').toLowerCase(),
      href: link ? absolute(textOf(link, 'href')).slice(0, limits.linkLength) : '',
    });
  }
  return candidates;
});
