import type { Ground } from '../survey.ts';
import type { Left } from './seen.ts';

/**
 * Runs in the page: what the elements that `seeElements` has found are painted on; it leaves with each the index of
 * the ground of what is in it.
 * @param most different grounds; what comes later stands on the one under it
 * @returns the canvas first
 */
export function surveyGrounds(most: number): Ground[] {
  const all = (globalThis as Left).winnowSeen ?? [];
  const root = document.documentElement;
  const grounds: Ground[] = [];
  const indexes = new Map<string, number>();
  const indexOf = (ground: Omit<Ground, 'area'>) => {
    const key = JSON.stringify(ground);
    const known = indexes.get(key);
    if (known !== undefined || grounds.length >= most) return known ?? ground.under;
    indexes.set(key, grounds.length);
    return grounds.push({ ...ground, area: 0 }) - 1;
  };

  // The canvas shows the background of the root, else that of the body.
  const canvas = all.find(
    ({ element, isFilled }) => isFilled && (element === root || element === document.body),
  );
  const scheme = getComputedStyle(root).colorScheme;
  const isDark =
    /dark/.test(scheme) && (!/light/.test(scheme) || matchMedia('(prefers-color-scheme: dark)').matches);
  grounds.push({
    color: canvas?.style.backgroundColor ?? (isDark ? '#121212' : '#ffffff'),
    gradient: canvas?.gradient ?? '',
    isPicture: false,
    under: 0,
    area: Math.max(root.scrollWidth, innerWidth) * Math.max(root.scrollHeight, innerHeight),
  });

  for (const one of all) {
    const { element, style, area, gradient, isFilled } = one;
    const under = all[one.parent]?.ground ?? 0;
    one.ground = under;
    const isPicture =
      /^(img|video|canvas|iframe|picture)$/.test(element.localName) || /url\(/.test(style.backgroundImage);
    if (one === canvas || !area || !(isPicture || isFilled)) continue;
    const own = indexOf({ color: style.backgroundColor, gradient, isPicture, under });
    if (own === under) continue;
    one.ground = own;
    grounds[own]!.area += area;
    grounds[under]!.area = Math.max(0, grounds[under]!.area - area);
  }
  return grounds;
}
