import { getDomain, getDomainWithoutSuffix } from 'tldts';
import { isRouteFragment, resolveUrl } from '../../content/html/urls.ts';
import { canonicalKey } from './canonical-key.ts';
import type { SkipReason } from './skip-reason.ts';
import { folderPath, isBelow } from './url-path.ts';

/** The options of a crawl request that decide which URLs belong to the crawl. */
export interface ScopeOptions {
  /**
   * The start URL. After a redirect, it is the same path on the host that responded; see
   * `startUrlAfterRedirect`.
   */
  startUrl: string;
  maxDiscoveryDepth?: number | undefined;
  crawlEntireDomain?: boolean | undefined;
  allowExternalLinks?: boolean | undefined;
  allowSubdomains?: boolean | undefined;
}

/** The page that contains a link. */
export interface LinkSource {
  url: string;
  /** Number of links between the start page and this page. */
  depth: number;
  isExternal?: boolean | undefined;
}

/**
 * A URL that belongs to the crawl, or the reason why it does not. The URL has no fragment, unless the
 * fragment is a route of a single-page application.
 */
export type ScopeDecision = { url: string; depth: number; external: boolean } | { skipReason: SkipReason };

/**
 * Decides by site, path and depth. Callers apply `includePaths` and `excludePaths` (`PathPatterns`), and
 * check robots.txt, crawler traps and duplicates themselves.
 */
export interface Scope {
  /** Decides about a link. @param link a relative URL as written in the page, or an absolute URL */
  checkLink(link: string, from: LinkSource): ScopeDecision;
  /** Decides about a URL that is not a link: the start URL, a sitemap entry or the target of a redirect. */
  checkPage(url: string, depth?: number): ScopeDecision;
}

const MAX_URL_CHARACTERS = 8_192;
const DOMAIN_OPTIONS = { allowPrivateDomains: true, extractHostname: false } as const;
/** Domain names without their suffix that many sites link to and that are never crawled as external links. */
const SOCIAL_DOMAIN_NAMES = new Set(
  'facebook twitter linkedin instagram pinterest github calendly discord'.split(' '),
);
/**
 * File extensions without text of their own, or of files that are parts of pages (images, styles, scripts).
 */
const FILE_ENDING = new RegExp(
  `\\.(?:${[
    'png|jpe?g|gif|ico|svg|tiff?|webp|avif|bmp|heic',
    'css|js|inc|woff2?|ttf|otf|eot',
    'zip|gz|tgz|bz2|xz|7z|rar|tar|exe|dmg|iso|msi|apk|deb|rpm|pkg|jar',
    'mp[34]|m4[av]|wav|ogg|flac|aac|avi|flv|mov|webm|mkv|wmv',
  ].join('|')})$`,
  'i',
);

const withoutWww = (host: string) => host.replace(/^www\./, '');

function isSocial(hostname: string): boolean {
  const name = getDomainWithoutSuffix(hostname, DOMAIN_OPTIONS);
  return (name !== null && SOCIAL_DOMAIN_NAMES.has(name)) || /(?:^|\.)x\.com$/.test(hostname);
}

function isHomepage(url: string): boolean {
  const key = canonicalKey(url, { ignoreQueryParameters: false, deduplicateSimilarURLs: true });
  return /^https:\/\/[^/]+\/$/.test(key);
}

/**
 * Creates the rule that compares a page's host with the site: `false` for a page of the site, `true` for an
 * external page that the crawl may visit, otherwise the reason why the page is left out.
 */
function createSiteRule(start: URL, { allowSubdomains, allowExternalLinks }: ScopeOptions) {
  const startHost = withoutWww(start.host);
  const domain = getDomain(start.hostname, DOMAIN_OPTIONS);
  return (url: URL): boolean | SkipReason => {
    if (withoutWww(url.host) === startHost) return false;
    const isSubdomain =
      domain !== null &&
      withoutWww(url.hostname) !== withoutWww(start.hostname) &&
      getDomain(url.hostname, DOMAIN_OPTIONS) === domain;
    if (isSubdomain && allowSubdomains) return false;
    if (!allowExternalLinks) return isSubdomain ? 'subdomain' : 'external';
    if (isSocial(url.hostname)) return 'socialMedia';
    return isHomepage(url.href) ? 'externalHomepage' : true;
  };
}

/** Only pages of the start host must lie below the start path, because other hosts do not share its paths. */
function createPathRule(start: URL, { crawlEntireDomain }: ScopeOptions) {
  const folder = crawlEntireDomain ? '' : folderPath(start);
  return (url: URL): boolean => isBelow(folder, url) || withoutWww(url.host) !== withoutWww(start.host);
}

/** Creates the scope of a crawl. */
export function createScope(options: ScopeOptions): Scope {
  const start = new URL(options.startUrl);
  const { maxDiscoveryDepth = Infinity } = options;
  const siteRule = createSiteRule(start, options);
  const isInPath = createPathRule(start, options);

  function checkUrl(url: URL, depth: number): ScopeDecision {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return { skipReason: 'scheme' };
    if (!isRouteFragment(url.hash)) url.hash = '';
    if (depth > maxDiscoveryDepth) return { skipReason: 'depth' };
    const external = siteRule(url);
    if (typeof external === 'string') return { skipReason: external };
    if (!isInPath(url)) return { skipReason: 'startPath' };
    if (FILE_ENDING.test(url.pathname)) return { skipReason: 'fileType' };
    return { url: url.href, depth, external };
  }

  function checkLink(link: string, from: LinkSource): ScopeDecision {
    const url = parse(link, from.url);
    if (!url) return { skipReason: 'unparsable' };
    if (isAnchor(url, from.url)) return { skipReason: 'anchor' };
    const decision = checkUrl(url, from.depth + 1);
    return 'url' in decision && from.isExternal ? { skipReason: 'externalHop' } : decision;
  }

  return {
    checkLink,
    checkPage(text, depth = 0) {
      const url = parse(text);
      return url ? checkUrl(url, depth) : { skipReason: 'unparsable' };
    },
  };
}

function parse(text: string, base?: string): URL | undefined {
  if (text.length > MAX_URL_CHARACTERS) return undefined;
  const absoluteUrl = base === undefined ? text : resolveUrl(text, base);
  const url = absoluteUrl === undefined ? null : URL.parse(absoluteUrl);
  return url && url.href.length <= MAX_URL_CHARACTERS ? url : undefined;
}

function isAnchor(url: URL, pageUrl: string): boolean {
  if (url.hash === '' || isRouteFragment(url.hash)) return false;
  return url.href.replace(/#.*$/s, '') === pageUrl.replace(/#.*$/s, '');
}
