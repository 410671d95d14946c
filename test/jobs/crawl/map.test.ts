import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  type DiscoveryCrawlOptions,
  runDiscoveryCrawl,
} from '../../../src/jobs/crawl/map/discovery-crawl.ts';
import { createFrontier } from '../../../src/jobs/crawl/map/frontier.ts';
import { createMapLinks } from '../../../src/jobs/crawl/map/map-links.ts';
import { createMapScope } from '../../../src/jobs/crawl/map/map-scope.ts';
import { rankLinks } from '../../../src/jobs/crawl/map/rank-links.ts';
import { mapBody } from '../../../src/schemas/map.ts';

const SITE = 'https://example.com';

describe('the scope of a map', () => {
  const scopeOf = (base: string, options: Record<string, unknown> = {}) =>
    createMapScope(base, mapBody.parse({ url: base, ...options }), {
      renderer: { match: () => Promise.reject(new Error('these patterns need no thread')) },
      owner: 'team',
      signal: new AbortController().signal,
    });
  const taken = (base: string, urls: string[], options?: Record<string, unknown>) =>
    scopeOf(base, options).acceptPages(urls);

  it('is the site with its subdomains, pages only', async () => {
    const inside = [`${SITE}/`, 'http://www.example.com/a', 'https://docs.example.com/a', `${SITE}/a.pdf`];
    const outside = [
      'https://example.org/',
      `${SITE}/a.png`,
      `${SITE}/app.js`,
      `${SITE}/a.zip`,
      'ftp://example.com/',
    ];
    expect(await taken(`${SITE}/`, [...inside, ...outside])).toEqual(inside);
    expect(await taken(`${SITE}/`, inside, { includeSubdomains: false })).toEqual(
      inside.filter((url) => !url.includes('docs')),
    );
  });

  it('is the path of the start URL on every host', async () => {
    const below = [
      `${SITE}/docs`,
      `${SITE}/docs/a`,
      `${SITE}/docs/index.html`,
      'https://de.example.com/docs/b',
    ];
    const beside = [`${SITE}/`, `${SITE}/docs-old`, 'https://de.example.com/blog'];
    expect(await taken(`${SITE}/docs/`, [...below, ...beside])).toEqual(below);
    expect(await taken(`${SITE}/docs/`, [...below, ...beside], { filterByPath: false })).toHaveLength(7);
    expect(scopeOf(`${SITE}/docs/`).folder).toBe('/docs');
    expect(scopeOf(`${SITE}/index.html`).folder).toBe('');
  });

  it('respects the patterns', async () => {
    const urls = [`${SITE}/blog/a`, `${SITE}/blog/draft`, `${SITE}/shop`];
    const options = { includePaths: ['^/blog'], excludePaths: ['draft'] };
    expect(await taken(`${SITE}/`, urls, options)).toEqual([`${SITE}/blog/a`]);
  });

  it('accepts links as written in a page, without fragments', async () => {
    const scope = scopeOf(`${SITE}/`);
    const links = ['b#part', '#part', 'mailto:me@example.com'];
    expect(await scope.acceptLinks(links, `${SITE}/a/`)).toEqual([`${SITE}/a/b`]);
  });
});

describe('the links of a map', () => {
  const linksOf = (urls: string[], options: { limit?: number; ignoreQueryParameters?: boolean } = {}) => {
    const links = createMapLinks({ limit: 100, ignoreQueryParameters: true, ...options });
    for (const url of urls) links.add(url);
    return links.list().map(({ url }) => url.replace(SITE, ''));
  };

  it('are unique, in order, and in their first spelling', () => {
    expect(linksOf([`${SITE}/b/`, `${SITE}/a`, 'http://www.example.com/b', `${SITE}/a/index.html`])).toEqual([
      '/b/',
      '/a',
    ]);
  });

  it('have no query unless it matters', () => {
    const urls = [
      `${SITE}/a?page=1`,
      `${SITE}/a?page=2`,
      `${SITE}/a?page=1&utm_source=x`,
      `${SITE}/b?#/route`,
    ];
    expect(linksOf(urls)).toEqual(['/a', '/b#/route']);
    expect(linksOf(urls, { ignoreQueryParameters: false })).toEqual(['/a?page=1', '/a?page=2', '/b?#/route']);
  });

  it('are limited in number', () => {
    const links = createMapLinks({ limit: 2, ignoreQueryParameters: true });
    expect([links.add(`${SITE}/1`), links.add(`${SITE}/1/`), links.isFull]).toEqual([true, false, false]);
    expect([links.add(`${SITE}/2`), links.add(`${SITE}/3`), links.isFull]).toEqual([true, false, true]);
    links.remove(`${SITE}/1`);
    expect([links.size, links.isFull, links.add(`${SITE}/3`)]).toEqual([1, false, true]);
  });

  it('have the title of their own page, else that of another spelling of the URL', () => {
    const links = createMapLinks({ limit: 9, ignoreQueryParameters: true });
    links.add(`${SITE}/list?page=2`);
    links.describe(`${SITE}/list?page=2`, { title: 'List, page 2', description: 'Second' });
    links.describe(`${SITE}/list?page=3`, { title: 'List, page 3' });
    expect(links.list()).toEqual([{ url: `${SITE}/list`, title: 'List, page 2', description: 'Second' }]);
    links.describe(`${SITE}/list`, { title: 'List' });
    links.remove(`${SITE}/list?page=9`);
    expect(links.list()).toEqual([{ url: `${SITE}/list`, title: 'List', description: 'Second' }]);
  });
});

