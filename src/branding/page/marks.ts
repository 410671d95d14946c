import type { Mark } from '../survey.ts';
import type { Left } from './seen.ts';

/**
 * Runs in the page: what may be the logo among what `seeElements` has found: in the head of the page, in a link, or
 * called so. Drawings come without their source; each with the index at which it was found.
 */
export function surveyMarks(most: number): (Mark & { index: number })[] {
  const absolute = (address: string) => URL.parse(address, document.baseURI)?.href ?? '';
  const textOf = (element: Element | undefined | null, name: string) =>
    (element?.getAttribute(name) ?? '').slice(0, 200);

  const imageIn = (image: HTMLImageElement) => {
    const shown = image.currentSrc || image.getAttribute('src') || '';
    // What stands there until the picture comes.
    const isEmpty = !shown || /^data:image\/(gif|svg)/.test(shown);
    const later = image.getAttribute('data-src') ?? image.getAttribute('data-lazy-src');
    return absolute((isEmpty && later) || shown);
  };
  const kindOf = (element: Element, { backgroundImage }: CSSStyleDeclaration): Mark['kind'] | undefined => {
    if (element.localName === 'svg') return 'svg';
    if (element.localName === 'img') return 'image';
    return /url\(/.test(backgroundImage) ? 'background' : undefined;
  };
  const sourceOf = (element: Element, { backgroundImage }: CSSStyleDeclaration, kind: Mark['kind']) => {
    if (kind === 'svg') return '';
    // An element of this name is one.
    if (kind === 'image') return imageIn(element as HTMLImageElement);
    return absolute(/url\("?(.*?)"?\)/.exec(backgroundImage)?.[1] ?? '');
  };

  const marks: (Mark & { index: number })[] = [];
  for (const [index, one] of ((globalThis as Left).winnowSeen ?? []).entries()) {
    if (marks.length >= most) break;
    const { element, style, region, link, area, top, width, height } = one;
    const kind = area ? kindOf(element, style) : undefined;
    const isAtTop = region === 'header' || region === 'navigation';
    const called = ['id', 'class', 'alt'].map((name) => textOf(element, name)).join(' ');
    if (!kind || !(isAtTop || link || /logo|brand/i.test(called))) continue;
    const src = sourceOf(element, style, kind);
    const around = [element.parentElement, link].flatMap((each) => [
      textOf(each, 'id'),
      textOf(each, 'class'),
    ]);
    const title = (element.querySelector(':scope > title')?.textContent ?? '').slice(0, 200);
    const names = [textOf(element, 'alt'), textOf(element, 'aria-label'), title, textOf(link, 'aria-label')];
    marks.push({
      ...{ index, kind, src, region, top, width, height, colors: [] },
      name: names.find((name) => name.trim())?.trim() ?? '',
      hints: [called, ...around, src.slice(0, 300)].join(' ').toLowerCase(),
      href: link ? absolute(textOf(link, 'href')) : '',
    });
  }
  return marks;
}
