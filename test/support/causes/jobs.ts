import type { BrokenRequest, CauseSite } from './broken-request.ts';

const crawl =
  (path: string, options: Record<string, unknown> = {}) =>
  ({ url }: CauseSite) => ({ url: url + path, limit: 10, ...options });

/** Crawls that find less than was expected. */
export const BROKEN_JOBS: BrokenRequest[] = [
  {
    name: 'robots.txt that disallows the start',
    question: 'Why does the crawl find nothing?',
    path: '/v2/crawl',
    body: crawl('/private/'),
    cause: [/robots\.txt/],
  },
  {
    name: 'includePaths that no page has',
    question: 'Why does the crawl find one page only?',
    path: '/v2/crawl',
    body: crawl('/list', { includePaths: ['^/article/'] }),
    cause: [/includePaths/],
    fix: { includePaths: [] },
  },
  {
    name: 'excludePaths that all pages have',
    question: 'Why does the crawl find one page only?',
    path: '/v2/crawl',
    body: crawl('/list', { excludePaths: ['/list/.*'] }),
    cause: [/excludePaths/],
    fix: { excludePaths: [] },
  },
  {
    name: 'a limit that is reached',
    question: 'Why are pages missing?',
    path: '/v2/crawl',
    body: crawl('/list', { limit: 2 }),
    cause: [/limit/],
  },
  {
    name: 'a depth that ends the crawl',
    question: 'Why is /list/1/deep missing?',
    path: '/v2/crawl',
    body: crawl('/list', { maxDiscoveryDepth: 1 }),
    cause: [/maxDiscoveryDepth/],
  },
  {
    name: 'links to another host',
    question: 'Why does the crawl find one page only?',
    path: '/v2/crawl',
    body: crawl('/elsewhere'),
    cause: [/host|allowExternalLinks|outside/],
  },
  {
    name: 'links beside the path of the start',
    question: 'Why is the blog missing?',
    path: '/v2/crawl',
    body: crawl('/docs/'),
    cause: [/crawlEntireDomain/],
    fix: { crawlEntireDomain: true },
  },
  {
    name: 'only a sitemap, which the site lacks',
    question: 'Why does the crawl find one page only?',
    path: '/v2/crawl',
    body: crawl('/list', { sitemap: 'only' }),
    cause: [/sitemap/],
  },
  {
    name: 'pages that differ in their query',
    question: 'Why are pages 2 and 3 of the list missing?',
    path: '/v2/crawl',
    body: crawl('/paged', { ignoreQueryParameters: true }),
    cause: [/ignoreQueryParameters/],
    fix: { ignoreQueryParameters: false },
  },
  {
    name: 'links that a timer adds',
    question: 'Why does the crawl find one page only?',
    path: '/v2/crawl',
    body: crawl('/late-links/', { scrapeOptions: { maxAge: 0 } }),
    held: '/late-links/',
    cause: [/waitFor|later?\b/],
    fix: { scrapeOptions: { waitFor: 5000 } },
  },
  {
    name: 'a start that is gone',
    question: 'Why does the crawl find nothing?',
    path: '/v2/crawl',
    body: crawl('/gone'),
    cause: [/404/],
  },
  {
    name: 'a batch with a page that fails',
    question: 'Why did a page fail?',
    path: '/v2/batch/scrape',
    body: ({ url }) => ({ urls: [`${url}/article`, `${url}/loop`] }),
    cause: [/redirect/],
  },
];