describe('a search', () => {
  const order = (search: string, links: (string | { url: string; title?: string; description?: string })[]) =>
    rankLinks(
      links.map((link) =>
        typeof link === 'string' ? { url: SITE + link } : { ...link, url: SITE + link.url },
      ),
      search,
    ).map(({ url }) => url.replace(SITE, ''));

  it.each([
    ['pricing', ['/about', '/pricing', '/blog/pricing-changes-of-last-year'], 1],
    ['getting started', ['/started', '/docs/getting-started', '/getting'], 1],
    ['user guide', ['/a', '/b', '/docs/UserGuide.html'], 2],
    ['http api', ['/x', '/HTTPApi', '/y'], 1],
    ['webhooks', ['/a', '/webhook'], 1],
    ['cafe', ['/a', '/caf%C3%A9'], 1],
    ['überblick', ['/a', '/%C3%BCberblick'], 1],
    ['auth', ['/a', '/authentication'], 1],
    ['docs', ['/a', '/%E0%A4%A', '/docs'], 2],
  ])('for %j puts the best of %j first', (search, links, best) => {
    expect(order(search, links)[0]).toBe(links[best]);
  });

  it('considers titles and descriptions', () => {
    const links = [
      { url: '/1' },
      { url: '/2', description: 'All about refunds and returns' },
      { url: '/3', title: 'Refunds' },
    ];
    expect(order('refund', links)).toEqual(['/3', '/2', '/1']);
  });

  it('prefers rare words to common ones', () => {
    const common = Array.from({ length: 20 }, (_, n) => `/docs/page-${n}`);
    expect(order('docs billing', [...common, '/billing'])[0]).toBe('/billing');
  });

  it('drops no link and keeps the order of equally ranked ones', () => {
    const links = ['/z', '/m/api', '/a', '/b/api', '/c'];
    expect(order('api', links)).toEqual(['/m/api', '/b/api', '/z', '/a', '/c']);
    expect(order('nothing of that', links)).toEqual(links);
    expect(order(' -- ', links)).toEqual(links);
    expect(rankLinks([], 'api')).toEqual([]);
  });
});

describe('the frontier', () => {
  const drain = (frontier: ReturnType<typeof createFrontier>) => {
    const urls: string[] = [];
    for (let step = frontier.next(); step; step = frontier.next()) urls.push(step.url.replace(SITE, ''));
    return urls;
  };

  it('returns each URL once, the nearest first', () => {
    const frontier = createFrontier([`${SITE}/`]);
    for (const [path, depth] of [
      ['/a', 3],
      ['/b', 1],
      ['/', 0],
      ['/c', 2],
      ['/b/', 1],
      ['/d', 1],
    ] as const)
      frontier.add({ url: SITE + path, depth });
    expect(drain(frontier)).toEqual(['/b', '/d', '/c', '/a']);
    frontier.add({ url: `${SITE}/a`, depth: 0 });
    expect(drain(frontier)).toEqual([]);
    frontier.putBack({ url: `${SITE}/a`, depth: 3 });
    expect(drain(frontier)).toEqual(['/a']);
  });

  it('takes URLs from folders and from series of queries in turn', () => {
    const frontier = createFrontier([]);
    for (const path of ['/blog/1', '/blog/2', '/blog/3', '/shop/1', '/shop/2', '/list?page=2'])
      frontier.add({ url: SITE + path, depth: 1 });
    expect(drain(frontier)).toEqual(['/blog/1', '/shop/1', '/list?page=2', '/blog/2', '/shop/2', '/blog/3']);
  });
});

