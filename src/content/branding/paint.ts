import { createRequire } from 'node:module';
import type { Background } from './branding-data.ts';

// As CommonJS, the library is one file. Its module form has 151, a quarter of all that a rendering thread
// loads at its start.
const { converter, differenceCiede2000, formatHex, interpolate, parse, wcagContrast } = createRequire(
  import.meta.url,
)('culori') as typeof import('culori');

/** A colour as it is painted: opaque, after blending with its backdrop. */
export interface Paint {
  hex: string;
  /** Perceived lightness in OKLCH, 0 to 1. */
  lightness: number;
  /** Chroma in OKLCH: 0 for greys, at most about 0.3. */
  chroma: number;
}

const toOklch = converter('oklch');
const deltaE = differenceCiede2000();
const COLOR = /(?:rgba?|hsla?|hwb|oklab|oklch|lab|lch|color)\([^()]*\)|#[0-9a-f]{3,8}\b/gi;

/**
 * Reads a CSS colour.
 * @param backdrop the colour behind a translucent one
 * @returns `undefined` for anything that is not a colour or is fully transparent
 */
export function parsePaint(css: string, backdrop = '#ffffff'): Paint | undefined {
  const color = parse(css);
  const alpha = color?.alpha ?? 1;
  if (!color || alpha === 0) return undefined;
  const opaque = { ...color, alpha: 1 };
  const visible = alpha < 1 ? interpolate([backdrop, opaque], 'rgb')(alpha) : opaque;
  const hex = formatHex(visible);
  const { l = 0, c = 0 } = toOklch(hex) ?? {};
  return { hex, lightness: l, chroma: c };
}

/** Perceived difference of two colours (CIEDE2000): below 2 barely visible, above 10 obvious. */
export const colorDistance = (one: Paint, other: Paint) => deltaE(one.hex, other.hex);

/** Contrast ratio from 1 to 21 (WCAG 2). */
export const contrastRatio = (one: Paint, other: Paint) => wcagContrast(one.hex, other.hex);

/** Colours with less chroma are greys; the bluish greys of design systems have up to 0.05. */
const MIN_CHROMA = 0.05;

/** Whether a colour can be a brand colour: neither a grey nor a tint of white or black. */
export const isColorful = ({ chroma, lightness }: Paint) =>
  chroma >= MIN_CHROMA && lightness > 0.15 && lightness < 0.97;

/** Reads the colours of a CSS gradient in order. */
export const parseGradientStops = (gradient: string, backdrop?: string): Paint[] =>
  (gradient.match(COLOR) ?? []).flatMap((css) => parsePaint(css, backdrop) ?? []);

/** Blends each background with the one behind it. */
export function resolveBackgrounds(backgrounds: readonly Background[]): Paint[] {
  const white: Paint = { hex: '#ffffff', lightness: 1, chroma: 0 };
  const visible: Paint[] = [];
  // A backdrop always precedes the backgrounds on it.
  for (const [index, { color, gradient, backdropIndex }] of backgrounds.entries()) {
    const backdrop = index === backdropIndex ? white : (visible[backdropIndex] ?? white);
    visible.push(
      parsePaint(color, backdrop.hex) ?? mixStops(parseGradientStops(gradient, backdrop.hex)) ?? backdrop,
    );
  }
  return visible;
}

function mixStops(stops: Paint[]): Paint | undefined {
  if (!stops.length) return undefined;
  const { hex } = stops[0]!;
  return parsePaint(
    formatHex(interpolate(stops.length > 1 ? stops.map((stop) => stop.hex) : [hex, hex], 'rgb')(0.5)),
  );
}

/** Most colours that are compared with each other; lighter-weighted ones do not matter. */
const MAX_CLUSTERED_COLORS = 64;

/**
 * Merges similar colours into the one with the largest weight and adds up their weights, the heaviest first.
 * @param within CIEDE2000 distance
 */
export function clusterPaints(
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
  for (const each of [...byHex.values()].sort((a, b) => b.weight - a.weight).slice(0, MAX_CLUSTERED_COLORS)) {
    const near = clusters.find(({ paint }) => colorDistance(paint, each.paint) < within);
    if (near) near.weight += each.weight;
    else clusters.push({ ...each });
  }
  return clusters.sort((a, b) => b.weight - a.weight);
}
