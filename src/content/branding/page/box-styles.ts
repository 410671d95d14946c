import { pageFunction } from '../../open-page/page-function.ts';
import { BoxStyles, type SpacedElement, type SpacingCount } from '../branding-data.ts';
import type { VisibleElement } from './visible-elements.ts';

/**
 * Runs in the page: counts paddings, margins, gaps and corner radii of the visible elements.
 * @param limit most different values of each
 */
export const collectBoxStyles = pageFunction(BoxStyles, (limit: number, dom): BoxStyles => {
  const elements = dom.keep<VisibleElement[]>('visibleElements', () => []);
  const PADDED_BY_BROWSERS = /^(ul|ol|menu|dir|dl|td|th|fieldset|legend|input|select|textarea|option)$/;
  const SECTIONS = /^(section|header|footer|main|article|aside)$/;
  /** Smaller values are optical corrections, larger ones make room for background images. */
  const [MIN_PIXELS, MAX_PIXELS] = [2, 256];
  const spaces = new Map<number, number>();
  const radii = new Map<string, number>();
  const paddings = new Map<string, SpacingCount>();
  const margins = new Map<string, SpacingCount>();
  const count = <Key>(counts: Map<Key, number>, key: Key) => {
    if (counts.has(key) || counts.size < limit) counts.set(key, (counts.get(key) ?? 0) + 1);
  };
  const pixelsOf = (length: string) => Math.round(Number.parseFloat(length) * 10) / 10;
  const countSpacing = (
    counted: Map<string, SpacingCount>,
    kind: SpacedElement,
    side: SpacingCount['side'],
    css: string,
  ) => {
    const length = pixelsOf(css);
    if (!(length >= MIN_PIXELS && length <= MAX_PIXELS)) return;
    const key = `${kind} ${side} ${length}`;
    const known = counted.get(key);
    if (known) known.count++;
    else if (counted.size < limit) counted.set(key, { element: kind, side, length, count: 1 });
  };

  const isBox = ({ backgroundIndex, parent, style }: VisibleElement) =>
    backgroundIndex !== elements[parent]?.backgroundIndex || Number.parseFloat(style.borderLeftWidth) > 0;
  const paddedKind = (item: VisibleElement): SpacedElement | undefined => {
    const { element, role, parent } = item;
    const localName = dom.localName(element);
    if (/^(input|select|textarea)$/.test(localName)) return 'input';
    if (role === 'button') return elements[parent]?.role === 'button' ? undefined : 'button';
    if (SECTIONS.test(localName)) return 'section';
    return isBox(item) && dom.childElementCount(element) > 0 ? 'card' : undefined;
  };
  const spacedKind = ({ element }: VisibleElement): SpacedElement | undefined => {
    const localName = dom.localName(element);
    if (/^h[1-6]$/.test(localName)) return 'heading';
    if (localName === 'p') return 'paragraph';
    if (/^[uo]l$/.test(localName)) return 'list';
    return SECTIONS.test(localName) ? 'section' : undefined;
  };

  const countPadding = (item: VisibleElement) => {
    const kind = paddedKind(item);
    if (!kind) return;
    countSpacing(paddings, kind, 'vertical', item.style.paddingTop);
    countSpacing(paddings, kind, 'horizontal', item.style.paddingLeft);
  };
  const countMargin = (item: VisibleElement) => {
    const kind = spacedKind(item);
    if (!kind) return;
    // Vertical margins collapse, so one side is counted: the bottom, or the top where the bottom is 0.
    const { marginBottom, marginTop } = item.style;
    countSpacing(margins, kind, 'vertical', pixelsOf(marginBottom) ? marginBottom : marginTop);
  };
  const countSpacesAndRadius = (item: VisibleElement) => {
    const { element, style, role } = item;
    // Controls are analyzed separately, and browsers pad some elements by default.
    if (role === 'button' || PADDED_BY_BROWSERS.test(dom.localName(element))) return;
    for (const length of [style.paddingTop, style.paddingLeft, style.rowGap, style.columnGap]) {
      const pixels = pixelsOf(length);
      if (pixels >= 2 && pixels <= 128) count(spaces, pixels);
    }
    if (isBox(item) && style.borderTopLeftRadius !== '0px') count(radii, style.borderTopLeftRadius);
  };

  for (const item of elements) {
    if (!item.area) continue;
    countPadding(item);
    countMargin(item);
    countSpacesAndRadius(item);
  }
  return {
    spaces: [...spaces],
    radii: [...radii],
    paddings: [...paddings.values()],
    margins: [...margins.values()],
  };
});
