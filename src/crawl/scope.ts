import { getDomain, getDomainWithoutSuffix } from 'tldts';
import { isRouteFragment, resolveUrl } from '../html/urls.ts';
import { compilePatterns } from '../url-pattern.ts';
import { canonicalKey } from './canonical.ts';
import type { DenialReason } from './denial.ts';
import { folderOf, isBelow } from './path.ts';

export { DENIALS, type DenialReason } from './denial.ts';

/** What belongs to a crawl; the names are those of its request. */
export interface ScopeOptions {
  /** The start URL; after a redirect the same path on the host that answered, see `siteOf`. */
  startUrl: string;
  includePaths?: readonly string[] | undefined;
  excludePaths?: readonly string[] | undefined;
  maxDiscoveryDepth?: number | undefined;
  crawlEntireDomain?: boolean | undefined;
  allowExternalLinks?: boolean | undefined;
  allowSubdomains?: boolean | undefined;
  regexOnFullURL?: boolean | undefined;
}

/** The page that a link stands on. */
export interface LinkSource {
  url: string;
  /** Links between it and the start. */
  depth: number;
  isExternal?: boolean | undefined;
}

/** An address that belongs to the crawl, without its fragment unless that is a route; or why it does not belong. */
export type Verdict = { url: string; depth: number; external: boolean } | { denied: DenialReason };

/** Judges addresses by their looks alone: robots.txt, traps and what was seen already are for others to ask. */
export interface Scope {
  /** @param link as it stands in the page, or absolute */
  judge(link: string, from: LinkSource): Verdict;
  /** For addresses that are no links: the start itself, a sitemap's entries, where a redirect ended. */
  judgePage(url: string, depth?: number): Verdict;
}

const MAX_CHARACTERS = 8_192;
const DOMAIN = { allowPrivateDomains: true, extractHostname: false } as const;
/** Second-level names that every site links to, and from which nobody wants pages. */
const SOCIAL = new Set('facebook twitter linkedin instagram pinterest github calendly discord'.split(' '));
/** Files without text, or that are parts of pages. */
const FILE_ENDING = new RegExp(
  `\\.(?:${[
    'png|jpe?g|gif|ico|svg|tiff?|webp|avif|bmp|heic',
    'css|js|inc|woff2?|ttf|otf|eot',
    'zip|gz|tgz|bz2|xz|7z|rar|tar|exe|dmg|iso|msi|apk|deb|rpm|pkg|jar',
    'mp[34]|m4[av]|wav|ogg|flac|aac|avi|flv|mov|webm|mkv|wmv',
    'pptx|xlsx',
  ].join('|')})$`,
  'i',
);

const withoutWww = (host: string) => host.replace(/^www\./, '');

function isSocial(hostname: string): boolean {
  const name = getDomainWithoutSuffix(hostname, DOMAIN);
  return (name !== null && SOCIAL.has(name)) || /(?:^|\.)x\.com$/.test(hostname);
}

function isHomepage(url: string): boolean {
  const key = canonicalKey(url, { ignoreQueryParameters: false, deduplicateSimilarURLs: true });
  return /^https:\/\/[^/]+\/$/.test(key);
}

/** A path as people write it in patterns; as it is when it cannot be decoded. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}

/** How a page stands to the site: `false` part of it, `true` allowed beside it. */
function createSiteRule(start: URL, { allowSubdomains, allowExternalLinks }: ScopeOptions) {
  const startHost = withoutWww(start.host);
  const domain = getDomain(start.hostname, DOMAIN);
  return (url: URL): boolean | DenialReason => {
    if (withoutWww(url.host) === startHost) return false;
    const isSubdomain =
      domain !== null &&
      withoutWww(url.hostname) !== withoutWww(start.hostname) &&
      getDomain(url.hostname, DOMAIN) === domain;
    if (isSubdomain && allowSubdomains) return false;
    if (!allowExternalLinks) return isSubdomain ? 'subdomain' : 'external';
    if (isSocial(url.hostname)) return 'socialMedia';
    return isHomepage(url.href) ? 'externalHomepage' : true;
  };
}

/** The start path holds for the start host alone: another host has no such path. */
function createPathRule(start: URL, { crawlEntireDomain }: ScopeOptions) {
  const folder = crawlEntireDomain ? '' : folderOf(start);
  return (url: URL): boolean => isBelow(folder, url) || withoutWww(url.host) !== withoutWww(start.host);
}

function createPatternRule({ includePaths = [], excludePaths = [], regexOnFullURL }: ScopeOptions) {
  const isIncluded = includePaths.length === 0 ? () => true : compilePatterns(includePaths);
  const isExcluded = compilePatterns(excludePaths);
  return (url: URL): DenialReason | undefined => {
    const sent = regexOnFullURL ? url.href : url.pathname;
    const spellings = sent.includes('%') ? [sent, decoded(sent)] : [sent];
    if (spellings.some(isExcluded)) return 'excluded';
    return spellings.some(isIncluded) ? undefined : 'notIncluded';
  };
}

/**
 * Lays down what belongs to a crawl. Patterns hold for every page, of other hosts too.
 * @throws ServiceError `BAD_REQUEST` for a pattern that cannot be read
 */
export function createScope(options: ScopeOptions): Scope {
  const start = new URL(options.startUrl);
  const { maxDiscoveryDepth = Infinity } = options;
  const siteRule = createSiteRule(start, options);
  const isInPath = createPathRule(start, options);
  const patternRule = createPatternRule(options);

  function judgeUrl(url: URL, depth: number): Verdict {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return { denied: 'scheme' };
    if (!isRouteFragment(url.hash)) url.hash = '';
    if (depth > maxDiscoveryDepth) return { denied: 'depth' };
    const external = siteRule(url);
    if (typeof external === 'string') return { denied: external };
    if (!isInPath(url)) return { denied: 'startPath' };
    const denied = FILE_ENDING.test(url.pathname) ? 'fileType' : patternRule(url);
    return denied ? { denied } : { url: url.href, depth, external };
  }

  function judge(link: string, from: LinkSource): Verdict {
    const url = parse(link, from.url);
    if (!url) return { denied: 'unparsable' };
    if (isAnchor(url, from.url)) return { denied: 'anchor' };
    const verdict = judgeUrl(url, from.depth + 1);
    return 'url' in verdict && from.isExternal ? { denied: 'externalHop' } : verdict;
  }

  return {
    judge,
    judgePage(text, depth = 0) {
      const url = parse(text);
      return url ? judgeUrl(url, depth) : { denied: 'unparsable' };
    },
  };
}

function parse(text: string, base?: string): URL | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const address = base === undefined ? text : resolveUrl(text, base);
  const url = address === undefined ? null : URL.parse(address);
  return url && url.href.length <= MAX_CHARACTERS ? url : undefined;
}

function isAnchor(url: URL, pageUrl: string): boolean {
  if (url.hash === '' || isRouteFragment(url.hash)) return false;
  return url.href.replace(/#.*$/s, '') === pageUrl.replace(/#.*$/s, '');
}
