import type { Graph } from './options.ts';

/** A crawl of one of the site's graphs, as a request to the API: no sitemaps, for those who are beside us read none. */
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