describe('a light crawl', () => {
  const idle = new AbortController().signal;

  /** Crawls addresses `/0` and on; each leads to what `next` says. */
  async function crawl(
    next: (n: number) => number[],
    options: Partial<DiscoveryCrawlOptions> & { wanted?: number; slow?: number } = {},
  ) {
    const { wanted = Infinity, slow, ...rest } = options;
    const frontier = createFrontier([]);
    const found = new Set([0]);
    const state = { visits: [] as number[], running: 0, most: 0 };
    frontier.add({ url: `${SITE}/0`, depth: 0 });
    const end = await runDiscoveryCrawl({
      frontier,
      isEnough: () => found.size >= wanted,
      signal: idle,
      mayEndEarly: false,
      requestsPerHost: 8,
      async visit({ url, depth }, signal) {
        const n = Number(url.slice(SITE.length + 1));
        state.visits.push(n);
        state.most = Math.max(state.most, ++state.running);
        await sleep(n === slow ? 1_000 : 0, undefined, { signal }).finally(() => state.running--);
        const fresh = next(n).filter((each) => !found.has(each));
        for (const each of fresh) frontier.add({ url: `${SITE}/${each}`, depth: depth + 1 });
        for (const each of fresh) found.add(each);
        return { newLinks: fresh.length };
      },
      ...rest,
    });
    return { end, found: found.size, ...state };
  }
  const tree = (size: number) => (n: number) =>
    Array.from({ length: 10 }, (_, place) => 10 * n + place + 1).filter((each) => each < size);

  it('fetches every page with the concurrency of the host', async () => {
    expect(await crawl(tree(500))).toMatchObject({ end: 'all', found: 500, most: 8 });
    expect(await crawl(tree(500), { requestsPerHost: 3 })).toMatchObject({ end: 'all', found: 500, most: 3 });
  });

  it('fetches one page at a time where the host has a crawl delay', async () => {
    expect(await crawl(tree(20), { delayMs: 1 })).toMatchObject({ end: 'all', found: 20, most: 1 });
  });

  it('ends when the limit is reached', async () => {
    const { end, found, visits } = await crawl(tree(5_000), { wanted: 200 });
    expect([end, found >= 200 && found < 300, visits.length < 60]).toEqual(['enough', true, true]);
  });

  it('ends when nothing new is found for a while, if allowed, but waits for a slow page', async () => {
    const leaves = Array.from({ length: 1_000 }, (_, n) => n + 1);
    const links = (n: number) => (n === 0 ? leaves : n === 5 ? [2_000, 2_001] : []);
    expect(await crawl(links)).toMatchObject({ end: 'all', found: 1_003 });
    const dry = await crawl(links, { mayEndEarly: true });
    expect([dry.end, dry.found, dry.visits.length < 900]).toEqual(['dry', 1_003, true]);
    expect((await crawl(links, { mayEndEarly: true, slow: 5 })).found).toBe(1_003);
  });

  it('ends at its maximum number of pages on an endless site', async () => {
    const { end, visits } = await crawl((n) => [2 * n + 1, 2 * n + 2]);
    expect([end, visits.length]).toEqual(['pages', 5_000]);
  });

  it('ends at its timeout and leaves no request running', async () => {
    const stop = new AbortController();
    const crawling = crawl((n) => [n + 1], { signal: stop.signal, slow: 20 });
    setTimeout(() => stop.abort(new Error('over')), 50);
    expect(await crawling).toMatchObject({ end: 'time', running: 0 });
  });

  it('ends with an internal error', async () => {
    const visit = async () => Promise.reject(new Error('ours'));
    await expect(crawl(tree(5), { visit })).rejects.toThrow('ours');
  });

  it('retries a page whose host asks for a pause, and gives up when it always does', async () => {
    let asked = 0;
    const visit = async () => {
      asked++;
      return { newLinks: 0, isThrottled: asked === 1, retryAfterMs: 1 };
    };
    expect([(await crawl(tree(5), { visit })).end, asked]).toEqual(['all', 2]);
    const refuse = async () => ({ newLinks: 0, isThrottled: true, retryAfterMs: 1 });
    expect((await crawl(tree(5), { visit: refuse })).end).toBe('refused');
  });
});
