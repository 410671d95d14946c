import type { LogoCandidate } from '../branding-data.ts';
import type { PageState } from './visible-elements.ts';

/**
 * Runs in the page: collects images that may be the logo: those in the page's header or navigation, in a
 * link, or with a logo's name. An SVG has no `src` yet; `serializeSvg` makes it from the index.
 * @param limit most candidates
 */
export function collectLogoCandidates(limit: number): (LogoCandidate & { index: number })[] {
  const absolute = (url: string) => URL.parse(url, document.baseURI)?.href ?? '';
  const textOf = (element: Element | undefined | null, name: string) =>
    (element?.getAttribute(name) ?? '').slice(0, 200);

  const imageIn = (image: HTMLImageElement) => {
    const shown = image.currentSrc || image.getAttribute('src') || '';
    // A placeholder that a script replaces when the image is scrolled into view.
    const isPlaceholder = !shown || /^data:image\/(gif|svg)/.test(shown);
    const lazySource = image.getAttribute('data-src') ?? image.getAttribute('data-lazy-src');
    return absolute((isPlaceholder && lazySource) || shown);
  };
  const kindOf = (
    element: Element,
    { backgroundImage }: CSSStyleDeclaration,
  ): LogoCandidate['kind'] | undefined => {
    if (element.localName === 'svg') return 'svg';
    if (element.localName === 'img') return 'image';
    return /url\(/.test(backgroundImage) ? 'background' : undefined;
  };
  const sourceOf = (
    element: Element,
    { backgroundImage }: CSSStyleDeclaration,
    kind: LogoCandidate['kind'],
  ) => {
    if (kind === 'svg') return '';
    // `kindOf` returns `image` for `img` elements only.
    if (kind === 'image') return imageIn(element as HTMLImageElement);
    return absolute(/url\("?(.*?)"?\)/.exec(backgroundImage)?.[1] ?? '');
  };

  const candidates: (LogoCandidate & { index: number })[] = [];
  for (const [index, item] of ((globalThis as PageState).winnowVisibleElements ?? []).entries()) {
    if (candidates.length >= limit) break;
    const { element, style, region, link, area, top, width, height } = item;
    const kind = area ? kindOf(element, style) : undefined;
    const isAtTop = region === 'header' || region === 'navigation';
    const ownNames = ['id', 'class', 'alt'].map((name) => textOf(element, name)).join(' ');
    if (!kind || !(isAtTop || link || /logo|brand/i.test(ownNames))) continue;
    const src = sourceOf(element, style, kind);
    const ancestorNames = [element.parentElement, link].flatMap((each) => [
      textOf(each, 'id'),
      textOf(each, 'class'),
    ]);
    const title = (element.querySelector(':scope > title')?.textContent ?? '').slice(0, 200);
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
      href: link ? absolute(textOf(link, 'href')) : '',
    });
  }
  return candidates;
}
