import { converter, differenceCiede2000, formatHex, interpolate, parse, wcagContrast } from 'culori';
import type { Ground } from './survey.ts';

/** A colour, as opaque as it is seen. */
export interface Paint {
  hex: string;
  /** Perceived, 0 to 1. */
  lightness: number;
  /** Colourfulness in OKLCH: 0 for greys, about 0.3 at most. */
  chroma: number;
}

const toOklch = converter('oklch');
const deltaE = differenceCiede2000();
const COLOR = /(?:rgba?|hsla?|hwb|oklab|oklch|lab|lch|color)\([^()]*\)|#[0-9a-f]{3,8}\b/gi;

/** Reads a CSS colour. @param under what shows through it @returns `undefined` for what is no colour, or not seen */
export function paintOf(css: string, under = '#ffffff'): Paint | undefined {
  const color = parse(css);
  const alpha = color?.alpha ?? 1;
  if (!color || alpha === 0) return undefined;
  const opaque = { ...color, alpha: 1 };
  const seen = alpha < 1 ? interpolate([under, opaque], 'rgb')(alpha) : opaque;
  const hex = formatHex(seen);
  const { l = 0, c = 0 } = toOklch(hex) ?? {};
  return { hex, lightness: l, chroma: c };
}

/** How different two colours look: below 2 hardly, above 10 plainly (CIEDE2000). */
export const distance = (one: Paint, other: Paint) => deltaE(one.hex, other.hex);

/** From 1 to 21 (WCAG 2). */
export const contrast = (one: Paint, other: Paint) => wcagContrast(one.hex, other.hex);

/** The least chroma of a colour; the bluish greys of design systems have up to 0.05. */
const LEAST_CHROMA = 0.05;

/** Whether a colour can stand for a brand: no grey, and no mere tint of white or black. */
export const isColorful = ({ chroma, lightness }: Paint) =>
  chroma >= LEAST_CHROMA && lightness > 0.15 && lightness < 0.97;

/** The colours of a gradient, in their order. */
export const stopsOf = (gradient: string, under?: string): Paint[] =>
  (gradient.match(COLOR) ?? []).flatMap((css) => paintOf(css, under) ?? []);

/** What each ground looks like, over what lies under it. */
export function seenGrounds(grounds: readonly Ground[]): Paint[] {
  const white: Paint = { hex: '#ffffff', lightness: 1, chroma: 0 };
  const seen: Paint[] = [];
  // What lies under a ground stands before it.
  for (const [index, { color, gradient, under }] of grounds.entries()) {
    const below = index === under ? white : (seen[under] ?? white);
    seen.push(paintOf(color, below.hex) ?? mixOf(stopsOf(gradient, below.hex)) ?? below);
  }
  return seen;
}

function mixOf(stops: Paint[]): Paint | undefined {
  if (!stops.length) return undefined;
  const { hex } = stops[0]!;
  return paintOf(
    formatHex(interpolate(stops.length > 1 ? stops.map((stop) => stop.hex) : [hex, hex], 'rgb')(0.5)),
  );
}

/** Colours that are compared with each other; what weighs less than these stands for nothing. */
const MOST_COLORS = 64;

/** Colours with weights, those that look alike as one: the one that weighs most. */
export function clustered(
  weighted: Iterable<[Paint, number]>,
  within: number,
): { paint: Paint; weight: number }[] {
  const byHex = new Map<string, { paint: Paint; weight: number }>();
  for (const [paint, weight] of weighted) {
    const known = byHex.get(paint.hex);
    if (known) known.weight += weight;
    else byHex.set(paint.hex, { paint, weight });
  }
  const clusters: { paint: Paint; weight: number }[] = [];
  for (const each of [...byHex.values()].sort((a, b) => b.weight - a.weight).slice(0, MOST_COLORS)) {
    const near = clusters.find(({ paint }) => distance(paint, each.paint) < within);
    if (near) near.weight += each.weight;
    else clusters.push({ ...each });
  }
  return clusters.sort((a, b) => b.weight - a.weight);
}
