import type { MapRequest } from '../../../schemas/map.ts';
import { createScope, type ScopeDecision } from '../scope.ts';
import { folderPath, isBelow } from '../url-path.ts';

/** Decides which URLs belong to a map. */
export interface MapScope {
  /** Resolves a link of a page. @returns its absolute URL, or `undefined` if it does not belong to the map */
  acceptLink(link: string, pageUrl: string): string | undefined;
  /**
   * The same for a URL that is not a link: the start URL, a sitemap entry or a URL known from earlier jobs.
   */
  acceptPage(url: string): string | undefined;
  /** The path that all links must lie below; empty for the whole site. */
  readonly folder: string;
}

/** The options of a map request that limit which URLs belong to the map. */
export type MapScopeOptions = Pick<
  MapRequest,
  'includeSubdomains' | 'filterByPath' | 'includePaths' | 'excludePaths' | 'regexOnFullURL'
>;

/**
 * Creates the scope of a map. It differs from the scope of a crawl in one point: with `filterByPath`, the
 * start path applies to all hosts of the site.
 * @param base the requested URL on the host that responded, see `startUrlAfterRedirect`
 */
export function createMapScope(base: string, options: MapScopeOptions): MapScope {
  const scope = createScope({
    startUrl: base,
    includePaths: options.includePaths,
    excludePaths: options.excludePaths,
    regexOnFullURL: options.regexOnFullURL,
    allowSubdomains: options.includeSubdomains,
    crawlEntireDomain: true,
  });
  const folder = options.filterByPath ? folderPath(new URL(base)) : '';
  const acceptedUrl = (decision: ScopeDecision): string | undefined =>
    'url' in decision && isBelow(folder, new URL(decision.url)) ? decision.url : undefined;
  return {
    acceptLink: (link, pageUrl) => acceptedUrl(scope.checkLink(link, { url: pageUrl, depth: 0 })),
    acceptPage: (url) => acceptedUrl(scope.checkPage(url)),
    folder,
  };
}
