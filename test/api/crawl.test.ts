import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkDepth, type Site, startSite } from '../../bench/site.ts';
import { type Answer, call } from '../support/api.ts';
import { makeTeam, openTestDatabase } from '../support/database.ts';
import { finished, sourcesOf, startJob, until } from '../support/jobs.ts';
import { type Pages, startPages } from '../support/pages.ts';

/** Crawls: which pages they take, and what they say of those that they leave out. */

type Body = Answer['body'];
const PATH = '/v2/crawl';
/** Pages of these tests need no browser, and no old copies. */
const scrapeOptions = { fastMode: true, maxAge: 0, storeInCache: false };

let site: Site;
beforeAll(async () => {
  site = await startSite({ pages: 400 });
});
afterAll(() => site.close());

const page = (title: string, links: string[] = []) =>
  `<html><head><title>${title}</title></head><body><h1>${title}</h1>${links.map((link) => `<a href="${link}">x</a>`).join(' ')}</body></html>`;

/** Crawls to the end. @returns its last status */
async function crawl(url: string, options: Record<string, unknown> = {}): Promise<Body> {
  const id = await startJob(PATH, { url, scrapeOptions, ...options });
  return { id, ...(await finished(PATH, id)) };
}
/** Paths of the pages that a crawl has. */
const pathsOf = (body: Body) => sourcesOf(body).map((source) => source.replace(/^https?:\/\/[^/]+/, ''));
const errorsOf = async (id: string): Promise<Body> => (await call(`${PATH}/${id}/errors`)).body;

/** A small site of several parts. */
const startSmallSite = () =>
  startPages({
    '/': page('Home', ['/blog/', '/docs/start', '/about?from=home', 'http://127.0.0.1:9/elsewhere']),
    '/about': page('About'),
    '/blog/': page('Blog', [
      '/blog/one',
      '/blog/two/',
      '/index.html',
      '/docs/start#top',
      '/picture.png',
      'mailto:a@b.test',
    ]),
    '/blog/one': page('One', ['/blog/deep/er']),
    '/blog/two/': page('Two', ['/blog/one?utm_source=x']),
    '/blog/deep/er': page('Deeper'),
    '/docs/start': page('Docs', ['/blog/']),
  });

