import type { Document } from 'domhandler';
import { findOne } from 'domutils';

/** The URL that relative URLs of a page are resolved against: its `<base>`, else its own URL. */
export function documentBaseUrl(document: Document, pageUrl: string): string {
  const element = findOne(({ name, attribs }) => name === 'base' && Boolean(attribs.href), document.children);
  const href = element?.attribs.href;
  return (href && URL.parse(href, pageUrl)?.href) || pageUrl;
}

/** Resolves a URL; `undefined` if it is invalid. A slash missing after the scheme is added. */
export function resolveUrl(url: string, base: string): string | undefined {
  const repaired = url.trim().replace(/^(https?:)\/(?!\/)/i, '$1//');
  return URL.parse(repaired, base)?.href;
}

/**
 * Whether a fragment is the route of a single-page application (`#/users`, `#!users`) instead of an anchor.
 * @param hash with its number sign, or empty
 */
export function isRouteFragment(hash: string): boolean {
  return hash.startsWith('#/') || hash.startsWith('#!');
}
