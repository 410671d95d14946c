import type { BrandingData, Styles } from './branding-data.ts';
import { findNamedColors, type NamedColorRole } from './color-names.ts';
import {
  clusterPaints,
  colorDistance,
  contrastRatio,
  isColorful,
  type Paint,
  parseGradientStops,
  parsePaint,
  resolveBackgrounds,
} from './paint.ts';

/** The page's colours by role, as `#rrggbb`. Roles that no element of the page has are left out. */
export interface Colors {
  primary?: string;
  secondary?: string;
  accent?: string;
  background: string;
  textPrimary?: string;
  textSecondary?: string;
  link?: string;
  success?: string;
  warning?: string;
  error?: string;
}

/** Below this CIEDE2000 distance most people see one colour. */
const MAX_EQUAL_DISTANCE = 3;
/** Below this distance two colours are shades of one colour. */
const MAX_SHADE_DISTANCE = 8;
/** From this distance on two colours are clearly different. */
const MIN_DISTINCT_DISTANCE = 15;
/** Factor that prefers the canvas over other backgrounds of the same area. */
const CANVAS_FACTOR = 1.5;
/** A brand colour has at least this share of the weight of the strongest colour. */
const MIN_WEIGHT_SHARE = 0.08;

/** Total weight of each kind of use; for surfaces, the weight of each surface. */
const WEIGHTS = { button: 4, link: 1.5, surface: 2, text: 1, logo: 1.5, theme: 1 };
/** Factor for colours that the page names as warning or error colours. */
const STATE_COLOR_FACTOR = 0.25;
/** A surface has its full weight from this share of the page's area on. */
const LARGE_SURFACE_SHARE = 0.05;

/** Assigns colours to roles and decides whether the page is light or dark. */
export function analyzeColors({ styles, logoCandidates, declarations }: BrandingData): {
  colorScheme: 'light' | 'dark';
  colors: Colors;
} {
  const backgrounds = resolveBackgrounds(styles.backgrounds);
  const background = findPageBackground(styles, backgrounds);
  const named = findNamedColors(declarations.variables);
  const used = collectUsedColors({ styles, logoCandidates, declarations }, backgrounds);
  const brand = selectBrandColors(used, collectButtonFills(styles, backgrounds), named);
  const texts = selectTextColors(styles, backgrounds, background);
  const first = (role: NamedColorRole) => named.get(role)?.[0];
  const roles = {
    ...brand,
    background,
    ...texts,
    success: first('success'),
    warning: first('warning'),
    error: first('error'),
  };
  return {
    colorScheme: background.lightness < 0.5 ? 'dark' : 'light',
    colors: {
      background: background.hex,
      ...Object.fromEntries(
        Object.entries(roles).flatMap(([role, paint]) => (paint ? [[role, paint.hex]] : [])),
      ),
    },
  };
}

/** Finds the background colour that covers the largest part of the page, images excluded. */
function findPageBackground({ backgrounds }: Styles, paints: Paint[]): Paint {
  const areas = backgrounds.flatMap(({ area, isImage }, index): [Paint, number][] =>
    isImage ? [] : [[paints[index]!, area * (index === 0 ? CANVAS_FACTOR : 1)]],
  );
  return clusterPaints(areas, MAX_EQUAL_DISTANCE)[0]?.paint ?? paints[0]!;
}

/** Collects every use of a colour with its weight. */
function collectUsedColors(
  { styles, logoCandidates, declarations }: BrandingData,
  backgrounds: Paint[],
): [Paint, number][] {
  const backdrop = (backgroundIndex: number) => backgrounds[backgroundIndex]?.hex;
  const texts = (isLink: boolean) =>
    styles.texts.flatMap(({ role, color, backgroundIndex, characters }): [Paint, number][] => {
      const paint =
        (role === 'link') === isLink &&
        !isDefaultLinkColor(color) &&
        parsePaint(color, backdrop(backgroundIndex));
      return paint ? [[paint, Math.sqrt(characters)]] : [];
    });
  const pageArea = styles.backgrounds.reduce((sum, { area }) => sum + area, 0);
  const surfaces = styles.backgrounds.flatMap(
    ({ gradient, color, isImage, area }, index): [Paint, number][] => {
      const stops = parseGradientStops(gradient, backdrop(index));
      const paints = stops.length ? stops : isImage || !parsePaint(color) ? [] : [backgrounds[index]!];
      const weight = WEIGHTS.surface * Math.min(1, Math.sqrt(area / pageArea / LARGE_SURFACE_SHARE));
      return paints.map((paint) => [paint, weight / paints.length]);
    },
  );
  const logos = logoCandidates
    .filter(({ region, hints }) => region === 'header' || /logo/.test(hints))
    .flatMap(({ colors }) => colors.flatMap((color): [Paint, number][] => weighted(parsePaint(color), 1)));
  return [
    ...distributeWeight(collectButtonFills(styles, backgrounds), WEIGHTS.button),
    ...distributeWeight(texts(true), WEIGHTS.link),
    ...surfaces,
    ...distributeWeight(texts(false), WEIGHTS.text),
    ...distributeWeight(logos, WEIGHTS.logo),
    ...distributeWeight(weighted(parsePaint(declarations.themeColor), 1), WEIGHTS.theme),
  ];
}

