import { isRouteFragment } from '../../content/html/urls.ts';
import { isIrrelevantParameter } from '../../url/irrelevant-parameters.ts';
import { normalizeEncoding, trailingSlashIndex, trimPath } from './url-path.ts';

/** The crawl options that decide which URLs count as the same page. */
export interface CanonicalOptions {
  ignoreQueryParameters: boolean;
  deduplicateSimilarURLs: boolean;
}

/** Session IDs in paths: Java servlets append them after a semicolon, ASP.NET adds a path segment. */
const SERVLET_SESSION = /;jsessionid=[^/;]*/gi;
const ASP_SESSION = /\/\(S\([a-z0-9]{16,}\)\)(?=\/|$)/gi;

function normalizeQuery(search: string): string {
  if (search.length < 2) return '';
  const parameters: [name: string, whole: string][] = [];
  for (const part of normalizeEncoding(search.slice(1)).replaceAll('%20', '+').split('&')) {
    const equals = part.indexOf('=');
    const name = equals < 0 ? part : part.slice(0, equals);
    const value = equals < 0 ? '' : part.slice(equals + 1);
    if (part !== '' && !isIrrelevantParameter(name, value)) parameters.push([name, part]);
  }
  if (parameters.length === 0) return '';
  // Sorted by name only, because the order of several values of one name may have a meaning.
  parameters.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `?${parameters.map(([, whole]) => whole).join('&')}`;
}

/** The origin with a fixed scheme and without `www`, trailing dots and default ports. */
function normalizeOrigin({ hostname, port }: URL): string {
  const host = hostname.replace(/\.+$/, '').replace(/^(?:www\.)+(?=[^.]+\.)/, '');
  return `https://${host}${port === '' || port === '80' || port === '443' ? '' : `:${port}`}`;
}

function normalizePagePath(url: URL): string {
  const path = normalizeEncoding(url.pathname);
  if (!path.includes(';') && !path.includes('(')) return trimPath(path) || '/';
  // The path is assigned to the URL, so that remaining `.` and `..` segments are resolved.
  url.pathname = path.replace(SERVLET_SESSION, '').replace(ASP_SESSION, '');
  return trimPath(url.pathname) || '/';
}

function normalizeRoute({ hash }: URL): string {
  if (!isRouteFragment(hash)) return '';
  const route = hash.slice(0, trailingSlashIndex(hash));
  return route === '#' || route === '#!' ? '' : route;
}

/**
 * The key that identifies a page in a crawl: URLs with equal keys are the same page. A key has the form of a
 * URL but must not be fetched. The key of a key is that key, unchanged. User names, passwords and fragments
 * are removed, except fragments that are routes of a single-page application. With `deduplicateSimilarURLs`,
 * URLs have the same key if they differ only in http or https, `www`, default ports, trailing slashes or
 * index files, percent-encoding, the order of query parameters, session IDs or tracking parameters.
 */
export function canonicalKey(url: string, options: CanonicalOptions): string {
  const parsed = URL.parse(url);
  if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return url;
  const query = options.ignoreQueryParameters ? '' : parsed.search;
  if (!options.deduplicateSimilarURLs)
    return parsed.origin + parsed.pathname + query + (isRouteFragment(parsed.hash) ? parsed.hash : '');
  return normalizeOrigin(parsed) + normalizePagePath(parsed) + normalizeQuery(query) + normalizeRoute(parsed);
}
