import { distance, isColorful, type Paint, paintOf, seenGrounds, stopsOf } from './palette.ts';
import { present } from './present.ts';
import type { Button, Control, Styles } from './survey.ts';

/** How a control looks: colours as `#rrggbb` or `transparent`, the rest as CSS. */
export interface Component {
  background: string;
  /** As CSS, with `#rrggbb` colours; `background` is its first one. */
  gradient?: string;
  textColor?: string;
  borderColor?: string;
  borderRadius: string;
  shadow?: string;
}

/** Controls that a page is recognised by. */
export interface Components {
  buttonPrimary?: Component;
  buttonSecondary?: Component;
  input?: Component;
}

/** Classes that say what a button is. */
const FIRST = /(^|[\s_-])(primary|cta|main|submit)([\s_-]|$)/;
const SECOND = /(^|[\s_-])(secondary|outline|ghost|link|tertiary|light)([\s_-]|$)/;
/** Looks that browsers give to controls without a style. */
const BROWSERS_OWN = /^(outset|inset)$/;

interface Look {
  component: Component;
  fill: Paint | undefined;
  score: number;
}

/** Judges which look of the page's buttons is the first and which the second, and how its fields look. */
export function componentsOf(styles: Styles, primary: string | undefined): Components {
  const grounds = seenGrounds(styles.grounds);
  const brand = primary ? paintOf(primary) : undefined;
  const looks = gathered(styles.buttons.filter(isStyled), (button) => {
    const fill = fillOf(button, grounds);
    const score = scoreOf(button, { fill, brand, canvas: grounds[0] });
    return { component: componentOf(button, grounds), fill, score };
  });
  const fields = gathered(styles.inputs.filter(isStyled), (input) => ({
    ...{ component: componentOf(input, grounds), fill: undefined, score: Math.sqrt(input.area) },
  }));
  const [first] = looks;
  const second = looks.slice(1).find((look) => first && isOther(look, first));
  // Without a fill it is a second choice that stands alone.
  const isAlone = first && !first.fill && !second && styles.buttons.some(({ hints }) => SECOND.test(hints));
  return present({
    buttonPrimary: isAlone ? undefined : first?.component,
    buttonSecondary: isAlone ? first.component : second?.component,
    input: fields[0]?.component,
  });
}

const isStyled = ({ borderStyle }: Control) => !BROWSERS_OWN.test(borderStyle);

/** Controls of one look together, the look with the highest score first. */
function gathered<Kind extends Control>(controls: Kind[], lookOf: (control: Kind) => Look): Look[] {
  const looks = new Map<string, Look>();
  for (const control of controls) {
    const look = lookOf(control);
    const key = JSON.stringify({ ...look.component, shadow: undefined });
    const known = looks.get(key);
    // Many of one look say little more than one.
    if (known) known.score = Math.max(known.score, look.score) + 0.1 * Math.min(known.score, look.score);
    else looks.set(key, look);
  }
  return [...looks.values()].sort((one, other) => other.score - one.score);
}

/** How much a button looks like the first choice. */
function scoreOf(
  { hints, region, area }: Button,
  paints: Record<'fill' | 'brand' | 'canvas', Paint | undefined>,
) {
  const { fill, brand, canvas } = paints;
  const isBrand = fill && brand && distance(fill, brand) < 8;
  const isLoud = fill && canvas && distance(fill, canvas) > 20;
  return (
    Math.min(3, Math.sqrt(area) / 50) *
    (isBrand ? 4 : 1) *
    (fill ? 2 : 1) *
    (fill && isColorful(fill) ? 1.5 : 1) *
    (isLoud ? 1.5 : 1) *
    (FIRST.test(hints) ? 2 : 1) *
    (SECOND.test(hints) ? 0.5 : 1) *
    (region === 'footer' ? 0.5 : 1)
  );
}

/** Whether two looks are different choices, not one in two sizes. */
function isOther(one: Look, other: Look): boolean {
  if (!one.fill || !other.fill)
    return one.fill !== other.fill || one.component.borderColor !== other.component.borderColor;
  return distance(one.fill, other.fill) > 5;
}

function fillOf({ background, gradient, ground }: Control, grounds: Paint[]): Paint | undefined {
  const under = grounds[ground]?.hex;
  return stopsOf(gradient, under)[0] ?? paintOf(background, under);
}

function componentOf(control: Control, grounds: Paint[]): Component {
  const { gradient, color, borderColor, radius, shadow, ground } = control;
  const fill = fillOf(control, grounds);
  const under = fill?.hex ?? grounds[ground]?.hex;
  return {
    background: fill?.hex ?? 'transparent',
    borderRadius: radius,
    ...present({
      gradient: gradient && stopsOf(gradient).length ? withHexes(gradient, grounds[ground]?.hex) : undefined,
      textColor: paintOf(color, under)?.hex,
      borderColor: paintOf(borderColor, under)?.hex,
      shadow: shadow ? withHexes(shadow) : undefined,
    }),
  };
}

/** CSS with its opaque colours as `#rrggbb`; others say by their opacity how they are meant. */
const withHexes = (css: string, under?: string) =>
  css.replace(
    /(?:rgb|oklch|oklab|lab|lch|color)\([^()/]*\)/g,
    (color) => paintOf(color, under)?.hex ?? color,
  );
