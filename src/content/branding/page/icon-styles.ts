import type { PageElement } from '../../open-page/page-dom.ts';
import { pageFunction } from '../../open-page/page-function.ts';
import { type IconStyle, IconStyles } from '../branding-data.ts';
import type { VisibleElement } from './visible-elements.ts';

/**
 * Runs in the page: collects the styles of icons: small SVGs of one colour, and glyphs of icon fonts.
 * @param limit most different styles
 */
export const collectIconStyles = pageFunction(IconStyles, (limit: number, dom): IconStyle[] => {
  const SHAPES = 'path, circle, ellipse, rect, line, polyline, polygon, use';
  const MAX_SHAPES = 12;
  /** CSS pixels. */
  const [MIN_ICON_SIZE, MAX_ICON_SIZE] = [8, 48];
  const ICON_FONT = /icon|awesome|symbol|glyph/i;
  const OUTLINED = /outline|regular|light|thin/i;
  const isPaint = (value: string) => value !== 'none' && !/^rgba\(.*, 0\)$|^url/.test(value);
  type Look = Pick<IconStyle, 'style' | 'color'>;

  const svgStyle = (svg: PageElement): Look | undefined => {
    const styles: Look[] = [];
    for (const shape of [...dom.findAll(SHAPES, svg)].slice(0, MAX_SHAPES)) {
      const { fill, stroke, display } = dom.style(shape);
      if (display === 'none') continue;
      if (isPaint(fill)) styles.push({ style: 'filled', color: fill });
      else if (isPaint(stroke)) styles.push({ style: 'outline', color: stroke });
    }
    const [first] = styles;
    // An SVG of several colours is an image such as a flag or a logo.
    return styles.every(({ color }) => color === first?.color)
      ? (styles.find(({ style }) => style === 'outline') ?? first)
      : undefined;
  };
  const fontIconStyle = ({ element, style }: VisibleElement): Look | undefined => {
    if (!/^(i|span|em)$/.test(dom.localName(element)) || dom.childElementCount(element) > 0) return undefined;
    const text = dom.textContent(element)?.trim() ?? '';
    // Most icon fonts use `::before`; ligature fonts replace a word of the text with a glyph.
    const glyphStyle = text ? style : dom.style(element, '::before');
    const isGlyph = text ? text.length <= 30 : !/^(none|normal|""|)$/.test(glyphStyle.content);
    if (!isGlyph || !ICON_FONT.test(glyphStyle.fontFamily)) return undefined;
    const isOutlined = OUTLINED.test(glyphStyle.fontFamily) || Number(glyphStyle.fontWeight) < 400;
    return { style: isOutlined ? 'outline' : 'filled', color: glyphStyle.color };
  };

  const styles = new Map<string, IconStyle>();
  for (const item of dom.keep<VisibleElement[]>('visibleElements', () => [])) {
    const { element, width, height, area, backgroundIndex } = item;
    const isSmall = Math.min(width, height) >= MIN_ICON_SIZE && Math.max(width, height) <= MAX_ICON_SIZE;
    if (!area || !isSmall) continue;
    const style = dom.localName(element) === 'svg' ? svgStyle(element) : fontIconStyle(item);
    if (!style) continue;
    const key = JSON.stringify([style, backgroundIndex]);
    const known = styles.get(key);
    if (known) known.count++;
    else if (styles.size < limit) styles.set(key, { ...style, backgroundIndex, count: 1 });
  }
  return [...styles.values()];
});
