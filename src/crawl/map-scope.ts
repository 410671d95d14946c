import type { MapRequest } from '../schemas/map.ts';
import { folderOf, isBelow } from './path.ts';
import { createScope } from './scope.ts';

/** Tells which addresses belong to a map. */
export interface MapScope {
  /** @returns the address of a link as it is followed, or `undefined` when it does not belong */
  ofLink(link: string, pageUrl: string): string | undefined;
  /** The same for addresses that are no links: the start, a sitemap's, those known from before. */
  ofPage(url: string): string | undefined;
  /** The path that all links lie below; empty for the whole site. */
  readonly folder: string;
}

/** Which options of a request draw the line. */
export type MapScopeOptions = Pick<
  MapRequest,
  'includeSubdomains' | 'filterByPath' | 'includePaths' | 'excludePaths' | 'regexOnFullURL'
>;

/**
 * A crawl's scope, but for the path: here it holds on all hosts of the site.
 * @param base the URL that was asked for, on the host that answered
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
  const folder = options.filterByPath ? folderOf(new URL(base)) : '';
  const accepted = (verdict: ReturnType<typeof scope.judge>): string | undefined =>
    'url' in verdict && isBelow(folder, new URL(verdict.url)) ? verdict.url : undefined;
  return {
    ofLink: (link, pageUrl) => accepted(scope.judge(link, { url: pageUrl, depth: 0 })),
    ofPage: (url) => accepted(scope.judgePage(url)),
    folder,
  };
}
