import { describe, expect, it } from 'vitest';
import { translateCrawlRequest } from '../../../src/api/v1/crawl-request.ts';
import { PathPatterns } from '../../../src/jobs/crawl/path-patterns.ts';
import { crawlBody } from '../../../src/schemas/crawl.ts';

const PAGES = { maxAge: 0, timeout: 30_000 };

/** What version 2 gets for a crawl of version 1, checked. */
const translated = (request: { url: string } & Record<string, unknown>) =>
  crawlBody.parse(translateCrawlRequest(request).body);

describe('a crawl of version 1 is translated:', () => {
  it.each([
    ['its defaults', {}, { sitemap: 'include', crawlEntireDomain: false, limit: 10_000 }],
    ['ignoreSitemap', { ignoreSitemap: true }, { sitemap: 'skip' }],
    ['allowBackwardLinks', { allowBackwardLinks: true }, { crawlEntireDomain: true }],
    [
      'its newer name before the older',
      { allowBackwardLinks: true, crawlEntireDomain: false },
      { crawlEntireDomain: false },
    ],
    ['no delay', { delay: 0, maxDepth: 1000 }, { excludePaths: [] }],
    [
      'options of pages',
      { scrapeOptions: { maxAge: 9, parsePDF: false } },
      { scrapeOptions: { maxAge: 9, parsers: [] } },
    ],
  ])('%s', (_what, request, expected) => {
    const whole = { scrapeOptions: PAGES, ...expected };
    expect(translated({ url: 'http://a.test', ...request })).toMatchObject(whole);
  });

  it.each([
    ['http://a.test', 0, false, ['/'], ['/a']],
    ['a.test/docs/index.html', 1, false, ['/docs', '/docs/b', '/docs/b?c/d/e'], ['/docs/b/c', '//docs/b/c']],
    ['http://a.test/docs', 2, true, ['/docs/b/c'], ['/docs/b/c/d', '/docs/b/c/d?e']],
  ])('of %s, maxDepth %i leaves out deeper paths', (url, maxDepth, regexOnFullURL, kept, left) => {
    const patterns = new PathPatterns(translated({ url, maxDepth, regexOnFullURL }));
    const [start] = [URL.parse(url) ?? new URL(`http://${url}`)];
    const isKept = (path: string) => {
      const [verdict] =
        patterns.applyAtOnce([{ url: `${start.origin}${path}`, depth: 1, external: false }]) ?? [];
      return verdict !== undefined && !('skipReason' in verdict);
    };
    expect(kept.filter(isKept)).toEqual(kept);
    expect(left.filter(isKept)).toEqual([]);
  });

  it.each([
    [{ maxDepth: -1 }, 'maxDepth'],
    [{ maxDepth: 'two' }, 'maxDepth'],
    [{ ignoreSitemap: 'yes' }, 'ignoreSitemap'],
    [{ scrapeOptions: 'markdown' }, 'scrapeOptions'],
  ])('%j is refused', (request, message) => {
    expect(() => translateCrawlRequest({ url: 'http://a.test', ...request })).toThrow(message);
  });
});
