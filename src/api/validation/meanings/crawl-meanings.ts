import { isShort } from '../examples.ts';
import { json, type Meanings } from './meaning.ts';

/** Options of crawls, batches, maps and searches. */
export const CRAWL_MEANINGS: readonly Meanings[] = [
  {
    beside: 'maxDiscoveryDepth',
    advice: {
      depth: 'Use maxDiscoveryDepth, the number of links between the start and a page.',
      'strategy|bfs|dfs|order|priority|mode|algorithm':
        'Leave it out: a crawl visits pages in the order in which it finds them. maxDiscoveryDepth and limit bound it.',
    },
  },
  {
    beside: 'maxConcurrency',
    advice: {
      concurrency: 'Use maxConcurrency.',
    },
  },
  {
    beside: 'delay',
    advice: {
      'rate|rpm|rps|second|minute|throttle|delay|interval':
        'Use delay, the seconds between two pages, or maxConcurrency.',
    },
  },
  {
    beside: 'webhook',
    advice: {
      'webhook event': (value) =>
        `Use webhook: ${json({ url: 'https://example.com/hook', events: Array.isArray(value) && isShort(value) ? value : ['completed'] })}.`,
      'webhook header|metadata|url|secret':
        'Use webhook: {"url": "https://example.com/hook", "events": ["completed"]}, which also takes headers and metadata.',
    },
  },
  {
    beside: 'ignoreRobotsTxt',
    advice: {
      'robot|robotstxt': 'Leave it out: robots.txt is respected, unless ignoreRobotsTxt is true.',
    },
  },
  {
    beside: 'sitemap',
    advice: {
      sitemap: 'Use sitemap, which is "skip", "include" or "only".',
    },
  },
  {
    beside: 'allowSubdomains',
    advice: {
      subdomain: 'Use allowSubdomains, which is true or false.',
      'domain|host|site':
        'Leave it out: a crawl stays on the site of its url. allowSubdomains: true adds its other hosts, and allowExternalLinks: true pages of other sites.',
    },
  },
  {
    beside: 'allowExternalLinks',
    advice: {
      'external|offsite|foreign|outside|other': 'Use allowExternalLinks, which is true or false.',
    },
  },
  {
    beside: 'excludePaths',
    advice: {
      'exclude path|url|pattern|glob|regex|link|match|route|filter|page':
        'Use excludePaths, a list of regular expressions for paths, such as ["^/blog/", "\\\\.pdf$"].',
    },
  },
  {
    beside: 'includePaths',
    advice: {
      'path|pattern|pseudo|glob|regex|match|rule|route|filter':
        'Use includePaths, a list of regular expressions for paths, such as ["^/blog/"].',
    },
  },
  {
    beside: 'deduplicateSimilarURLs',
    advice: {
      'deduplicate|duplicate|dedupe|unique|canonical|normalize':
        'Use deduplicateSimilarURLs, which is true or false.',
    },
  },
  {
    beside: 'search',
    advice: { '=search|query|keyword|term|word|filter|q': 'Use search.' },
  },
  {
    beside: 'ignoreQueryParameters',
    advice: {
      'query|querystring|parameter|params': 'Use ignoreQueryParameters, which is true or false.',
    },
  },
  {
    beside: 'crawlEntireDomain',
    advice: {
      'start|seed|entry|base|root url|point|page|request': (value) =>
        Array.isArray(value) && value.length > 1
          ? 'Use url, one URL for each crawl, or POST /v2/batch/scrape with urls for several pages.'
          : 'Use url, such as "https://example.com".',
      'link|enqueue|pagination|next':
        'Leave it out: a crawl follows the links of each page by itself. includePaths and excludePaths, lists of regular expressions such as ["^/blog/"], choose among them.',
      'word|token|chunk|overlap|character': 'Leave it out: the text of a page comes whole, in one piece.',
      'duration|time|timeout|minute|hour':
        'Leave it out: a crawl has no time limit. limit bounds its pages, and DELETE /v2/crawl/{id} ends it.',
      limit: 'Use limit, the most pages.',
      'budget|max': 'Use limit, the most pages.',
    },
  },
  {
    beside: 'archive',
    advice: {
      'warc|archive|wacz':
        'Use archive: true, and download the archive from GET /v2/crawl/{id}/export?format=warc.',
    },
  },
  {
    beside: 'appendToId',
    advice: {
      'url|link|request|target|source|input|site|page': 'Use urls, a list such as ["https://example.com"].',
    },
  },
];
