import type { Region, TextRole } from '../survey.ts';

/** An element that is displayed, as `seeElements` leaves it for the functions after it. */
export interface Seen {
  element: Element;
  style: CSSStyleDeclaration;
  /** Index of what it stands in; its own for the root. */
  parent: number;
  region: Region;
  role: TextRole;
  /** The link that it is, or stands in. */
  link: Element | undefined;
  /** CSS pixels from the top of the page. */
  top: number;
  width: number;
  height: number;
  /** Square pixels within the page; 0 of what is not to be seen. */
  area: number;
  /** As CSS; empty without one. */
  gradient: string;
  /** Whether it has a background of its own. */
  isFilled: boolean;
  /** Index of the ground that its text stands on. */
  ground: number;
}

/** What these functions leave for each other in the page's isolated world. */
export interface Left {
  winnowSeen?: Seen[];
}

/**
 * Runs in the page: finds what is displayed, open shadow trees too, in document order.
 * @param most elements; pages can be endless
 * @returns whether there is a page: a document may be something else than HTML
 */
export function seeElements(most: number): boolean {
  const root = document.documentElement;
  if (!root || !/html/.test(document.contentType)) return false;
  const UNSEEN = /^(script|style|noscript|template|head|iframe)$/;
  const REGIONS: Record<string, Region> = {
    ...{ header: 'header', banner: 'header', nav: 'navigation', navigation: 'navigation' },
    ...{ footer: 'footer', contentinfo: 'footer' },
  };
  const ROLES: Record<string, TextRole> = {
    ...{ h1: 'h1', h2: 'h2', h3: 'h3', h4: 'h4', h5: 'h4', h6: 'h4' },
    ...{ code: 'code', pre: 'code', kbd: 'code', samp: 'code', small: 'small', figcaption: 'small' },
    ...{ button: 'button', select: 'button', textarea: 'button' },
  };
  /** A header further down is that of an article; inside a header or a footer all is of it. */
  const MOST_HEADER_TOP = 300;
  const pageWidth = Math.max(root.scrollWidth, innerWidth, 1);
  const pageHeight = Math.max(root.scrollHeight, innerHeight, 1);
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
  /** Notices about cookies are seldom in the colours of the page. */
  const isNotice = ({ id, classList }: Element, { position }: CSSStyleDeclaration) =>
    /^(fixed|sticky|absolute)$/.test(position) &&
    /cookie|consent|gdpr/i.test(`${id.slice(0, 100)} ${classList.value.slice(0, 300)}`);
  const regionOf = (element: Element, top: number, around: Region): Region => {
    const region = REGIONS[element.getAttribute('role') ?? ''] ?? REGIONS[element.localName];
    if (!region || around === 'header' || around === 'footer') return around;
    return region === 'header' && (top > MOST_HEADER_TOP || around !== 'content') ? around : region;
  };

  const all: Seen[] = [];
  const see = (element: Element, parent: number): boolean => {
    const style = getComputedStyle(element);
    if (style.display === 'none' || UNSEEN.test(element.localName) || isNotice(element, style)) return false;
    const around = all[parent] ?? { region: 'content', role: 'body', link: undefined };
    const rect = element.getBoundingClientRect();
    const top = rect.top + scrollY;
    const isLink = element.localName === 'a' && element.hasAttribute('href');
    const gradient = /gradient\(/.test(style.backgroundImage) ? style.backgroundImage.slice(0, 1_000) : '';
    all.push({
      ...{ element, style, parent, top, width: rect.width, height: rect.height, area: areaOf(rect, style) },
      region: regionOf(element, top, around.region),
      role: ROLES[element.localName] ?? (isLink ? 'link' : around.role),
      link: isLink ? element : around.link,
      gradient,
      isFilled: gradient !== '' || !/^rgba\(.*, 0\)$|\/ 0\)$/.test(style.backgroundColor),
      ground: 0,
    });
    return element.localName !== 'svg';
  };

  const childrenOf = (element: Element): ArrayLike<Element> => {
    if (element.shadowRoot) return element.shadowRoot.children;
    const assigned = element instanceof HTMLSlotElement ? element.assignedElements() : [];
    return assigned.length ? assigned : element.children;
  };
  let looked = 0;
  const open: { children: ArrayLike<Element>; next: number; parent: number }[] = [
    { children: [root], next: 0, parent: 0 },
  ];
  while (open.length && looked < most) {
    const level = open.at(-1)!;
    const element = level.children[level.next++];
    if (!element) {
      open.pop();
      continue;
    }
    looked++;
    if (see(element, level.parent))
      open.push({ children: childrenOf(element), next: 0, parent: all.length - 1 });
  }
  (globalThis as Left).winnowSeen = all;
  return true;
}
