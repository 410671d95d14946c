import { pageFunction } from '../../open-page/page-function.ts';
import { type Background, Backgrounds } from '../branding-data.ts';
import type { VisibleElement } from './visible-elements.ts';

/**
 * Runs in the page: collects the backgrounds of the visible elements, and stores with each element the index
 * of the background behind its content.
 * @param limit most different backgrounds; further ones count as part of the one behind them
 * @returns the backgrounds, the canvas first
 */
export const collectBackgrounds = pageFunction(Backgrounds, (limit: number, dom): Background[] => {
  const elements = dom.keep<VisibleElement[]>('visibleElements', () => []);
  const root = dom.root();
  const backgrounds: Background[] = [];
  const indexes = new Map<string, number>();
  const indexOf = (background: Omit<Background, 'area'>) => {
    const key = JSON.stringify(background);
    const known = indexes.get(key);
    if (known !== undefined || backgrounds.length >= limit) return known ?? background.backdropIndex;
    indexes.set(key, backgrounds.length);
    return backgrounds.push({ ...background, area: 0 }) - 1;
  };

  // The canvas takes the background of the root element, or of the body where the root has none (CSS
  // Backgrounds 2.11.2).
  const canvas = elements.find(
    ({ element, isFilled }) => isFilled && (element === root || element === dom.body()),
  );
  if (!root) return [];
  const scheme = dom.style(root).colorScheme;
  const isDark =
    /dark/.test(scheme) && (!/light/.test(scheme) || matchMedia('(prefers-color-scheme: dark)').matches);
  backgrounds.push({
    color: canvas?.style.backgroundColor ?? (isDark ? '#121212' : '#ffffff'),
    gradient: canvas?.gradient ?? '',
    isImage: false,
    backdropIndex: 0,
    area: Math.max(dom.scrollWidth(root), innerWidth) * Math.max(dom.scrollHeight(root), innerHeight),
  });

  for (const item of elements) {
    const { element, style, area, gradient, isFilled } = item;
    const backdropIndex = elements[item.parent]?.backgroundIndex ?? 0;
    item.backgroundIndex = backdropIndex;
    const isImage =
      /^(img|video|canvas|iframe|picture)$/.test(dom.localName(element)) ||
      /url\(/.test(style.backgroundImage);
    if (item === canvas || !area || !(isImage || isFilled)) continue;
    const own = indexOf({ color: style.backgroundColor, gradient, isImage, backdropIndex });
    if (own === backdropIndex) continue;
    item.backgroundIndex = own;
    backgrounds[own]!.area += area;
    backgrounds[backdropIndex]!.area = Math.max(0, backgrounds[backdropIndex]!.area - area);
  }
  return backgrounds;
});
