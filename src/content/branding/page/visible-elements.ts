import { z } from 'zod';
import type { PageElement } from '../../open-page/page-dom.ts';
import { pageFunction } from '../../open-page/page-function.ts';
import type { Region, TextRole } from '../branding-data.ts';

/** A rendered element, as `findVisibleElements` stores it for the functions that run after it. */
export interface VisibleElement {
  element: PageElement;
  style: CSSStyleDeclaration;
  /** Index of its parent; its own index for the root element. */
  parent: number;
  region: Region;
  role: TextRole;
  /** The link that it is or is inside of. */
  link: PageElement | undefined;
  /** CSS pixels from the top of the page. */
  top: number;
  width: number;
  height: number;
  /** Square CSS pixels within the page; 0 for an invisible element. */
  area: number;
  /** CSS gradient; empty without one. */
  gradient: string;
  /** Whether it has a background of its own. */
  isFilled: boolean;
  /** Index of the background behind its text. */
  backgroundIndex: number;
}

/**
 * Runs in the page: finds the rendered elements in document order, those in open shadow trees included, and
 * keeps them as `visibleElements` for the other functions of this folder.
 * @param limit most elements to visit, because pages can be endless
 * @returns whether the document is HTML
 */
export const findVisibleElements = pageFunction(z.boolean(), (limit: number, dom): boolean => {
  const root = dom.root();
  if (!root || !/html/.test(dom.contentType())) return false;
  const NOT_RENDERED = /^(script|style|noscript|template|head|iframe)$/;
  const REGIONS = new Map<string, Region>(
    Object.entries({
      header: 'header',
      banner: 'header',
      nav: 'navigation',
      navigation: 'navigation',
      footer: 'footer',
      contentinfo: 'footer',
    }),
  );
  const ROLES = new Map<string, TextRole>(
    Object.entries({
      h1: 'h1',
      h2: 'h2',
      h3: 'h3',
      h4: 'h4',
      h5: 'h4',
      h6: 'h4',
      code: 'code',
      pre: 'code',
      kbd: 'code',
      samp: 'code',
      small: 'small',
      figcaption: 'small',
      button: 'button',
      select: 'button',
      textarea: 'button',
    }),
  );
  /** CSS pixels from the top; a header further down belongs to an article. */
  const MAX_HEADER_TOP = 300;
  const pageWidth = Math.max(dom.scrollWidth(root), innerWidth, 1);
  const pageHeight = Math.max(dom.scrollHeight(root), innerHeight, 1);
  const within = (start: number, length: number, end: number) =>
    Math.max(0, Math.min(start + length, end) - Math.max(start, 0));

  const areaOf = (rect: DOMRect, { visibility, position, zIndex }: CSSStyleDeclaration) => {
    if (visibility !== 'visible' || rect.width <= 1 || rect.height <= 1) return 0;
    const isBackdrop = position === 'fixed' && rect.width >= innerWidth && rect.height >= innerHeight;
    if (isBackdrop && Number(zIndex) < 0) return pageWidth * pageHeight;
    return (
      within(rect.left + scrollX, rect.width, pageWidth) * within(rect.top + scrollY, rect.height, pageHeight)
    );
  };
  /** Cookie notices seldom have the colours of the page. */
  const isNotice = (element: PageElement, { position }: CSSStyleDeclaration) =>
    /^(fixed|sticky|absolute)$/.test(position) &&
    /cookie|consent|gdpr/i.test(
      `${dom.id(element).slice(0, 100)} ${(dom.attribute(element, 'class') ?? '').slice(0, 300)}`,
    );
  const regionOf = (element: PageElement, top: number, parentRegion: Region): Region => {
    const region = REGIONS.get(dom.attribute(element, 'role') ?? '') ?? REGIONS.get(dom.localName(element));
    if (!region || parentRegion === 'header' || parentRegion === 'footer') return parentRegion;
    return region === 'header' && (top > MAX_HEADER_TOP || parentRegion !== 'content')
      ? parentRegion
      : region;
  };

  const elements = dom.keep<VisibleElement[]>('visibleElements', () => []);
  elements.length = 0;
  /** Adds an element. @returns whether its children are to be visited */
  const visit = (element: PageElement, parent: number): boolean => {
    const style = dom.style(element);
    const localName = dom.localName(element);
    if (style.display === 'none' || NOT_RENDERED.test(localName) || isNotice(element, style)) return false;
    const parentRegion = elements[parent] ?? { region: 'content', role: 'body', link: undefined };
    const rect = dom.rect(element);
    const top = rect.top + scrollY;
    const isLink = localName === 'a' && dom.hasAttribute(element, 'href');
    const gradient = /gradient\(/.test(style.backgroundImage) ? style.backgroundImage.slice(0, 1_000) : '';
    elements.push({
      element,
      style,
      parent,
      top,
      width: rect.width,
      height: rect.height,
      area: areaOf(rect, style),
      region: regionOf(element, top, parentRegion.region),
      role: ROLES.get(localName) ?? (isLink ? 'link' : parentRegion.role),
      link: isLink ? element : parentRegion.link,
      gradient,
      isFilled: gradient !== '' || !/^rgba\(.*, 0\)$|\/ 0\)$/.test(style.backgroundColor),
      backgroundIndex: 0,
    });
    return localName !== 'svg';
  };

  const childrenOf = (element: PageElement): ArrayLike<PageElement> => {
    const shadowRoot = dom.shadowRoot(element);
    if (shadowRoot) return dom.children(shadowRoot);
    const assigned = element instanceof HTMLSlotElement ? element.assignedElements() : [];
    return assigned.length ? assigned : dom.children(element);
  };
  /** Visits the tree without recursion, because pages may nest deeply. */
  const visitAll = () => {
    const stack: { children: ArrayLike<PageElement>; next: number; parent: number }[] = [
      { children: [root], next: 0, parent: 0 },
    ];
    for (let visited = 0; stack.length && visited < limit; ) {
      const level = stack.at(-1)!;
      const element = level.children[level.next++];
      if (!element) {
        stack.pop();
        continue;
      }
      visited++;
      if (visit(element, level.parent))
        stack.push({ children: childrenOf(element), next: 0, parent: elements.length - 1 });
    }
  };
  visitAll();
  return true;
});
