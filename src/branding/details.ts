import { clustered, type Paint, paintOf, seenGrounds } from './palette.ts';
import { present } from './present.ts';
import type { Styles } from './survey.ts';

/** How the icons of a page are drawn. */
export interface Icons {
  style: 'outline' | 'filled';
  primaryColor?: string;
}

/** How things change their looks on a page, as CSS. */
export interface Animations {
  transitionDuration: string;
  easing: string;
}

/** How a page is divided. Lengths as CSS. */
export interface Layout {
  grid?: { columns?: number; maxWidth?: string };
  headerHeight?: string;
  footerHeight?: string;
}

/** Colours that look the same to most. */
const SAME = 3;

/** Judges the style and the colour that most icons have; `undefined` for a page without any. */
export function iconsOf({ icons, grounds }: Styles): Icons | undefined {
  const style = most(icons.map((icon) => [icon.style, icon.count]));
  if (!style) return undefined;
  const seen = seenGrounds(grounds);
  const paints = icons.flatMap(({ color, ground, count }): [Paint, number][] => {
    const paint = paintOf(color, seen[ground]?.hex);
    return paint ? [[paint, count]] : [];
  });
  return { style, ...present({ primaryColor: clustered(paints, SAME)[0]?.paint.hex }) };
}

/** Judges the transition that most things have; `undefined` for a page without any. */
export function animationsOf({ transitions }: Styles): Animations | undefined {
  const usual = most(transitions.map((transition) => [transition, transition.count]));
  return usual && { transitionDuration: usual.duration, easing: usual.easing };
}

/** Judges columns and width by the area that has them; `undefined` for a page without any division. */
export function layoutOf({
  frame: { columns, widths, headerHeight, footerHeight },
}: Styles): Layout | undefined {
  const css = (pixels: number | undefined) => (pixels === undefined ? undefined : `${pixels}px`);
  const grid = present({ columns: most(columns), maxWidth: css(most(widths)) });
  const layout = present({
    grid: Object.keys(grid).length ? grid : undefined,
    headerHeight: css(headerHeight),
    footerHeight: css(footerHeight),
  });
  return Object.keys(layout).length ? layout : undefined;
}

/** What has the largest sum of weights; of equals the first. */
function most<Kind>(weighted: [Kind, number][]): Kind | undefined {
  const sums = new Map<Kind, number>();
  for (const [kind, weight] of weighted) sums.set(kind, (sums.get(kind) ?? 0) + weight);
  let best: [Kind, number] | undefined;
  for (const entry of sums) if (!best || entry[1] > best[1]) best = entry;
  return best?.[0];
}
