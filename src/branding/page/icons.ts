import type { IconLook } from '../survey.ts';
import type { Left, Seen } from './seen.ts';

/**
 * Runs in the page: the icons among what `seeElements` has found: small drawings of one colour, and signs of icon fonts.
 * @param most different looks
 */
export function surveyIcons(most: number): IconLook[] {
  const SHAPES = 'path, circle, ellipse, rect, line, polyline, polygon, use';
  const MOST_SHAPES = 12;
  /** CSS pixels. */
  const [SMALLEST, LARGEST] = [8, 48];
  const ICON_FONT = /icon|awesome|symbol|glyph/i;
  const OUTLINED = /outline|regular|light|thin/i;
  const isPaint = (value: string) => value !== 'none' && !/^rgba\(.*, 0\)$|^url/.test(value);
  type Look = Pick<IconLook, 'style' | 'color'>;

  const drawn = (svg: Element): Look | undefined => {
    const looks: Look[] = [];
    for (const shape of [...svg.querySelectorAll(SHAPES)].slice(0, MOST_SHAPES)) {
      const { fill, stroke, display } = getComputedStyle(shape);
      if (display === 'none') continue;
      if (isPaint(fill)) looks.push({ style: 'filled', color: fill });
      else if (isPaint(stroke)) looks.push({ style: 'outline', color: stroke });
    }
    const [first] = looks;
    // What has several colours is a picture: a flag, a logo.
    return looks.every(({ color }) => color === first?.color)
      ? (looks.find(({ style }) => style === 'outline') ?? first)
      : undefined;
  };
  const written = ({ element, style }: Seen): Look | undefined => {
    if (!/^(i|span|em)$/.test(element.localName) || element.childElementCount > 0) return undefined;
    const text = element.textContent?.trim() ?? '';
    // Signs stand before nothing; some fonts draw a word of theirs as a sign.
    const sign = text ? style : getComputedStyle(element, '::before');
    const isSign = text ? text.length <= 30 : !/^(none|normal|""|)$/.test(sign.content);
    if (!isSign || !ICON_FONT.test(sign.fontFamily)) return undefined;
    const isOutlined = OUTLINED.test(sign.fontFamily) || Number(sign.fontWeight) < 400;
    return { style: isOutlined ? 'outline' : 'filled', color: sign.color };
  };

  const looks = new Map<string, IconLook>();
  for (const one of (globalThis as Left).winnowSeen ?? []) {
    const { element, width, height, area, ground } = one;
    const isSmall = Math.min(width, height) >= SMALLEST && Math.max(width, height) <= LARGEST;
    if (!area || !isSmall) continue;
    const look = element.localName === 'svg' ? drawn(element) : written(one);
    if (!look) continue;
    const key = JSON.stringify([look, ground]);
    const known = looks.get(key);
    if (known) known.count++;
    else if (looks.size < most) looks.set(key, { ...look, ground, count: 1 });
  }
  return [...looks.values()];
}
