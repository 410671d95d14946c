import { type NamedRole, namedColors } from './names.ts';
import {
  clustered,
  contrast,
  distance,
  isColorful,
  type Paint,
  paintOf,
  seenGrounds,
  stopsOf,
} from './palette.ts';
import type { Styles, Survey } from './survey.ts';

/** Colours by role, as `#rrggbb`; those that the page does not show are left out. */
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

/** Colours that look the same to most. */
const SAME = 3;
/** Shades of one colour. */
const SHADES = 8;
/** Colours that nobody takes for each other. */
const DIFFERENT = 15;
/** How much more the canvas is the background than other grounds of its size. */
const CANVAS_LEAD = 1.5;
/** The least part of the weight of the strongest colour that another one has. */
const LEAST_SHARE = 0.08;

/** How strongly a brand shows in which places; of surfaces, in each. */
const WEIGHTS = { button: 4, link: 1.5, surface: 2, text: 1, mark: 1.5, theme: 1 };
/** How much a colour counts that is named for bad news, such as the red of errors. */
const STATE_SHARE = 0.25;
/** The part of the page from which on a surface has its whole weight. */
const LARGE_SHARE = 0.05;

/** Judges which colour has which role, and whether the page is light or dark. */
export function colorsOf({ styles, marks, declarations }: Survey): {
  colorScheme: 'light' | 'dark';
  colors: Colors;
} {
  const grounds = seenGrounds(styles.grounds);
  const background = backgroundOf(styles, grounds);
  const named = namedColors(declarations.variables);
  const shown = shownColors({ styles, marks, declarations }, grounds);
  const brand = brandOf(shown, fillsOf(styles, grounds), named);
  const texts = textColors(styles, grounds, background);
  const first = (role: NamedRole) => named.get(role)?.[0];
  const roles = {
    ...{ ...brand, background, ...texts },
    ...{ success: first('success'), warning: first('warning'), error: first('error') },
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

/** The ground with the largest part of the page; pictures are none. */
function backgroundOf({ grounds }: Styles, seen: Paint[]): Paint {
  const areas = grounds.flatMap(({ area, isPicture }, index): [Paint, number][] =>
    isPicture ? [] : [[seen[index]!, area * (index === 0 ? CANVAS_LEAD : 1)]],
  );
  return clustered(areas, SAME)[0]?.paint ?? seen[0]!;
}

/** Where colours are shown, and how strongly. */
function shownColors({ styles, marks, declarations }: Survey, grounds: Paint[]): [Paint, number][] {
  const under = (ground: number) => grounds[ground]?.hex;
  const texts = (isLink: boolean) =>
    styles.texts.flatMap(({ role, color, ground, characters }): [Paint, number][] => {
      const paint = (role === 'link') === isLink && !isUnstyled(color) && paintOf(color, under(ground));
      return paint ? [[paint, Math.sqrt(characters)]] : [];
    });
  const pageArea = styles.grounds.reduce((sum, { area }) => sum + area, 0);
  const surfaces = styles.grounds.flatMap(
    ({ gradient, color, isPicture, area }, index): [Paint, number][] => {
      const stops = stopsOf(gradient, under(index));
      const paints = stops.length ? stops : isPicture || !paintOf(color) ? [] : [grounds[index]!];
      const weight = WEIGHTS.surface * Math.min(1, Math.sqrt(area / pageArea / LARGE_SHARE));
      return paints.map((paint) => [paint, weight / paints.length]);
    },
  );
  const drawn = marks
    .filter(({ region, hints }) => region === 'header' || /logo/.test(hints))
    .flatMap(({ colors }) => colors.flatMap((color): [Paint, number][] => withWeight(paintOf(color), 1)));
  return [
    ...sharing(fillsOf(styles, grounds), WEIGHTS.button),
    ...sharing(texts(true), WEIGHTS.link),
    ...surfaces,
    ...sharing(texts(false), WEIGHTS.text),
    ...sharing(drawn, WEIGHTS.mark),
    ...sharing(withWeight(paintOf(declarations.themeColor), 1), WEIGHTS.theme),
  ];
}

/** What buttons are filled with, by their size. */
function fillsOf({ buttons }: Styles, grounds: Paint[]): [Paint, number][] {
  return buttons.flatMap(({ background, gradient, ground, area, region }): [Paint, number][] => {
    const under = grounds[ground]?.hex;
    const stops = gradient ? stopsOf(gradient, under) : [];
    const paints = stops.length ? stops : [paintOf(background, under)];
    const weight = Math.sqrt(area) * (region === 'footer' ? 0.3 : 1);
    // Of several stops the first leads.
    return paints.flatMap((paint, index) => withWeight(paint, weight / (index + 1)));
  });
}

const withWeight = (paint: Paint | undefined, weight: number): [Paint, number][] =>
  paint ? [[paint, weight]] : [];

/** Divides a weight among places; greys take their part of it away. */
function sharing(places: [Paint, number][], weight: number): [Paint, number][] {
  const total = places.reduce((sum, [, part]) => sum + part, 0) || 1;
  return places.map(([paint, part]) => [paint, (part / total) * weight]);
}

/** Links as browsers show them have a colour of nobody's. */
const isUnstyled = (color: string) => /^rgb\(0, 0, 238\)$/.test(color);

/** The colours of the brand: what the page names so and shows, then what it shows most. */
function brandOf(shown: [Paint, number][], fills: [Paint, number][], named: Map<NamedRole, Paint[]>) {
  const isAmong = (paint: Paint, places: [Paint, number][]) =>
    places.some(([other]) => distance(paint, other) < SAME);
  const chosen = new Map<NamedRole, Paint>();
  for (const role of ['primary', 'secondary', 'accent'] as const) {
    // Who names a grey the first colour means it where buttons have it; for the second every design system has a grey.
    const isMeant = (paint: Paint) =>
      isColorful(paint) ? isAmong(paint, shown) : role === 'primary' && isAmong(paint, fills);
    const paint = named.get(role)?.find(isMeant);
    if (paint) chosen.set(role, paint);
  }
  const states = (['warning', 'error'] as const).flatMap((role) => named.get(role) ?? []);
  const colorful = shown
    .filter(([paint]) => isColorful(paint))
    .map(([paint, weight]): [Paint, number] => [
      paint,
      states.some((state) => distance(state, paint) < SAME) ? weight * STATE_SHARE : weight,
    ]);
  const clusters = clustered(colorful, SHADES);
  const least = (clusters[0]?.weight ?? 0) * LEAST_SHARE;
  for (const role of ['primary', 'secondary', 'accent'] as const) {
    if (chosen.has(role)) continue;
    const next = clusters.find(
      ({ paint, weight }) =>
        weight >= least && [...chosen.values()].every((other) => distance(other, paint) >= DIFFERENT),
    );
    if (next) chosen.set(role, next.paint);
  }
  return { primary: chosen.get('primary'), secondary: chosen.get('secondary'), accent: chosen.get('accent') };
}

/** Whether text is written in it that is no emphasis: black, white, greys, and the dark blues of some. */
const isInk = ({ chroma }: Paint) => chroma < 0.1;

function textColors({ texts }: Styles, grounds: Paint[], background: Paint) {
  const of = (isWanted: (text: Styles['texts'][number]) => boolean, onGround: boolean) =>
    clustered(
      texts
        .filter(
          (text) => isWanted(text) && (!onGround || distance(grounds[text.ground]!, background) < SHADES),
        )
        .flatMap(({ color, ground, characters, role, region }): [Paint, number][] => {
          const paint = paintOf(color, grounds[ground]?.hex);
          const weight = characters * (/^h\d$/.test(role) ? 4 : 1) * (region === 'content' ? 1 : 0.5);
          return paint ? [[paint, weight]] : [];
        }),
      SAME,
    );
  const written = ({ role }: Styles['texts'][number]) => !/^(link|button|code)$/.test(role);
  const [most, ...others] = [of(written, true), of(written, false)].find(({ length }) => length) ?? [];
  const next = most && others.find(({ paint }) => isInk(paint) && distance(paint, most.paint) >= SHADES);
  const links = [
    of(({ role, region }) => role === 'link' && region === 'content', true),
    of(({ role }) => role === 'link', true),
    of(({ role }) => role === 'link', false),
  ].find(({ length }) => length);
  const link = links?.find(({ paint }) => isColorful(paint)) ?? links?.[0];
  // Headings and what is to be read stand out more than what is said beside it.
  const isSwapped =
    most &&
    next &&
    next.weight >= most.weight * 0.2 &&
    contrast(next.paint, background) > contrast(most.paint, background);
  const [first, second] = isSwapped ? [next, most] : [most, next];
  return { textPrimary: first?.paint, textSecondary: second?.paint, link: link?.paint };
}
