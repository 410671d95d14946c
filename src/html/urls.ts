import type { Document } from 'domhandler';
import { findOne } from 'domutils';

/** What relative addresses of a page refer to: its `<base>`, else its own address. */
export function documentBaseUrl(document: Document, pageUrl: string): string {
  const element = findOne(({ name, attribs }) => name === 'base' && Boolean(attribs.href), document.children);
  const href = element?.attribs.href;
  return (href && URL.parse(href, pageUrl)?.href) || pageUrl;
}

/** An address made absolute; `undefined` for what is none. A slash lost after the scheme is put back. */
export function resolveUrl(address: string, base: string): string | undefined {
  const repaired = address.trim().replace(/^(https?:)\/(?!\/)/i, '$1//');
  return URL.parse(repaired, base)?.href;
}

/**
 * Whether a fragment names a page of its own, as in applications that keep their route there (`#/users`, `#!users`),
 * rather than a place in the page.
 * @param hash with its number sign, or empty
 */
export function isRouteFragment(hash: string): boolean {
  return hash.startsWith('#/') || hash.startsWith('#!');
}
