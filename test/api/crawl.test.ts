import { createServer, type RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { linkDepth } from '../site/site.ts';
import { type ApiResponse, call } from '../support/api/call.ts';
import { finished, sourcesOf, startJob, untilStatus } from '../support/api/jobs.ts';
import { listenOnNewPort } from '../support/network/listen.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { useSite } from '../support/sites/use-site.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';

/** Crawls: which pages they take, and what they say of those that they leave out. */

type Body = ApiResponse['body'];
const PATH = '/v2/crawl';
/** Pages of these tests need no browser, and no old copies. */
const scrapeOptions = { fastMode: true, maxAge: 0, storeInCache: false };

const site = useSite({ pages: 400 });
const db = useDatabase();

const page = (title: string, links: string[] = []) =>
  `<html><head><title>${title}</title></head><body><h1>${title}</h1>${links.map((link) => `<a href="${link}">x</a>`).join(' ')}</body></html>`;

/** Crawls to the end. @returns its last status */
async function crawl(url: string, options: Record<string, unknown> = {}): Promise<Body> {
  const id = await startJob(PATH, { url, scrapeOptions, ...options });
  return { id, ...(await finished(PATH, id)) };
}
/** Paths of the pages that a crawl has. */
const pathsOf = (body: Body) => sourcesOf(body).map((source) => source.replace(/^https?:\/\/[^/]+/, ''));
const errorCodesOf = async (id: string): Promise<Body> => (await call(`${PATH}/${id}/errors`)).body;

const redirectTo =
  (target: string): RequestListener =>
  (_request, response) =>
    response.writeHead(302, { Location: target }).end();

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
  it('scrapes a whole site, each page once, however its links are spelt', async () => {
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
    expect(await errorCodesOf(done.id)).toEqual({ success: true, errors: [], robotsBlocked: [] });
    expect(done).not.toHaveProperty('warning');
  });

  it('scrapes exactly as many pages as its limit', async () => {
    const done = await crawl(`${site.url}/links/0`, { limit: 37, crawlEntireDomain: true });
    expect(done).toMatchObject({ total: 37, completed: 37, creditsUsed: 37 });
    expect(new Set(sourcesOf(done)).size).toBe(37);
  });

  it('stays below the path of its start URL, and warns when that leaves hardly any page', async () => {
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

  it('follows links down to maxDiscoveryDepth', async () => {
    await using pages = await startSmallSite();
    expect(pathsOf(await crawl(pages.url, { maxDiscoveryDepth: 0 }))).toEqual(['/']);
    expect(pathsOf(await crawl(pages.url, { maxDiscoveryDepth: 1 }))).toEqual([
      '/',
      '/about?from=home',
      '/blog/',
      '/docs/start',
    ]);
  });

  it('follows links that match the patterns, and a start URL that matches none', async () => {
    await using pages = await startSmallSite();
    const done = await crawl(pages.url, { includePaths: ['^/blog/'], excludePaths: ['deep'] });
    expect(pathsOf(done)).toEqual(['/blog/', '/blog/one', '/blog/two/']);
    expect(done).toMatchObject({ total: 4, completed: 3 });
    const { errors } = await errorCodesOf(done.id);
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
    [{ scrapeOptions: { formats: ['rawBase64'] } }, 'Use a batch instead'],
  ])('refuses %j', async (options, reason) => {
    const { status, body } = await call(PATH, { body: { url: site.url, ...options } });
    expect(status).toBe(400);
    expect(body).toMatchObject({ success: false, error: expect.stringContaining(reason) });
  });

  it('ends with one error when its start URL does not respond', async () => {
    const done = await crawl('http://does-not-exist.invalid/');
    expect(done).toMatchObject({ status: 'completed', total: 1, completed: 0, data: [] });
    expect((await errorCodesOf(done.id)).errors).toMatchObject([{ code: 'SCRAPE_DNS_RESOLUTION_ERROR' }]);
  });

  it('moves to the host that its start URL redirects to, without being limited to that path', async () => {
    await using target = await startSmallSite();
    await using start = await startPages({ '/': redirectTo(`${target.url}/blog/`) });
    const done = await crawl(`${start.url}/`);
    expect(done.data.map((each: Body) => each.metadata.url).sort()).toEqual(
      ['/blog/', '/blog/deep/er', '/blog/one', '/blog/two/', '/docs/start', '/index.html'].map(
        (path) => target.url + path,
      ),
    );
    expect(done).not.toHaveProperty('warning');
  });

  it('covers the whole site when the root redirects to one of its pages', async () => {
    await using pages = await startPages({
      '/': redirectTo('/introduction'),
      '/introduction': page('Introduction', ['/guide', '/api/reference']),
      '/guide': page('Guide'),
      '/api/reference': page('Reference'),
    });
    const done = await crawl(`${pages.url}/`, { limit: 25 });
    expect(done.data.map((each: Body) => each.metadata.url).sort()).toEqual(
      ['/api/reference', '/guide', '/introduction'].map((path) => pages.url + path),
    );
    expect(done).not.toHaveProperty('warning');
  });

  it('keeps to the requested path and warns when the start URL redirects out of it', async () => {
    await using pages = await startPages({
      '/docs': redirectTo('/manual/'),
      '/manual/': page('Manual', ['/docs/install', '/manual/two', '/blog']),
      '/docs/install': page('Install'),
      '/manual/two': page('Two'),
      '/blog': page('Blog'),
    });
    const urlsOf = (body: Body) => body.data.map((each: Body) => each.metadata.url).sort();
    const done = await crawl(`${pages.url}/docs`);
    expect(urlsOf(done)).toEqual([`${pages.url}/docs/install`, `${pages.url}/manual/`]);
    expect(done.warning).toBe(
      `The start page redirects to ${pages.url}/manual/, which is not below /docs, and only pages below /docs are crawled. Start at ${pages.url}/manual/ to crawl the pages there, or set crawlEntireDomain to crawl the whole site.`,
    );
    const whole = await crawl(`${pages.url}/docs`, { crawlEntireDomain: true });
    expect(whole).toMatchObject({ completed: 4 });
    expect(whole).not.toHaveProperty('warning');
  });

  it('keeps the document of a start URL that matches the patterns and redirects to one that does not', async () => {
    await using pages = await startPages({
      '/': redirectTo('/welcome'),
      '/welcome': page('Welcome', ['/blog/a', '/shop']),
      '/blog/a': page('A'),
      '/shop': page('Shop'),
    });
    const done = await crawl(`${pages.url}/`, { includePaths: ['^/$', '^/blog'] });
    expect(done.data.map((each: Body) => each.metadata.url).sort()).toEqual(
      ['/blog/a', '/welcome'].map((path) => pages.url + path),
    );
    const other = await crawl(`${pages.url}/`, { includePaths: ['^/welcome$'] });
    expect(other).toMatchObject({ completed: 1, failed: 0 });
  });

  it('fetches its start URL once', async () => {
    await using pages = await startPages({
      '/robots.txt': 'User-agent: *\nDisallow:',
      '/': page('Home', ['/a']),
      '/a': page('A'),
    });
    const headers = { 'X-Ticket': '7' };
    const location = { country: 'DE', languages: ['de'] };
    const done = await crawl(`${pages.url}/`, { scrapeOptions: { ...scrapeOptions, headers, location } });
    expect(done.completed).toBe(2);
    const asked = pages.requests.filter(({ path }) => path === '/');
    expect(asked).toHaveLength(1);
    expect(asked[0]?.headers).toMatchObject({ 'x-ticket': '7', 'accept-language': 'de' });
  });

  it('follows a script of its start URL to another page and resolves links from there', async () => {
    await using target = await startPages({
      '/home': page('Home', ['next', '/far']),
      '/next': page('Next'),
      '/far': page('Far'),
      '/sitemap.xml': ({ headers: { host } }, response) =>
        void response
          .writeHead(200, { 'Content-Type': 'application/xml' })
          .end(`<urlset><url><loc>http://${host}/listed</loc></url></urlset>`),
      '/listed': page('Listed'),
    });
    await using start = await startPages({
      '/': `<html><body><div id="root"></div><script>location.replace(${JSON.stringify(`${target.url}/home`)})</script></body></html>`,
    });
    const done = await crawl(`${start.url}/`, { scrapeOptions: { maxAge: 0, storeInCache: false } });
    expect(done.data.map((each: Body) => each.metadata.url).sort()).toEqual(
      ['/far', '/home', '/listed', '/next'].map((path) => target.url + path),
    );
    expect(await errorCodesOf(done.id)).toEqual({ success: true, errors: [], robotsBlocked: [] });
  });

  it('follows its start URL to the site for the requested device', async () => {
    await using phones = await startPages({ '/': page('Mobile', ['/m']), '/m': page('More') });
    await using pages = await startPages({
      '/': (request, response) =>
        request.headers['user-agent']?.includes('Mobile')
          ? response.writeHead(302, { Location: `${phones.url}/` }).end()
          : response.writeHead(200, { 'Content-Type': 'text/html' }).end(page('Desktop', ['/d'])),
      '/d': page('Desktop only'),
    });
    const options = { maxAge: 0, storeInCache: false, mobile: true };
    const done = await crawl(`${pages.url}/`, { sitemap: 'skip', scrapeOptions: options });
    expect(done.data.map((each: Body) => each.metadata.url).sort()).toEqual([
      `${phones.url}/`,
      `${phones.url}/m`,
    ]);
  });

  it('reads the sitemaps even when its start URL cannot be fetched', async () => {
    await using pages = await startPages({
      '/': (_request, response) => response.destroy(),
      '/sitemap.xml': ({ headers: { host } }, response) =>
        void response
          .writeHead(200, { 'Content-Type': 'application/xml' })
          .end(`<urlset><url><loc>http://${host}/listed</loc></url></urlset>`),
      '/listed': page('Listed'),
    });
    const done = await crawl(`${pages.url}/`);
    expect(pathsOf(done)).toEqual(['/listed']);
    expect(done).toMatchObject({ status: 'completed', failed: 1 });
  });

  it('scrapes the target of several redirects once, and no redirect that leaves the site', async () => {
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
    expect((await errorCodesOf(done.id)).errors).toMatchObject([
      { url: `${pages.url}/out`, code: 'CRAWL_DENIAL' },
    ]);
  });

  it('scrapes single pages of other sites when allowed, follows none of their links, and lists the home pages it skips', async () => {
    await using away = await startPages({
      '/': page('Home of another', ['/one', '/two']),
      '/one': page('One', ['/two']),
      '/two': page('Two'),
    });
    await using pages = await startPages({
      '/': page('Home', [`${away.url}/one`, `${away.url}/`, `${away.url}/index.html`, '/out', '/home']),
      '/out': redirectTo(`${away.url}/one?from=out`),
      '/home': redirectTo(`${away.url}/`),
    });
    const done = await crawl(`${pages.url}/`, { allowExternalLinks: true, sitemap: 'skip' });
    expect(done.data.map((each: Body) => each.metadata.url).sort()).toEqual(
      [`${pages.url}/`, `${away.url}/one`, `${away.url}/one?from=out`].sort(),
    );
    expect(done).toMatchObject({ total: 4, completed: 3, failed: 1 });
    const { errors } = await errorCodesOf(done.id);
    expect(errors).toEqual([
      {
        id: expect.any(String),
        timestamp: expect.any(String),
        url: `${pages.url}/home`,
        code: 'EXTERNAL_LINK',
        error: `${pages.url}/home redirects to ${away.url}/, which is not a page of the crawl. The link leads to the home page of another site. With allowExternalLinks, only other pages of external sites are crawled.`,
      },
      {
        id: expect.any(String),
        timestamp: expect.any(String),
        url: `${away.url}/`,
        code: 'EXTERNAL_LINK',
        error: expect.stringContaining('home page of another site'),
      },
    ]);
    const stranger = await makeTeam(db);
    for (const { id, code, error } of errors) {
      expect(await call(`/v2/scrape/${id}`)).toMatchObject({
        status: 500,
        body: { success: false, code, error },
      });
      expect((await call(`/v2/scrape/${id}`, { key: stranger.key })).status).toBe(404);
    }
  });

  it('follows no links of a page that redirects out of its scope', async () => {
    await using pages = await startPages({
      '/docs/': page('Docs', ['/docs/moved']),
      '/docs/moved': redirectTo('/blog/post'),
      '/blog/post': page('Post', ['/docs/hidden']),
      '/docs/hidden': page('Hidden'),
    });
    const done = await crawl(`${pages.url}/docs/`, { sitemap: 'skip' });
    expect(pathsOf(done)).toEqual(['/docs/']);
    expect((await errorCodesOf(done.id)).errors).toMatchObject([
      { url: `${pages.url}/docs/moved`, code: 'CRAWL_DENIAL' },
    ]);
  });

  it.each([
    ['shorter', 50],
    ['longer', 400],
  ])('scrapes one page at a time with the requested delay, if pages take %s', async (_name, responseMs) => {
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
            }, responseMs);
          },
        ]),
      ),
    );
    const done = await crawl(pages.url, { delay: 0.2, sitemap: 'skip' });
    expect(done.completed).toBe(4);
    expect(most).toBe(1);
    expect(done.duration).toBeGreaterThan(0.6);
  });

  it('does not follow an endless calendar', async () => {
    const server = createServer((request, response) => {
      const month = Number(/month=(\d+)/.exec(request.url ?? '')?.[1] ?? 0);
      const year = 2026 + Math.floor(month / 12);
      response
        .writeHead(200, { 'Content-Type': 'text/html' })
        .end(page(`Month ${month}`, [`/calendar/${year}/${(month % 12) + 1}/?month=${month + 1}`]));
    });
    const port = await listenOnNewPort(server);
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

  it('is obeyed, and the crawl reports the URLs that it forbids', async () => {
    await using pages = await robots('User-agent: *\nDisallow: /closed/\n\nUser-agent: other\nDisallow: /');
    const done = await crawl(pages.url);
    expect(pathsOf(done)).toEqual(['/', '/open', '/winnow']);
    expect(done).toMatchObject({ total: 3, warning: expect.stringContaining('robots.txt') });
    const { errors, robotsBlocked } = await errorCodesOf(done.id);
    expect(errors).toEqual([]);
    expect(robotsBlocked.sort()).toEqual([`${pages.url}/closed/1`, `${pages.url}/closed/2`]);
    expect(pages.requests.map(({ path }) => path)).not.toContain('/closed/1');
  });

  it('that forbids very many pages is reported by the first of them and a count', async () => {
    const closed = Array.from({ length: 1_203 }, (_, n) => `/closed/${n}`);
    await using pages = await robots('User-agent: *\nDisallow: /closed/', {
      '/': page('Home', ['/open', ...closed.slice(0, 700)]),
      '/open': page('Open', closed),
    });
    const done = await crawl(pages.url, { sitemap: 'skip' });
    expect(done.warning).toContain('1,203 pages were left out');
    expect(done.warning).toContain('the first 1,000');
    const { robotsBlocked, robotsBlockedCount } = await errorCodesOf(done.id);
    expect(new Set(robotsBlocked).size).toBe(1_000);
    expect(robotsBlockedCount).toBe(1_203);
  });

  it('may address the crawler by its name or by the configured one', async () => {
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

  it('may forbid the start URL', async () => {
    await using pages = await robots('User-agent: *\nDisallow: /');
    const done = await crawl(pages.url);
    expect(done).toMatchObject({ status: 'completed', total: 0, completed: 0, creditsUsed: 0, data: [] });
    expect((await errorCodesOf(done.id)).robotsBlocked).toEqual([`${pages.url}/`]);
  });

  it('sets the delay on the host that the start URL redirects to', async () => {
    await using target = await robots('User-agent: *\nCrawl-delay: 5');
    await using start = await startPages({ '/': redirectTo(`${target.url}/`) });
    const id = await startJob(PATH, { url: `${start.url}/`, scrapeOptions, sitemap: 'skip' });
    await untilStatus(`${PATH}/${id}`, ({ completed }) => completed >= 1);
    const { body } = await call(`${PATH}/${id}/retune`, { body: { limit: 100 } });
    expect(body.delay).toBe(5);
    await call(`${PATH}/${id}/retune`, { body: { delay: 0 } });
    expect(await finished(PATH, id)).toMatchObject({ completed: 5 });
  });

  it('does not replace the requested delay on the host that the start URL redirects to', async () => {
    await using target = await robots('User-agent: *\nCrawl-delay: 8');
    await using start = await startPages({ '/': redirectTo(`${target.url}/`) });
    const id = await startJob(PATH, { url: `${start.url}/`, scrapeOptions, sitemap: 'skip', delay: 5 });
    await untilStatus(`${PATH}/${id}`, ({ completed }) => completed >= 1);
    const { body } = await call(`${PATH}/${id}/retune`, { body: { limit: 100 } });
    expect(body.delay).toBe(5);
    await call(`${PATH}/${id}/retune`, { body: { delay: 0 } });
    expect(await finished(PATH, id)).toMatchObject({ completed: 5 });
  });

  it('sets the delay between pages', async () => {
    await using pages = await robots('User-agent: *\nCrawl-delay: 0.3');
    const done = await crawl(pages.url, { sitemap: 'skip' });
    expect(done).toMatchObject({ completed: 5 });
    expect(done.duration).toBeGreaterThan(1.2);
  });
});

describe('a crawl of pages in the cache', () => {
  it.each([{ minAge: 1 }, { lockdown: true }])('with %j sends no request to the site', async (option) => {
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
    expect((await errorCodesOf(done.id)).errors).toMatchObject([{ url: `${pages.url}/never`, code }]);
    const only = await crawl(pages.url, { sitemap: 'only', scrapeOptions: { fastMode: true, ...option } });
    expect(only).toMatchObject({ status: 'completed', total: 1, completed: 1 });
    expect(pages.requests.slice(before)).toEqual([]);
  });
});

describe('sitemaps', () => {
  it('provide pages that no link leads to', async () => {
    const done = await crawl(`${site.url}/`, { limit: 1_000, includePaths: ['^/links/'] });
    expect(done.completed).toBe(400);
  });

  it('are not read with sitemap skip', async () => {
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

  it('are the only source with sitemap only', async () => {
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
    const id = await startJob(PATH, { url: `${site.url}/slow/60000/article/1`, scrapeOptions, limit: 3 });
    const { body } = await call('/v2/crawl/active');
    const found = body.crawls.find((each: Body) => each.id === id);
    expect(found).toMatchObject({
      url: `${site.url}/slow/60000/article/1`,
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
      // The delay is so long that even a slow machine sets the lower limit before the crawl reaches it.
      delay: 60,
      crawlEntireDomain: true,
    });
    await untilStatus(`${PATH}/${id}`, (body) => body.completed >= 1);
    const { body } = await call(`${PATH}/${id}/retune`, { body: { limit: 12, delay: 0 } });
    expect(body).toMatchObject({ success: true, limit: 12, delay: null });
    const done = await finished(PATH, id);
    expect(done).toMatchObject({ status: 'completed', total: 12, completed: 12 });
  });

  it('are refused unless the credits cover their limit', async () => {
    const { key } = await makeTeam(db, { credits: 5 });
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

  it('can be configured by a prompt', async () => {
    const { body } = await call('/v2/crawl/params-preview', {
      body: { url: 'https://example.com', prompt: 'only the blog, no more than 50 pages' },
    });
    expect(body).toMatchObject({
      success: true,
      data: { url: 'https://example.com', limit: 50, includePaths: [expect.any(String)] },
    });
    expect(body.warning).toContain('without a model');
  });

  it('fill options from a prompt, except those that the request gives', async () => {
    const { body } = await call(PATH, {
      body: {
        url: `${site.url}/links/0`,
        prompt: 'at most 9 pages of the entire domain',
        sitemap: 'skip',
        includePaths: [''],
        scrapeOptions,
      },
    });
    expect(body).toMatchObject({
      promptGeneratedOptions: { limit: 9, crawlEntireDomain: true },
      finalCrawlerOptions: { limit: 9, sitemap: 'skip' },
    });
    expect(body.warning).toMatch(
      /Check that they cover the whole prompt\. includePaths has an empty pattern/,
    );
    const done = await finished(PATH, body.id);
    expect(done.completed).toBe(9);
    expect(done.warning ?? '').not.toContain('prompt');
  });

  it.each([false, true])(
    'warn about a prompt that is not understood, as the preview does (zero data retention: %j)',
    async (zeroDataRetention) => {
      const prompt = 'Please do something nice';
      const { body: preview } = await call('/v2/crawl/params-preview', {
        body: { url: 'https://example.com', prompt },
      });
      expect(preview.warning).toContain('No part of the prompt was understood');
      const url = `${site.url}/links/0`;
      const { body } = await call(PATH, {
        body: { url, prompt, limit: 1, zeroDataRetention, scrapeOptions },
      });
      expect(body).toMatchObject({ promptGeneratedOptions: {}, warning: preview.warning });
      expect((await finished(PATH, body.id)).warning).toContain(preview.warning);
    },
  );
});
