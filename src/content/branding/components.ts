import type { Button, Control, Styles } from './branding-data.ts';
import { omitUndefined } from './omit-undefined.ts';
import {
  colorDistance,
  isColorful,
  type Paint,
  parseGradientStops,
  parsePaint,
  resolveBackgrounds,
} from './paint.ts';

/** The style of a control. Colours are `#rrggbb` or `transparent`, other values are CSS. */
export interface Component {
  background: string;
  /** CSS with `#rrggbb` colours, the first of which is `background`. */
  gradient?: string;
  textColor?: string;
  borderColor?: string;
  borderRadius: string;
  shadow?: string;
}

/** Controls that show the brand of a page. */
export interface Components {
  buttonPrimary?: Component;
  buttonSecondary?: Component;
  input?: Component;
}

/** Class names that tell primary from secondary buttons. */
const PRIMARY_CLASS = /(^|[\s_-])(primary|cta|main|submit)([\s_-]|$)/;
const SECONDARY_CLASS = /(^|[\s_-])(secondary|outline|ghost|link|tertiary|light)([\s_-]|$)/;
/** Border styles that browsers give to unstyled controls. */
const DEFAULT_BORDER_STYLE = /^(outset|inset)$/;

interface StyleGroup {
  component: Component;
  fill: Paint | undefined;
  score: number;
}

/** Finds the styles of the primary and secondary button and of input fields. */
export function analyzeComponents(styles: Styles, primary: string | undefined): Components {
  const backgrounds = resolveBackgrounds(styles.backgrounds);
  const brand = primary ? parsePaint(primary) : undefined;
  const buttonGroups = groupByStyle(styles.buttons.filter(isStyled), (button) => {
    const fill = resolveFill(button, backgrounds);
    const score = scoreButton(button, { fill, brand, canvas: backgrounds[0] });
    return { component: describeComponent(button, backgrounds), fill, score };
  });
  const inputGroups = groupByStyle(styles.inputs.filter(isStyled), (input) => ({
    component: describeComponent(input, backgrounds),
    fill: undefined,
    score: Math.sqrt(input.area),
  }));
  const [first] = buttonGroups;
  const second = buttonGroups.slice(1).find((group) => first && isDistinctStyle(group, first));
  // A button without a fill is a secondary one, even where the page has no other.
  const isSecondaryOnly =
    first && !first.fill && !second && styles.buttons.some(({ hints }) => SECONDARY_CLASS.test(hints));
  return omitUndefined({
    buttonPrimary: isSecondaryOnly ? undefined : first?.component,
    buttonSecondary: isSecondaryOnly ? first.component : second?.component,
    input: inputGroups[0]?.component,
  });
}

const isStyled = ({ borderStyle }: Control) => !DEFAULT_BORDER_STYLE.test(borderStyle);

/** Groups controls by style, the group with the highest score first. */
function groupByStyle<Kind extends Control>(
  controls: Kind[],
  describe: (control: Kind) => StyleGroup,
): StyleGroup[] {
  const buttonGroups = new Map<string, StyleGroup>();
  for (const control of controls) {
    const group = describe(control);
    const key = JSON.stringify({ ...group.component, shadow: undefined });
    const known = buttonGroups.get(key);
    // Repetition adds little: a list of equal buttons is not the primary action.
    if (known) known.score = Math.max(known.score, group.score) + 0.1 * Math.min(known.score, group.score);
    else buttonGroups.set(key, group);
  }
  return [...buttonGroups.values()].sort((one, other) => other.score - one.score);
}

/** Scores how likely a button is the primary action. */
function scoreButton(
  { hints, region, area }: Button,
  paints: Record<'fill' | 'brand' | 'canvas', Paint | undefined>,
) {
  const { fill, brand, canvas } = paints;
  const isBrand = fill && brand && colorDistance(fill, brand) < 8;
  const standsOut = fill && canvas && colorDistance(fill, canvas) > 20;
  return (
    Math.min(3, Math.sqrt(area) / 50) *
    (isBrand ? 4 : 1) *
    (fill ? 2 : 1) *
    (fill && isColorful(fill) ? 1.5 : 1) *
    (standsOut ? 1.5 : 1) *
    (PRIMARY_CLASS.test(hints) ? 2 : 1) *
    (SECONDARY_CLASS.test(hints) ? 0.5 : 1) *
    (region === 'footer' ? 0.5 : 1)
  );
}

/** Whether two styles are different kinds of button rather than sizes of one. */
function isDistinctStyle(one: StyleGroup, other: StyleGroup): boolean {
  if (!one.fill || !other.fill)
    return one.fill !== other.fill || one.component.borderColor !== other.component.borderColor;
  return colorDistance(one.fill, other.fill) > 5;
}

function resolveFill(
  { background, gradient, backgroundIndex }: Control,
  backgrounds: Paint[],
): Paint | undefined {
  const backdrop = backgrounds[backgroundIndex]?.hex;
  return parseGradientStops(gradient, backdrop)[0] ?? parsePaint(background, backdrop);
}

function describeComponent(control: Control, backgrounds: Paint[]): Component {
  const { gradient, color, borderColor, radius, shadow, backgroundIndex } = control;
  const fill = resolveFill(control, backgrounds);
  const backdrop = fill?.hex ?? backgrounds[backgroundIndex]?.hex;
  return {
    background: fill?.hex ?? 'transparent',
    borderRadius: radius,
    ...omitUndefined({
      gradient:
        gradient && parseGradientStops(gradient).length
          ? replaceColorsWithHex(gradient, backgrounds[backgroundIndex]?.hex)
          : undefined,
      textColor: parsePaint(color, backdrop)?.hex,
      borderColor: parsePaint(borderColor, backdrop)?.hex,
      shadow: shadow ? replaceColorsWithHex(shadow) : undefined,
    }),
  };
}

/**
 * Replaces the opaque colours in CSS with `#rrggbb`. Translucent ones stay, because their opacity carries
 * meaning.
 */
const replaceColorsWithHex = (css: string, backdrop?: string) =>
  css.replace(
    /(?:rgb|oklch|oklab|lab|lch|color)\([^()/]*\)/g,
    (color) => parsePaint(color, backdrop)?.hex ?? color,
  );
