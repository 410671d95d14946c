import type { Styles } from './branding-data.ts';
import { omitUndefined } from './omit-undefined.ts';
import { clusterPaints, type Paint, parsePaint, resolveBackgrounds } from './paint.ts';

/** The style of the page's icons. */
export interface Icons {
  style: 'outline' | 'filled';
  primaryColor?: string;
}

/** The page's usual transition, as CSS. */
export interface Animations {
  transitionDuration: string;
  easing: string;
}

/** The page's column layout and landmark sizes. Lengths are CSS. */
export interface Layout {
  grid?: { columns?: number; maxWidth?: string };
  headerHeight?: string;
  footerHeight?: string;
}

/** Below this CIEDE2000 distance most people see one colour. */
const MAX_EQUAL_DISTANCE = 3;

/** Finds the most common style and colour of icons. @returns `undefined` for a page without icons */
export function analyzeIcons({ icons, backgrounds }: Styles): Icons | undefined {
  const style = findHeaviest(icons.map((icon) => [icon.style, icon.count]));
  if (!style) return undefined;
  const resolved = resolveBackgrounds(backgrounds);
  const paints = icons.flatMap(({ color, backgroundIndex, count }): [Paint, number][] => {
    const paint = parsePaint(color, resolved[backgroundIndex]?.hex);
    return paint ? [[paint, count]] : [];
  });
  return {
    style,
    ...omitUndefined({ primaryColor: clusterPaints(paints, MAX_EQUAL_DISTANCE)[0]?.paint.hex }),
  };
}

/** Finds the most common transition. @returns `undefined` for a page without transitions */
export function analyzeAnimations({ transitions }: Styles): Animations | undefined {
  const mostCommon = findHeaviest(transitions.map((transition) => [transition, transition.count]));
  return mostCommon && { transitionDuration: mostCommon.duration, easing: mostCommon.easing };
}

/**
 * Finds the column count and content width that cover the largest area.
 * @returns `undefined` for a page without either and without landmarks
 */
export function analyzeLayout({
  layout: { columns, widths, headerHeight, footerHeight },
}: Styles): Layout | undefined {
  const css = (pixels: number | undefined) => (pixels === undefined ? undefined : `${pixels}px`);
  const grid = omitUndefined({ columns: findHeaviest(columns), maxWidth: css(findHeaviest(widths)) });
  const layout = omitUndefined({
    grid: Object.keys(grid).length ? grid : undefined,
    headerHeight: css(headerHeight),
    footerHeight: css(footerHeight),
  });
  return Object.keys(layout).length ? layout : undefined;
}

/** Finds the value with the largest sum of weights; the first of equal ones. */
function findHeaviest<Kind>(weighted: [Kind, number][]): Kind | undefined {
  const sums = new Map<Kind, number>();
  for (const [kind, weight] of weighted) sums.set(kind, (sums.get(kind) ?? 0) + weight);
  let best: [Kind, number] | undefined;
  for (const entry of sums) if (!best || entry[1] > best[1]) best = entry;
  return best?.[0];
}
