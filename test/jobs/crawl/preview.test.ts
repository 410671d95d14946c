import { describe, expect, it } from 'vitest';
import { parseCrawlPrompt } from '../../../src/jobs/crawl/prompt/parse-crawl-prompt.ts';
import { compilePatterns } from '../../../src/patterns/pattern-list.ts';

const URL_ = 'https://example.com/';
/** The options that a prompt gives, without the address. */
function options(prompt: string, url = URL_) {
  const { url: same, ...rest } = parseCrawlPrompt(url, prompt).params;
  expect(same).toBe(url);
  return rest;
}

describe('a number', () => {
  it.each([
    ['no more than 50 pages', { limit: 50 }],
    ['at most 1,000 pages please', { limit: 1_000 }],
    ['Max 2k URLs', { limit: 2_000 }],
    ['crawl up to twenty articles', { limit: 20 }],
    ['only the first hundred pages', { limit: 100 }],
    ['limit it to a dozen results', { limit: 12 }],
    ['limit: 25', { limit: 25 }],
    ['a page limit of 30', { limit: 30 }],
    ['fewer than ten pages', { limit: 9 }],
    ['25 pages at most', { limit: 25 }],
    ['at most 50', { limit: 50 }],
    ['Crawl everything, up to 1,000, please', { limit: 1_000 }],
    ['at most 50 of them', { limit: 50 }],
    ['no more than twenty and ignore the sitemap', { limit: 20, sitemap: 'skip' }],
    ['limit it to 30', { limit: 30 }],
    ['50 at most.', { limit: 50 }],
    ['at most half of them', {}],
    ['at most 50 % of the site', {}],
    ['max 10 concurrent requests', {}],
    ['wait at most 5', {}],
    ['things that cost at most 50', {}],
    ['just this page', { limit: 1 }],
    ['at most 2 levels deep', { maxDiscoveryDepth: 2 }],
    ['within three clicks', { maxDiscoveryDepth: 3 }],
    ['go two hops away', { maxDiscoveryDepth: 2 }],
    ['max depth 4', { maxDiscoveryDepth: 4 }],
    ['a crawl depth of 1', { maxDiscoveryDepth: 1 }],
    ['no deeper than 3', { maxDiscoveryDepth: 3 }],
    ['less than 3 clicks away', { maxDiscoveryDepth: 2 }],
    ['wait 2 seconds between requests', { delay: 2 }],
    ['pause for half a second', {}],
    ['500ms delay', { delay: 0.5 }],
    ['wait 2s', { delay: 2 }],

    ['a 1.5 second pause between pages', { delay: 1.5 }],
    ['one request every 5 seconds', { delay: 5 }],
    ['sleep 10 minutes between pages', { delay: 60 }],
    ['wait 0 seconds', {}],
    ['fifty-fifty chance of 3 pages in 2024', {}],
  ])('in %j sets %j', (prompt, expected) => {
    expect(options(prompt)).toEqual(expected);
  });
});

describe('a switch', () => {
  it.each([
    ['including subdomains', { allowSubdomains: true }],
    ['crawl all of its subdomains', { allowSubdomains: true }],
    ['subdomains too', { allowSubdomains: true }],
    ['do not include any subdomains', { allowSubdomains: false }],
    ['don’t follow sub-domains', { allowSubdomains: false }],
    ['without subdomains', { allowSubdomains: false }],
    ['follow external links', { allowExternalLinks: true }],
    ['also visit links to other websites', { allowExternalLinks: true }],
    ['do not follow external links', { allowExternalLinks: false }],
    ['stay on this domain', { allowExternalLinks: false }],
    ['never leave the site', { allowExternalLinks: false }],
    ['ignore the sitemap', { sitemap: 'skip' }],
    ["don't use the sitemap.xml", { sitemap: 'skip' }],
    ['only the sitemap', { sitemap: 'only' }],
    ['only pages in the sitemap', { sitemap: 'only' }],
    ['sitemap only', { sitemap: 'only' }],
    ['use the sitemap', { sitemap: 'include' }],
    ['ignore query parameters', { ignoreQueryParameters: true }],
    ['strip all URL query strings', { ignoreQueryParameters: true }],
    ['do not ignore query params', { ignoreQueryParameters: false }],
    ['ignore robots.txt', { ignoreRobotsTxt: true }],
    ['do not respect robots.txt', { ignoreRobotsTxt: true }],
    ["don't ignore robots.txt", { ignoreRobotsTxt: false }],
    ['use the robots.txt rules for Googlebot', { robotsUserAgent: 'Googlebot' }],
    ['deduplicate similar URLs', { deduplicateSimilarURLs: true }],
    ['skip duplicate pages', { deduplicateSimilarURLs: true }],
    ['do not deduplicate', { deduplicateSimilarURLs: false }],
    ['keep duplicates', { deduplicateSimilarURLs: false }],
    ['the entire website', { crawlEntireDomain: true }],
    ['everything on the site', { crawlEntireDomain: true }],
    ['the whole domain', { crawlEntireDomain: true }],
    ['not the whole site', { crawlEntireDomain: false }],
  ])('such as %j sets %j', (prompt, expected) => {
    expect(options(prompt)).toEqual(expected);
  });
});

