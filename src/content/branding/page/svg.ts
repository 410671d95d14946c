import type { PageState } from './visible-elements.ts';

/**
 * Runs in the page: serializes an inline SVG as a standalone document, with the elements that it refers to,
 * with styles from style sheets inlined, and without scripts.
 * @param options.index position in the list of `findVisibleElements`
 * @param options.shapes most elements of the SVG, and of each element that it refers to
 * @returns the SVG document and its fill and stroke colours; `undefined` for one that is too large
 */
export function serializeSvg(options: {
  index: number;
  shapes: number;
}): { source: string; colors: string[] } | undefined {
  const svg = (globalThis as PageState).winnowVisibleElements?.[options.index]?.element;
  const isWithinLimit = (element: Element) => element.querySelectorAll('*').length <= options.shapes;
  if (!svg || !isWithinLimit(svg)) return undefined;
  const CONTAINERS = /^(svg|g|defs|symbol|title|desc|stop|mask|clipPath|linearGradient|radialGradient)$/;
  const MAX_REFERENCES = 20;
  const MAX_COLORS = 10;
  const copy = document.implementation.createHTMLDocument().importNode(svg, true);
  const colors = new Set<string>();

  const originals = [svg, ...svg.querySelectorAll('*')];
  for (const [index, target] of [copy, ...copy.querySelectorAll('*')].entries()) {
    // The copy has the same elements in the same order.
    const original = originals[index]!;
    const style = getComputedStyle(original);
    const inlineStyle = (name: string, initial?: string) => {
      const value = style.getPropertyValue(name);
      if (value !== initial || target.hasAttribute(name)) target.setAttribute(name, value);
      return value;
    };
    inlineStyle('opacity', '1');
    if (original.localName === 'stop') inlineStyle('stop-color');
    if (/^(text|tspan)$/.test(original.localName))
      for (const name of ['font-family', 'font-size', 'font-weight', 'text-anchor']) inlineStyle(name);
    if (CONTAINERS.test(original.localName)) continue;
    for (const value of [inlineStyle('fill'), inlineStyle('stroke', 'none')])
      if (/^(rgb|color|okl|lab|lch)/.test(value)) colors.add(value);
    inlineStyle('fill-opacity', '1');
    inlineStyle('stroke-width', '1px');
  }
  for (const use of [...copy.querySelectorAll('use')].slice(0, MAX_REFERENCES)) {
    const [, id] = /^#(.+)/.exec(use.getAttribute('href') ?? use.getAttribute('xlink:href') ?? '') ?? [];
    const referenced = id && document.getElementById(id);
    if (referenced && isWithinLimit(referenced) && !copy.querySelector(`[id="${CSS.escape(id)}"]`))
      copy.appendChild(copy.ownerDocument.importNode(referenced, true));
  }
  for (const node of copy.querySelectorAll('script, foreignObject, style, animate, set')) node.remove();
  for (const node of [copy, ...copy.querySelectorAll('*')])
    for (const { name } of [...node.attributes])
      if (/^(on|style$|class$|data-)/i.test(name)) node.removeAttribute(name);
  const { width, height } = svg.getBoundingClientRect();
  copy.setAttribute('width', String(Math.round(width)));
  copy.setAttribute('height', String(Math.round(height)));
  copy.setAttribute('color', getComputedStyle(svg).color);
  return {
    source: new XMLSerializer().serializeToString(copy),
    colors: [...colors].slice(0, MAX_COLORS),
  };
}
