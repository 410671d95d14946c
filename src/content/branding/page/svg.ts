import type { PageElement } from '../../open-page/page-dom.ts';
import { pageFunction } from '../../open-page/page-function.ts';
import { Drawing } from '../branding-data.ts';
import type { VisibleElement } from './visible-elements.ts';

/** Which inline SVG to serialize, and limits for it. */
interface SvgRequest {
  /** Position in the list of `findVisibleElements`. */
  index: number;
  /** Most elements of the SVG, and of each element that it refers to. */
  shapes: number;
  /** The longest document, in characters. */
  length: number;
}

/**
 * Runs in the page: serializes an inline SVG as a standalone document, with the elements that it refers to,
 * with styles from style sheets inlined, and without scripts.
 * @returns the SVG document and its fill and stroke colours; `undefined` for one that is too large
 */
export const serializeSvg = pageFunction(Drawing.optional(), ({ index, shapes, length }: SvgRequest, dom) => {
  const svg = dom.keep<VisibleElement[]>('visibleElements', () => [])[index]?.element;
  const isWithinLimit = (element: PageElement) => dom.findAll('*', element).length <= shapes;
  if (!svg || !isWithinLimit(svg)) return undefined;
  const CONTAINERS = /^(svg|g|defs|symbol|title|desc|stop|mask|clipPath|linearGradient|radialGradient)$/;
  const MAX_REFERENCES = 20;
  const MAX_COLORS = 10;
  const inertDocument = dom.createInertDocument();
  const copy = dom.copyFor(inertDocument, svg, true);
  const colors = new Set<string>();

  const originals = [svg, ...dom.findAll('*', svg)];
  for (const [position, target] of [copy, ...dom.findAll('*', copy)].entries()) {
    // The copy has the same elements in the same order.
    const original = originals[position]!;
    const localName = dom.localName(original);
    const style = dom.style(original);
    const inlineStyle = (name: string, initial?: string) => {
      const value = style.getPropertyValue(name);
      if (value !== initial || dom.hasAttribute(target, name)) dom.setAttribute(target, name, value);
      return value;
    };
    inlineStyle('opacity', '1');
    if (localName === 'stop') inlineStyle('stop-color');
    if (/^(text|tspan)$/.test(localName))
      for (const name of ['font-family', 'font-size', 'font-weight', 'text-anchor']) inlineStyle(name);
    if (CONTAINERS.test(localName)) continue;
    for (const value of [inlineStyle('fill'), inlineStyle('stroke', 'none')])
      if (/^(rgb|color|okl|lab|lch)/.test(value)) colors.add(value);
    inlineStyle('fill-opacity', '1');
    inlineStyle('stroke-width', '1px');
  }
  for (const use of [...dom.findAll('use', copy)].slice(0, MAX_REFERENCES)) {
    const link = dom.attribute(use, 'href') ?? dom.attribute(use, 'xlink:href') ?? '';
    const [, id] = /^#(.+)/.exec(link) ?? [];
    const selector = id && `[id="${CSS.escape(id)}"]`;
    const referenced = selector && dom.find(selector);
    if (referenced && isWithinLimit(referenced) && !dom.findAll(selector, copy).length)
      dom.append(copy, dom.copyFor(inertDocument, referenced, true));
  }
  for (const node of dom.findAll('script, foreignObject, style, animate, set', copy)) dom.remove(node);
  for (const node of [copy, ...dom.findAll('*', copy)])
    for (const name of dom.attributeNames(node))
      if (/^(on|style$|class$|data-)/i.test(name)) dom.removeAttribute(node, name);
  const { width, height } = dom.rect(svg);
  dom.setAttribute(copy, 'width', String(Math.round(width)));
  dom.setAttribute(copy, 'height', String(Math.round(height)));
  dom.setAttribute(copy, 'color', dom.style(svg).color);
  const source = dom.serialize(copy);
  return source.length <= length ? { source, colors: [...colors].slice(0, MAX_COLORS) } : undefined;
});
