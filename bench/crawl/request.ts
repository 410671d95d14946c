import type { Graph } from './options.ts';

/**
 * The request for a crawl of one of the site's graphs. It skips sitemaps, because the other crawlers read
 * none.
 */
export function crawlRequest(options: { siteUrl: string; graph: Graph; pages: number }) {
  const { siteUrl, graph, pages } = options;
  return {
    url: `${siteUrl}/${graph}/0`,
    limit: pages,
    crawlEntireDomain: true,
    includePaths: [`^/${graph}/\\d+$`],
    sitemap: 'skip',
  } as const;
}
