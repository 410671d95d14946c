import type { RenderPool } from '../../../content/rendering/render-pool.ts';
import type { MapRequest } from '../../../schemas/map.ts';
import { PathPatterns } from '../path-patterns.ts';
import { createScope, type ScopeDecision } from '../scope.ts';
import { folderPath, isBelow } from '../url-path.ts';

/** Decides which URLs belong to a map. */
export interface MapScope {
  /** Resolves the links of a page. @returns the absolute URLs of those that belong to the map */
  acceptLinks(links: readonly string[], pageUrl: string): Promise<string[]>;
  /**
   * The same for URLs that are not links: the start URL, sitemap entries and URLs known from earlier jobs.
   */
  acceptPages(urls: readonly string[]): Promise<string[]>;
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
 * @param matching the threads for patterns that may take long, on whose behalf they work, and what ends them
 */
export function createMapScope(
  base: string,
  options: MapScopeOptions,
  matching: { renderer: Pick<RenderPool, 'match'>; owner: string; signal: AbortSignal },
): MapScope {
  const scope = createScope({
    startUrl: base,
    allowSubdomains: options.includeSubdomains,
    crawlEntireDomain: true,
  });
  const folder = options.filterByPath ? folderPath(new URL(base)) : '';
  const patterns = new PathPatterns(options);
  async function acceptedUrls(decisions: ScopeDecision[]): Promise<string[]> {
    const { renderer, owner, signal } = matching;
    const applied = await patterns.apply(decisions, renderer, { owner, urgent: true, signal });
    return applied.flatMap((decision) =>
      'url' in decision && isBelow(folder, new URL(decision.url)) ? [decision.url] : [],
    );
  }
  return {
    acceptLinks: (links, pageUrl) =>
      acceptedUrls(links.map((link) => scope.checkLink(link, { url: pageUrl, depth: 0 }))),
    acceptPages: (urls) => acceptedUrls(urls.map((url) => scope.checkPage(url))),
    folder,
  };
}