describe('a crawl', () => {
  it('takes a whole site, each page once, however its links are spelt', async () => {
    await using pages = await startSmallSite();
    const done = await crawl(pages.url);
    expect(done).toMatchObject({
      success: true,
      status: 'completed',
      total: 7,
      completed: 7,
      creditsUsed: 7,
    });
    expect(pathsOf(done)).toEqual([
      '/',
      '/about?from=home',
      '/blog/',
      '/blog/deep/er',
      '/blog/one',
      '/blog/two/',
      '/docs/start',
    ]);
    expect(await errorsOf(done.id)).toEqual({ errors: [], robotsBlocked: [] });
    expect(done).not.toHaveProperty('warning');
  });

  it('keeps to its limit exactly', async () => {
    const done = await crawl(`${site.url}/links/0`, { limit: 37, crawlEntireDomain: true });
    expect(done).toMatchObject({ total: 37, completed: 37, creditsUsed: 37 });
    expect(new Set(sourcesOf(done)).size).toBe(37);
  });

  it('stays below the path of its start, and says so where that leaves hardly a page', async () => {
    await using pages = await startSmallSite();
    expect(pathsOf(await crawl(`${pages.url}/blog/`))).toEqual([
      '/blog/',
      '/blog/deep/er',
      '/blog/one',
      '/blog/two/',
    ]);
    const done = await crawl(`${pages.url}/docs/start`);
    expect(done).toMatchObject({ total: 1, warning: expect.stringContaining('crawlEntireDomain') });
    expect((await crawl(`${pages.url}/docs/start`, { crawlEntireDomain: true })).total).toBe(6);
  });

  it('goes as deep as it may', async () => {
    await using pages = await startSmallSite();
    expect(pathsOf(await crawl(pages.url, { maxDiscoveryDepth: 0 }))).toEqual(['/']);
    expect(pathsOf(await crawl(pages.url, { maxDiscoveryDepth: 1 }))).toEqual([
      '/',
      '/about?from=home',
      '/blog/',
      '/docs/start',
    ]);
  });

  it('goes by patterns, and follows a start that matches none', async () => {
    await using pages = await startSmallSite();
    const done = await crawl(pages.url, { includePaths: ['^/blog/'], excludePaths: ['deep'] });
    expect(pathsOf(done)).toEqual(['/blog/', '/blog/one', '/blog/two/']);
    expect(done).toMatchObject({ total: 4, completed: 3 });
    const { errors } = await errorsOf(done.id);
    expect(errors).toMatchObject([
      { url: `${pages.url}/`, code: 'CRAWL_DENIAL', error: expect.stringContaining('includePaths') },
    ]);
  });

  it.each([
    [{ includePaths: ['('] }, 'cannot be read'],
    [{ excludePaths: ['(?=x)'] }, 'look-around'],
    [{ limit: 0 }, 'limit'],
    [{ delay: 61 }, 'delay'],
    [{ maxDepth: 2 }, 'Unrecognized key in body -- maxDepth'],
    [{ sitemap: 'maybe' }, 'skip'],
    [{ scrapeOptions: { formats: ['nonsense'] } }, 'unknown format'],
    [{ scrapeOptions: { url: 'http://a.test' } }, 'Unrecognized key'],
    [{ scrapeOptions: { formats: ['rawBase64'] } }, 'get the files by a batch'],
  ])('refuses %j', async (options, reason) => {
    const { status, body } = await call(PATH, { body: { url: site.url, ...options } });
    expect(status).toBe(400);
    expect(body).toMatchObject({ success: false, error: expect.stringContaining(reason) });
  });

  it('ends with one error where the start gives no answer', async () => {
    const done = await crawl('http://does-not-exist.invalid/');
    expect(done).toMatchObject({ status: 'completed', total: 1, completed: 0, data: [] });
    expect((await errorsOf(done.id)).errors).toMatchObject([{ code: 'SCRAPE_DNS_RESOLUTION_ERROR' }]);
  });

  it('moves with a start that redirects to another host', async () => {
    await using target = await startSmallSite();
    await using start = await startPages({
      '/': (_request, response) => response.writeHead(302, { Location: `${target.url}/blog/` }).end(),
    });
    const done = await crawl(`${start.url}/`);
    expect(done.data.map((each: Body) => each.metadata.url).sort()).toEqual(
      ['/blog/', '/blog/deep/er', '/blog/one', '/blog/two/'].map((path) => target.url + path),
    );
  });

  it('takes pages that redirect to the same one once, and none that lead away', async () => {
    const to = (path: string) => (_request: unknown, response: import('node:http').ServerResponse) =>
      response.writeHead(301, { Location: path }).end();
    await using away = await startPages({ '/': page('Away') });
    await using pages = await startPages({
      '/': page('Home', ['/old', '/older', '/new', '/out']),
      '/old': to('/new'),
      '/older': to('/new'),
      '/new': page('New', ['/old?x=1']),
      '/old?x=1': page('never'),
      '/out': to(`${away.url}/`),
    });
    const done = await crawl(pages.url);
    expect(done.data.map((each: Body) => each.metadata.url).sort()).toEqual([
      `${pages.url}/`,
      `${pages.url}/new`,
    ]);
    expect(done).toMatchObject({ total: 3, completed: 2, creditsUsed: 2 });
    expect((await errorsOf(done.id)).errors).toMatchObject([
      { url: `${pages.url}/out`, code: 'CRAWL_DENIAL' },
    ]);
  });

  it('waits between pages where it is told to, one at a time', async () => {
    let open = 0;
    let most = 0;
    await using pages = await startPages(
      Object.fromEntries(
        ['/', '/a', '/b', '/c'].map((path) => [
          path,
          (_request, response) => {
            most = Math.max(most, ++open);
            setTimeout(() => {
              open--;
              response.writeHead(200, { 'Content-Type': 'text/html' }).end(page(path, ['/a', '/b', '/c']));
            }, 50);
          },
        ]),
      ),
    );
    const done = await crawl(pages.url, { delay: 0.2, sitemap: 'skip' });
    expect(done.completed).toBe(4);
    expect(most).toBe(1);
    expect(done.duration).toBeGreaterThan(0.6);
  });

  it('does not run after an endless calendar', async () => {
    const server = createServer((request, response) => {
      const month = Number(/month=(\d+)/.exec(request.url ?? '')?.[1] ?? 0);
      const year = 2026 + Math.floor(month / 12);
      response
        .writeHead(200, { 'Content-Type': 'text/html' })
        .end(page(`Month ${month}`, [`/calendar/${year}/${(month % 12) + 1}/?month=${month + 1}`]));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    // A TCP server's address is never a path.
    const { port } = server.address() as import('node:net').AddressInfo;
    const done = await crawl(`http://127.0.0.1:${port}/calendar/`, { limit: 500, sitemap: 'skip' });
    server.closeAllConnections();
    server.close();
    expect(done.status).toBe('completed');
    expect(done.completed).toBeLessThan(100);
    expect(done.warning).toContain('endless series');
  });
});

describe('robots.txt', () => {
  const robots = (text: string, more: Record<string, string> = {}) =>
    startPages({
      '/robots.txt': text,
      '/': page('Home', ['/open', '/closed/1', '/closed/2', '/winnow']),
      '/open': page('Open'),
      '/closed/1': page('Closed'),
      '/closed/2': page('Closed'),
      '/winnow': page('Ours'),
      ...more,
    });

  it('is obeyed, and told of', async () => {
    await using pages = await robots('User-agent: *\nDisallow: /closed/\n\nUser-agent: other\nDisallow: /');
    const done = await crawl(pages.url);
    expect(pathsOf(done)).toEqual(['/', '/open', '/winnow']);
    expect(done).toMatchObject({ total: 3, warning: expect.stringContaining('robots.txt') });
    const { errors, robotsBlocked } = await errorsOf(done.id);
    expect(errors).toEqual([]);
    expect(robotsBlocked.sort()).toEqual([`${pages.url}/closed/1`, `${pages.url}/closed/2`]);
    expect(pages.requests.map(({ path }) => path)).not.toContain('/closed/1');
  });

  it('may speak to us by name, or to the name that was given', async () => {
    const text =
      'User-agent: Winnow\nDisallow: /winnow\n\nUser-agent: special\nDisallow: /open\n\nUser-agent: *\nDisallow: /';
    await using pages = await robots(text);
    expect(pathsOf(await crawl(pages.url))).toEqual(['/', '/closed/1', '/closed/2', '/open']);
    expect(pathsOf(await crawl(pages.url, { robotsUserAgent: 'special' }))).toEqual([
      '/',
      '/closed/1',
      '/closed/2',
      '/winnow',
    ]);
    expect(pathsOf(await crawl(pages.url, { ignoreRobotsTxt: true }))).toHaveLength(5);
  });

  it('can keep a crawl from its start', async () => {
    await using pages = await robots('User-agent: *\nDisallow: /');
    const done = await crawl(pages.url);
    expect(done).toMatchObject({ status: 'completed', total: 0, completed: 0, creditsUsed: 0, data: [] });
    expect((await errorsOf(done.id)).robotsBlocked).toEqual([`${pages.url}/`]);
  });

  it('sets the pace', async () => {
    await using pages = await robots('User-agent: *\nCrawl-delay: 0.3');
    const done = await crawl(pages.url, { sitemap: 'skip' });
    expect(done).toMatchObject({ completed: 5 });
    expect(done.duration).toBeGreaterThan(1.2);
  });
});

describe('a crawl of pages in the cache', () => {
  it.each([{ minAge: 1 }, { lockdown: true }])('with %j sends nothing to the site', async (option) => {
    await using pages = await startPages({
      '/robots.txt': 'User-agent: *\nDisallow: /open',
      '/sitemap.xml': (request, response) =>
        void response.end(`<urlset><url><loc>http://${request.headers.host}/listed</loc></url></urlset>`),
      '/': page('Home', ['/open', '/never']),
      '/open': page('Open'),
      '/never': page('Never scraped'),
    });
    for (const path of ['/', '/open']) {
      await call('/v2/scrape', { body: { url: `${pages.url}${path}`, fastMode: true } });
    }
    const before = pages.requests.length;
    const done = await crawl(pages.url, { scrapeOptions: { fastMode: true, ...option } });
    expect(pathsOf(done)).toEqual(['/', '/open']);
    expect(done).toMatchObject({ status: 'completed', completed: 2, failed: 1 });
    const code = 'minAge' in option ? 'SCRAPE_NO_CACHED_DATA' : 'SCRAPE_LOCKDOWN_CACHE_MISS';
    expect((await errorsOf(done.id)).errors).toMatchObject([{ url: `${pages.url}/never`, code }]);
    expect(pages.requests.slice(before)).toEqual([]);
  });
});

describe('sitemaps', () => {
  it('name pages that no link leads to', async () => {
    const done = await crawl(`${site.url}/`, { limit: 1_000, includePaths: ['^/links/'] });
    expect(done.completed).toBe(400);
  });

  it('are not read when they are to be skipped', async () => {
    const done = await crawl(`${site.url}/links/0`, {
      sitemap: 'skip',
      crawlEntireDomain: true,
      maxDiscoveryDepth: 2,
    });
    const expected = Array.from({ length: 400 }, (_, n) => n).filter((n) => linkDepth(n) <= 2);
    // Each page links its neighbour too, which may be one deeper.
    expect(done.completed).toBeGreaterThanOrEqual(expected.length);
    expect(done.completed).toBeLessThan(150);
    expect(site.hits('/sitemap.xml.gz')).toBeLessThanOrEqual(3);
  });

  it('are all there is when nothing else is wanted', async () => {
    await using pages: Pages = await startPages({
      '/sitemap.xml':
        '<urlset><url><loc>/listed</loc></url><url><loc>http://elsewhere.invalid/x</loc></url></urlset>',
      '/': page('Home', ['/linked']),
      '/linked': page('Linked'),
      '/listed': page('Listed', ['/linked']),
    });
    const listed = `<urlset><url><loc>${pages.url}/listed</loc></url></urlset>`;
    await using other = await startPages({ '/sitemap.xml': listed, '/': page('Home') });
    expect(pathsOf(await crawl(other.url, { sitemap: 'only' }))).toEqual(['/']);
    const done = await crawl(pages.url, { sitemap: 'only' });
    expect(pathsOf(done)).toEqual(['/']);
  });
});

describe('crawls of a team', () => {
  it('are listed while they run', async () => {
    const id = await startJob(PATH, { url: `${site.url}/slow/1500/article/1`, scrapeOptions, limit: 3 });
    const { body } = await call('/v2/crawl/active');
    const found = body.crawls.find((each: Body) => each.id === id);
    expect(found).toMatchObject({
      url: `${site.url}/slow/1500/article/1`,
      options: { limit: 3, scrapeOptions: { fastMode: true } },
    });
    expect(found.teamId).toEqual(expect.any(String));
    expect(new Date(found.created_at).toISOString()).toBe(found.created_at);
    expect((await call('/v2/crawl/ongoing')).body.crawls.map((each: Body) => each.id)).toContain(id);
    await call(`${PATH}/${id}`, { method: 'DELETE' });
    expect((await call('/v2/crawl/active')).body.crawls.map((each: Body) => each.id)).not.toContain(id);
  });

  it('can be given a lower limit while they run', async () => {
    const id = await startJob(PATH, {
      url: `${site.url}/links/0`,
      scrapeOptions,
      limit: 300,
      delay: 0.1,
      crawlEntireDomain: true,
    });
    await until(`${PATH}/${id}`, (body) => body.completed >= 2);
    const { body } = await call(`${PATH}/${id}/retune`, { body: { limit: 12, delay: 0 } });
    expect(body).toMatchObject({ success: true, limit: 12, delay: null });
    const done = await finished(PATH, id);
    expect(done).toMatchObject({ status: 'completed', total: 12, completed: 12 });
  });

  it('need credits for their limit', async () => {
    const db = openTestDatabase();
    const { key } = await makeTeam(db, { credits: 5 });
    await db.close();
    const refused = await call(PATH, { body: { url: site.url, limit: 6 }, key });
    expect(refused).toMatchObject({ status: 402, body: { code: 'INSUFFICIENT_CREDITS' } });
    expect((await call(PATH, { body: { url: site.url }, key })).status).toBe(402);
    const id = await startJob(
      PATH,
      { url: `${site.url}/links/0`, limit: 5, crawlEntireDomain: true, scrapeOptions },
      { key },
    );
    expect(await finished(PATH, id, { key })).toMatchObject({ creditsUsed: 5 });
  });

  it('can be planned in words', async () => {
    const { body } = await call('/v2/crawl/params-preview', {
      body: { url: 'https://example.com', prompt: 'only the blog, no more than 50 pages' },
    });
    expect(body).toMatchObject({
      success: true,
      data: { url: 'https://example.com', limit: 50, includePaths: [expect.any(String)] },
    });
    expect(body.warning).toContain('without a model');
  });

  it('fill their options from a prompt, but for those that are given', async () => {
    const { body } = await call(PATH, {
      body: {
        url: `${site.url}/links/0`,
        prompt: 'at most 9 pages of the entire domain',
        sitemap: 'skip',
        scrapeOptions,
      },
    });
    expect(body).toMatchObject({
      promptGeneratedOptions: { limit: 9, crawlEntireDomain: true },
      finalCrawlerOptions: { limit: 9, sitemap: 'skip' },
    });
    expect((await finished(PATH, body.id)).completed).toBe(9);
  });
});