const docs = '^/docs(?:/|$)';
const blog = '^/blog(?:/|$)';

describe('a path', () => {
  it.each([
    ['everything under /docs except /docs/archive', [docs], ['^/docs/archive(?:/|$)']],
    ['/docs/', [docs], []],
    ['/docs/*', [docs], []],
    ['crawl "/docs".', [docs], []],
    ['only /docs, /blog', [docs, blog], []],
    ['exclude /docs, /blog and /a/b', [], [docs, blog, '^/a/b(?:/|$)']],
    ['not /blog. Get /docs', [docs], [blog]],
    ['skip /blog, only /docs', [docs], [blog]],
    ['/v1.2/api', ['^/v1\\.2/api(?:/|$)'], []],
    ['avoid /blog-*', [], ['^/blog-']],
    ['/a/*/b', ['^/a/[^/]*/b(?:/|$)'], []],
    ['crawl https://example.com/docs/', [docs], []],
    ['not https://other.example/docs', [], []],
    ['only the blog', [blog], []],
    ['the blog posts only, crawl just the blog', [blog], []],
    ['everything but the blog', [], [blog]],
    ["don't crawl the blog", [], [blog]],
    ['crawl all blog pages without any PDFs', [blog], ['(?i)\\.pdf$']],
    ['no pdf files', [], ['(?i)\\.pdf$']],
    [
      'get the documentation and the API reference',
      ['^/(?:docs|documentation)(?:/|$)', '^/(?:api|api-reference|reference)(?:/|$)'],
      [],
    ],
    ['Extract all blog posts and documentation', [blog, '^/(?:docs|documentation)(?:/|$)'], []],
    ['download the docs, except any PDFs', ['^/(?:docs|documentation)(?:/|$)'], ['(?i)\\.pdf$']],
    ['extract the prices from all product pages', ['^/products?(?:/|$)'], []],
    ['extract the prices of the products', [], []],
    ['crawl only the "team" section', ['^/team(?:/|$)'], []],
    ['exclude the archive folder', [], ['^/archive(?:/|$)']],
    ['yes and/or no, 24/7', [], []],
    ['summaries of the pricing, please', [], []],
    ['find pages about cats', [], []],
  ])('in %j sets the patterns of paths', (prompt, includePaths, excludePaths) => {
    const { includePaths: included = [], excludePaths: excluded = [] } = options(prompt);
    expect({ included, excluded }).toEqual({ included: includePaths, excluded: excludePaths });
    expect(() => compilePatterns([...included, ...excluded])).not.toThrow();
  });

  it('beside the start path needs the whole domain', () => {
    const start = 'https://example.com/docs/index.html';
    expect(options('only /docs/api', start)).toEqual({ includePaths: ['^/docs/api(?:/|$)'] });
    expect(options('only /blog', start)).toEqual({ includePaths: [blog], crawlEntireDomain: true });
    expect(options('skip /blog', start)).toEqual({ excludePaths: [blog] });
  });
});

describe('a prompt', () => {
  it('can set several options', () => {
    const prompt =
      'Crawl the blog and /docs, but skip /docs/archive and any PDFs. At most 500 pages, 3 levels deep, including subdomains; wait 2 seconds between requests and ignore the sitemap. Ignore query parameters!';
    expect(parseCrawlPrompt(URL_, prompt)).toEqual({
      params: {
        url: URL_,
        includePaths: [blog, docs],
        excludePaths: ['^/docs/archive(?:/|$)', '(?i)\\.pdf$'],
        limit: 500,
        maxDiscoveryDepth: 3,
        allowSubdomains: true,
        delay: 2,
        sitemap: 'skip',
        ignoreQueryParameters: true,
      },
      understood: [
        '3 levels deep',
        'At most 500 pages',
        'including subdomains',
        'ignore the sitemap',
        'wait 2 seconds between requests',
        'Ignore query parameters',
        'Crawl the blog',
        'Crawl /docs',
        'skip /docs/archive',
        'skip any PDFs',
      ],
    });
  });

  it('can limit what it names', () => {
    expect(options('scrape the first 20 blog posts')).toEqual({ limit: 20, includePaths: [blog] });
  });

  it('that matches no rule sets no option', () => {
    expect(parseCrawlPrompt(URL_, 'Please do something nice')).toEqual({
      params: { url: URL_ },
      understood: [],
    });
    expect(parseCrawlPrompt('no address', '')).toEqual({ params: { url: 'no address' }, understood: [] });
  });

  it.each([
    'only ',
    '/a',
    'a hundred ',
    'the ',
    'no no ',
    '\n ',
    ' ',
    'wait for ',
    'depth of ',
    'use the ',
    'https://',
  ])('of nothing but %j is read in its time', (text) => {
    expect(parseCrawlPrompt(URL_, text.repeat(10_000)).params.url).toBe(URL_);
  });
});

it('a prompt of as many paths as it has room for has a pattern for each of them, once and in their order', () => {
  const folders = Array.from({ length: 600 }, (_, n) => `/f${n}`);
  const prompt = [...folders, ...folders].map((folder) => `${folder}/**`).join(' ');
  expect(options(prompt).includePaths).toEqual(folders.map((folder) => `^${folder}(?:/|$)`));
});
