import type { Left } from './seen.ts';

/**
 * Runs in the page: a drawing as one can take it along: with what it refers to, in the colours that style sheets give
 * it, and without scripts.
 * @param asked.index at which `seeElements` has found it
 * @param asked.shapes the most that it may have, and each of what it refers to
 * @returns an SVG document, and what it is drawn in; `undefined` for one that is too large
 */
export function takeDrawing(asked: {
  index: number;
  shapes: number;
}): { source: string; colors: string[] } | undefined {
  const svg = (globalThis as Left).winnowSeen?.[asked.index]?.element;
  const isSmall = (element: Element) => element.querySelectorAll('*').length <= asked.shapes;
  if (!svg || !isSmall(svg)) return undefined;
  const CONTAINERS = /^(svg|g|defs|symbol|title|desc|stop|mask|clipPath|linearGradient|radialGradient)$/;
  const MOST_REFERENCES = 20;
  const MOST_COLORS = 10;
  const copy = document.implementation.createHTMLDocument().importNode(svg, true);
  const colors = new Set<string>();

  const originals = [svg, ...svg.querySelectorAll('*')];
  for (const [index, target] of [copy, ...copy.querySelectorAll('*')].entries()) {
    // A copy has as many parts.
    const original = originals[index]!;
    const style = getComputedStyle(original);
    const keep = (name: string, usual?: string) => {
      const value = style.getPropertyValue(name);
      if (value !== usual || target.hasAttribute(name)) target.setAttribute(name, value);
      return value;
    };
    keep('opacity', '1');
    if (original.localName === 'stop') keep('stop-color');
    if (/^(text|tspan)$/.test(original.localName))
      for (const name of ['font-family', 'font-size', 'font-weight', 'text-anchor']) keep(name);
    if (CONTAINERS.test(original.localName)) continue;
    for (const value of [keep('fill'), keep('stroke', 'none')])
      if (/^(rgb|color|okl|lab|lch)/.test(value)) colors.add(value);
    keep('fill-opacity', '1');
    keep('stroke-width', '1px');
  }
  for (const use of [...copy.querySelectorAll('use')].slice(0, MOST_REFERENCES)) {
    const [, id] = /^#(.+)/.exec(use.getAttribute('href') ?? use.getAttribute('xlink:href') ?? '') ?? [];
    const meant = id && document.getElementById(id);
    if (meant && isSmall(meant) && !copy.querySelector(`[id="${CSS.escape(id)}"]`))
      copy.appendChild(copy.ownerDocument.importNode(meant, true));
  }
  for (const part of copy.querySelectorAll('script, foreignObject, style, animate, set')) part.remove();
  for (const part of [copy, ...copy.querySelectorAll('*')])
    for (const { name } of [...part.attributes])
      if (/^(on|style$|class$|data-)/i.test(name)) part.removeAttribute(name);
  const { width, height } = svg.getBoundingClientRect();
  copy.setAttribute('width', String(Math.round(width)));
  copy.setAttribute('height', String(Math.round(height)));
  copy.setAttribute('color', getComputedStyle(svg).color);
  return {
    source: new XMLSerializer().serializeToString(copy),
    colors: [...colors].slice(0, MOST_COLORS),
  };
}
