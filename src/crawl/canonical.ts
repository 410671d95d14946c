import { isRouteFragment } from '../html/urls.ts';
import { isIrrelevantParameter } from '../url-parameters.ts';
import { endBeforeSlashes, normalizeEncoding, trimPath } from './path.ts';

/** What counts as the same page; the names are those of a crawl's options. */
export interface CanonicalOptions {
  ignoreQueryParameters: boolean;
  deduplicateSimilarURLs: boolean;
}

/** Servlet containers write the session behind a semicolon, ASP.NET as a folder of its own. */
const SERVLET_SESSION = /;jsessionid=[^/;]*/gi;
const ASP_SESSION = /\/\(S\([a-z0-9]{16,}\)\)(?=\/|$)/gi;

function similarQuery(search: string): string {
  if (search.length < 2) return '';
  const parameters: [name: string, whole: string][] = [];
  for (const part of normalizeEncoding(search.slice(1)).replaceAll('%20', '+').split('&')) {
    const equals = part.indexOf('=');
    const name = equals < 0 ? part : part.slice(0, equals);
    const value = equals < 0 ? '' : part.slice(equals + 1);
    if (part !== '' && !isIrrelevantParameter(name, value)) parameters.push([name, part]);
  }
  if (parameters.length === 0) return '';
  // By name only: two values of one name may mean something by their order.
  parameters.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `?${parameters.map(([, whole]) => whole).join('&')}`;
}

/** No scheme to tell apart, no `www`, no dot at the end, no port that either scheme has by itself. */
function similarOrigin({ hostname, port }: URL): string {
  const host = hostname.replace(/\.+$/, '').replace(/^(?:www\.)+(?=[^.]+\.)/, '');
  return `https://${host}${port === '' || port === '80' || port === '443' ? '' : `:${port}`}`;
}

function similarPath(url: URL): string {
  const path = normalizeEncoding(url.pathname);
  if (!path.includes(';') && !path.includes('(')) return trimPath(path) || '/';
  // Assigned to the address, so that dots left behind are resolved.
  url.pathname = path.replace(SERVLET_SESSION, '').replace(ASP_SESSION, '');
  return trimPath(url.pathname) || '/';
}

function similarRoute({ hash }: URL): string {
  if (!isRouteFragment(hash)) return '';
  const route = hash.slice(0, endBeforeSlashes(hash));
  return route === '#' || route === '#!' ? '' : route;
}

/**
 * The key under which a crawl knows a page; equal keys are one page. A key is an address again, though none to fetch,
 * and the key of itself. Fragments are dropped unless they are routes; user names and passwords are dropped.
 * With `deduplicateSimilarURLs` addresses are one that differ only in http or https, `www`, default ports, slashes or
 * index files at the end, percent-encoding, order of the query, sessions or trackers.
 */
export function canonicalKey(url: string, options: CanonicalOptions): string {
  const parsed = URL.parse(url);
  if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return url;
  const query = options.ignoreQueryParameters ? '' : parsed.search;
  if (!options.deduplicateSimilarURLs)
    return parsed.origin + parsed.pathname + query + (isRouteFragment(parsed.hash) ? parsed.hash : '');
  return similarOrigin(parsed) + similarPath(parsed) + similarQuery(query) + similarRoute(parsed);
}
