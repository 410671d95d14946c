import type { Document, Element } from 'domhandler';
import { isUploadUrl } from '../upload-url.ts';
import { listElements } from './element-list.ts';

/** The URL that relative URLs of a page are resolved against: its `<base>`, else its own URL. */
export function documentBaseUrl(document: Document, pageUrl: string): string {
  const href = listElements(document).find(isBase)?.attribs.href;
  return (href && URL.parse(href, pageUrl)?.href) || pageUrl;
}

const isBase = ({ name, attribs }: Element) => name === 'base' && Boolean(attribs.href);

/**
 * Resolves a URL; `undefined` if it is invalid. A slash missing after the scheme is added. A URL that is
 * relative to an uploaded file stays relative, because the file has no place on the web.
 */
export function resolveUrl(url: string, base: string): string | undefined {
  const repaired = url.trim().replace(/^(https?:)\/(?!\/)/i, '$1//');
  const resolved = URL.parse(repaired, base);
  if (!resolved) return undefined;
  return isUploadUrl(resolved) ? repaired : resolved.href;
}

/** Whether a resolved URL is relative, as URLs in uploaded files may be. */
export const isRelative = (url: string) => !URL.canParse(url);

/**
 * Whether a fragment is the route of a single-page application (`#/users`, `#!users`) instead of an anchor.
 * @param hash with its number sign, or empty
 */
export function isRouteFragment(hash: string): boolean {
  return hash.startsWith('#/') || hash.startsWith('#!');
}
