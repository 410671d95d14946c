import { selectOne } from 'css-select';
import { type Document, Element } from 'domhandler';

/** What relative addresses of a page refer to: its `<base>`, else its own address. */
export function baseOf(document: Document, pageUrl: string): string {
  const element: unknown = selectOne('base[href]', document);
  const href = element instanceof Element ? element.attribs.href : undefined;
  return (href && URL.parse(href, pageUrl)?.href) || pageUrl;
}

/** An address made absolute; `undefined` for what is none. A slash lost after the scheme is put back. */
export function resolve(address: string, base: string): string | undefined {
  const repaired = address.trim().replace(/^(https?:)\/(?!\/)/i, '$1//');
  return URL.parse(repaired, base)?.href;
}

/** The address of the largest candidate of a `srcset` (HTML standard, 4.8.4.2.2: width or density descriptors). */
export function largestCandidate(srcset: string | undefined): string | undefined {
  const candidates = [...(srcset ?? '').matchAll(/\s*([^\s,]\S*[^\s,])(?:\s+([\d.]+)[wx])?\s*(?:,|$)/g)];
  let best: string | undefined;
  let bestSize = -1;
  for (const [, address, size] of candidates) {
    if (Number(size ?? 1) > bestSize) {
      best = address;
      bestSize = Number(size ?? 1);
    }
  }
  return best;
}