/** Collects the fill colours of buttons, weighted by size. */
function collectButtonFills({ buttons }: Styles, backgrounds: Paint[]): [Paint, number][] {
  return buttons.flatMap(({ background, gradient, backgroundIndex, area, region }): [Paint, number][] => {
    const backdrop = backgrounds[backgroundIndex]?.hex;
    const stops = gradient ? parseGradientStops(gradient, backdrop) : [];
    const paints = stops.length ? stops : [parsePaint(background, backdrop)];
    const weight = Math.sqrt(area) * (region === 'footer' ? 0.3 : 1);
    // The first stop of a gradient has the largest weight.
    return paints.flatMap((paint, index) => weighted(paint, weight / (index + 1)));
  });
}

const weighted = (paint: Paint | undefined, weight: number): [Paint, number][] =>
  paint ? [[paint, weight]] : [];

/**
 * Distributes a total weight over uses in proportion. Greys take part, so a mostly grey kind of use gives
 * colours little weight.
 */
function distributeWeight(weightedPaints: [Paint, number][], weight: number): [Paint, number][] {
  const total = weightedPaints.reduce((sum, [, part]) => sum + part, 0) || 1;
  return weightedPaints.map(([paint, part]) => [paint, (part / total) * weight]);
}

/** The default link colour of browsers says nothing about the brand. */
const isDefaultLinkColor = (color: string) => /^rgb\(0, 0, 238\)$/.test(color);

/** Selects the brand colours: first those that the page both names and uses, then those that it uses most. */
function selectBrandColors(
  used: [Paint, number][],
  fills: [Paint, number][],
  named: Map<NamedColorRole, Paint[]>,
) {
  const isAmong = (paint: Paint, weightedPaints: [Paint, number][]) =>
    weightedPaints.some(([other]) => colorDistance(paint, other) < MAX_EQUAL_DISTANCE);
  const chosen = new Map<NamedColorRole, Paint>();
  for (const role of ['primary', 'secondary', 'accent'] as const) {
    // A grey counts as the primary colour only where buttons use it. Every design system has a secondary
    // grey.
    const isUsedFor = (paint: Paint) =>
      isColorful(paint) ? isAmong(paint, used) : role === 'primary' && isAmong(paint, fills);
    const paint = named.get(role)?.find(isUsedFor);
    if (paint) chosen.set(role, paint);
  }
  const states = (['warning', 'error'] as const).flatMap((role) => named.get(role) ?? []);
  const colorful = used
    .filter(([paint]) => isColorful(paint))
    .map(([paint, weight]): [Paint, number] => [
      paint,
      states.some((state) => colorDistance(state, paint) < MAX_EQUAL_DISTANCE)
        ? weight * STATE_COLOR_FACTOR
        : weight,
    ]);
  const clusters = clusterPaints(colorful, MAX_SHADE_DISTANCE);
  const minWeight = (clusters[0]?.weight ?? 0) * MIN_WEIGHT_SHARE;
  for (const role of ['primary', 'secondary', 'accent'] as const) {
    if (chosen.has(role)) continue;
    const next = clusters.find(
      ({ paint, weight }) =>
        weight >= minWeight &&
        [...chosen.values()].every((other) => colorDistance(other, paint) >= MIN_DISTINCT_DISTANCE),
    );
    if (next) chosen.set(role, next.paint);
  }
  return { primary: chosen.get('primary'), secondary: chosen.get('secondary'), accent: chosen.get('accent') };
}

/** Whether a colour is one for plain text: black, white, grey or a very dark blue. */
const isTextColor = ({ chroma }: Paint) => chroma < 0.1;

function selectTextColors({ texts }: Styles, backgrounds: Paint[], background: Paint) {
  const rankTextColors = (matches: (text: Styles['texts'][number]) => boolean, onPageBackground: boolean) =>
    clusterPaints(
      texts
        .filter(
          (text) =>
            matches(text) &&
            (!onPageBackground ||
              colorDistance(backgrounds[text.backgroundIndex]!, background) < MAX_SHADE_DISTANCE),
        )
        .flatMap(({ color, backgroundIndex, characters, role, region }): [Paint, number][] => {
          const paint = parsePaint(color, backgrounds[backgroundIndex]?.hex);
          const weight = characters * (/^h\d$/.test(role) ? 4 : 1) * (region === 'content' ? 1 : 0.5);
          return paint ? [[paint, weight]] : [];
        }),
      MAX_EQUAL_DISTANCE,
    );
  const isBodyText = ({ role }: Styles['texts'][number]) => !/^(link|button|code)$/.test(role);
  const [dominant, ...others] =
    [rankTextColors(isBodyText, true), rankTextColors(isBodyText, false)].find(({ length }) => length) ?? [];
  const next =
    dominant &&
    others.find(
      ({ paint }) => isTextColor(paint) && colorDistance(paint, dominant.paint) >= MAX_SHADE_DISTANCE,
    );
  const links = [
    rankTextColors(({ role, region }) => role === 'link' && region === 'content', true),
    rankTextColors(({ role }) => role === 'link', true),
    rankTextColors(({ role }) => role === 'link', false),
  ].find(({ length }) => length);
  const link = links?.find(({ paint }) => isColorful(paint)) ?? links?.[0];
  // Headings and body text have more contrast than secondary text.
  const isSwapped =
    dominant &&
    next &&
    next.weight >= dominant.weight * 0.2 &&
    contrastRatio(next.paint, background) > contrastRatio(dominant.paint, background);
  const [first, second] = isSwapped ? [next, dominant] : [dominant, next];
  return { textPrimary: first?.paint, textSecondary: second?.paint, link: link?.paint };
}
