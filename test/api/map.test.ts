import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSite } from '../site/site.ts';
import { call } from '../support/api/call.ts';
import { startApi } from '../support/api/in-process-api.ts';
import { finished, startJob } from '../support/api/jobs.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { useSite } from '../support/sites/use-site.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';

/** The links of a site, however they are found. */

const site = useSite();
const db = useDatabase();
let shop: Pages;

beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop[Symbol.asyncDispose]());

const map = (body: Record<string, unknown>, key?: string) => call('/v2/map', { body, ...(key && { key }) });

/**
 * Maps without what other tests have scraped, and expects that to work.
 * @returns paths, and the rest of the answer
 */
async function pathsOf(body: Record<string, unknown>, key?: string) {
  const { status, body: answer } = await map({ useIndex: false, ...body }, key);
  expect([status, answer.success, answer.error]).toEqual([200, true, undefined]);
  const links: { url: string; title?: string; description?: string }[] = answer.links;
  const paths = links.map(({ url }) => url.replace(/^https?:\/\/[^/]+/, ''));
  return { paths, links, warning: answer.warning as string | undefined, id: answer.id as string };
}

const page = (title: string, links: string[], head = '') =>
  `<!DOCTYPE html><title>${title}</title>${head}<body>${links.map((link) => `<a href="${link}">x</a>`).join('')}</body>`;

/** A page that takes a while, as one of very many. */
const slowPage =
  (n: number): RequestListener =>
  (_request, response) => {
    const links = [2 * n + 1, 2 * n + 2].map((each) => `/endless/${each}`);
    setTimeout(() => response.writeHead(200, { 'Content-Type': 'text/html' }).end(page(`${n}`, links)), 150);
  };

/** A site with what the generated one lacks. */
const startShop = () =>
  startPages({
    '/': page('The Shop', ['/list?page=1', '/gone', '/moved', '/secret/plan', '/picture.png', '/manual.pdf']),
    '/list': ({ url }, response) => {
      const links = url?.endsWith('1')
        ? ['/item/1', '/item/2', '/list?page=2']
        : ['/item/3', '/item/1?colour=red', '/list?page=1'];
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(page('List', links));
    },
    '/item/1': page('A red lamp', ['/'], '<meta name="description" content="It shines.">'),
    '/item/2': page('A blue chair', ['/']),
    '/item/3': page('A green door', ['/item/3#handle']),
    '/moved': (_request, response) => response.writeHead(302, { Location: '/new-home' }).end(),
    '/new-home': page('New home', []),
    '/docs': page('Docs', ['/docs/install', '/docs/ApiReference', '/']),
    '/docs/install': page('How to install', ['/docs']),
    '/docs/ApiReference': page('Reference', ['/docs']),
    '/robots.txt': 'User-agent: *\nDisallow: /secret/\n',
    '/sitemap.xml': ({ headers: { host } }, response) => {
      const urls = ['/docs', '/secret/plan'].map((path) => `<url><loc>http://${host}${path}</loc></url>`);
      response.writeHead(200, { 'Content-Type': 'application/xml' }).end(`<urlset>${urls.join('')}</urlset>`);
    },
    ...Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`/endless/${n}`, slowPage(n)])),
  });

const redirectTo =
  (target: string): RequestListener =>
  (_request, response) =>
    response.writeHead(302, { Location: target }).end();

describe('robots.txt', () => {
  const startGuarded = (listed: string[]) =>
    startPages({
      '/': page('Home', ['/open', '/closed/1', '/closed/2?a=1', '/closed/2?a=2']),
      '/open': page('Open', []),
      '/closed/1': page('One', ['/closed/below']),
      '/closed/2': page('Two', []),
      '/closed/below': page('Below', []),
      '/robots.txt': 'User-agent: *\nDisallow: /closed/\nSitemap: /listed.xml\n',
      '/listed.xml': ({ headers: { host } }, response) => {
        const urls = listed.map((path) => `<url><loc>http://${host}${path}</loc></url>`);
        response
          .writeHead(200, { 'Content-Type': 'application/xml' })
          .end(`<urlset>${urls.join('')}</urlset>`);
      },
    });

  it('removes forbidden links from a map, which reports their number', async () => {
    await using guarded = await startGuarded(['/closed/listed', '/closed/1']);
    const { paths, warning } = await pathsOf({ url: guarded.url });
    expect(paths).toEqual(['/', '/open']);
    expect(warning).toBe(
      `The robots.txt of the site disallows 3 links, such as ${guarded.url}/closed/listed, so they are not listed. Set ignoreRobotsTxt if you are allowed to list them anyway.`,
    );
    expect(guarded.requests.map(({ path }) => path)).not.toContain('/closed/1');
    const only = await pathsOf({ url: guarded.url, sitemap: 'only' });
    expect(only.paths).toEqual([]);
    expect(only.warning).toContain('disallows 2 links');
  });

  it('is ignored on request, except for its sitemaps', async () => {
    await using guarded = await startGuarded(['/closed/listed']);
    const { paths, warning } = await pathsOf({ url: guarded.url, ignoreRobotsTxt: true });
    expect(paths.toSorted()).toEqual([
      '/',
      '/closed/1',
      '/closed/2',
      '/closed/below',
      '/closed/listed',
      '/open',
    ]);
    expect(warning).toBeUndefined();
  });
});

describe('links that are followed', () => {
  it('are at least 95 of 100 on a site of 5,000 pages without a sitemap', async () => {
    const { paths, links } = await pathsOf({
      url: `${site.url}/links/0`,
      sitemap: 'skip',
      filterByPath: false,
      timeout: 150_000,
    });
    expect(links[0]).toEqual({ url: `${site.url}/links/0`, title: 'Page 0' });
    expect(new Set(paths).size).toBe(paths.length);
    const wanted = Array.from({ length: 5_000 }, (_, n) => `/links/${n}`).filter((path) =>
      paths.includes(path),
    );
    expect(wanted.length).toBeGreaterThanOrEqual(4_750);
    // robots.txt asks not to go there, and the rest is elsewhere.
    expect(paths.filter((path) => !path.startsWith('/links/'))).toEqual([]);
    expect(site.hits('/private/0')).toBe(0);
  });

  it('are pages of the site, each once, without missing pages, forbidden ones and files', async () => {
    const { paths, links, warning } = await pathsOf({ url: shop.url, sitemap: 'skip' });
    expect(links[0]).toEqual({ url: `${shop.url}/`, title: 'The Shop' });
    expect(paths.toSorted()).toEqual([
      '/',
      '/item/1',
      '/item/2',
      '/item/3',
      '/list',
      '/manual.pdf',
      '/moved',
      '/new-home',
    ]);
    expect(links).toContainEqual({
      url: `${shop.url}/item/1`,
      title: 'A red lamp',
      description: 'It shines.',
    });
    expect(warning).toBe(
      `The robots.txt of the site disallows ${shop.url}/secret/plan, so it is not listed. Set ignoreRobotsTxt if you are allowed to list it anyway.`,
    );
    expect(shop.headersOf('/item/3')).toBeDefined();
    expect(shop.headersOf('/secret/plan')).toBeUndefined();
    expect(shop.headersOf('/manual.pdf')).toBeUndefined();
  });

  it('keep their queries on request', async () => {
    const { paths } = await pathsOf({ url: shop.url, sitemap: 'skip', ignoreQueryParameters: false });
    expect(paths).toEqual(
      expect.arrayContaining(['/list?page=1', '/list?page=2', '/item/1?colour=red', '/item/1']),
    );
  });

  it('are found on a start page that needs the browser', async () => {
    const { paths } = await pathsOf({
      url: `${site.url}/app/0`,
      sitemap: 'skip',
      filterByPath: false,
      limit: 2,
    });
    expect(paths).toEqual(['/app/0', '/article/1']);
  });

  it('are fetched with the headers and languages of the request', async () => {
    await pathsOf({
      url: shop.url,
      sitemap: 'skip',
      headers: { 'X-Ticket': '7' },
      location: { country: 'DE', languages: ['de', 'fr'] },
    });
    for (const path of ['/', '/list', '/item/3'])
      expect(shop.headersOf(path)).toMatchObject({ 'x-ticket': '7', 'accept-language': 'de, fr' });
  });
});

describe('sitemaps', () => {
  it('alone give exactly as many links as the limit', async () => {
    const { paths } = await pathsOf({ url: site.url, sitemap: 'only', limit: 10 });
    expect(paths).toEqual(Array.from({ length: 10 }, (_, n) => `/links/${n}`));
  });

  it('make a crawl of the site unnecessary when they give enough links', async () => {
    const before = site.hits('/links/7');
    const { paths } = await pathsOf({ url: site.url, limit: 100 });
    expect(paths).toEqual(['/', ...Array.from({ length: 99 }, (_, n) => `/links/${n}`)]);
    expect(site.hits('/links/7')).toBe(before);
  });

  it('are combined with the links of pages, beginning with the start URL', async () => {
    const { paths } = await pathsOf({ url: shop.url });
    expect(paths.slice(0, 2)).toEqual(['/', '/docs']);
    expect(paths).toEqual(expect.arrayContaining(['/item/3', '/list']));
    expect(paths).not.toContain('/secret/plan');
  });

  it('that are missing are reported with sitemap only', async () => {
    await using bare = await startPages({ '/': page('Bare', ['/a']) });
    const { paths, warning } = await pathsOf({ url: bare.url, sitemap: 'only' });
    expect(paths).toEqual([]);
    expect(warning).toBe('The site has no sitemap in its robots.txt or at the usual URLs.');
    expect((await pathsOf({ url: bare.url })).paths).toEqual(['/']);
  });
});

describe('the scope of a map', () => {
  it('is the path of the URL, and a warning says how to get more', async () => {
    const { paths, warning } = await pathsOf({ url: `${shop.url}/docs`, sitemap: 'skip' });
    expect(paths).toEqual(['/docs', '/docs/install', '/docs/ApiReference']);
    expect(warning).toBe(
      `There are only a few links below /docs. For more, map ${shop.url}/, or set filterByPath to false.`,
    );
    const whole = await pathsOf({ url: `${shop.url}/docs`, sitemap: 'skip', filterByPath: false });
    expect(whole.paths).toEqual(expect.arrayContaining(['/docs/install', '/', '/item/2']));
    expect(whole.warning).not.toContain('/docs');
  });

  it('stays the whole site when its root redirects to a page', async () => {
    await using moved = await startPages({
      '/': redirectTo('/home'),
      '/home': page('Home', ['/a', '/b/c']),
      '/a': page('A', []),
      '/b/c': page('C', []),
    });
    const { paths, warning } = await pathsOf({ url: moved.url, sitemap: 'skip' });
    expect(paths).toEqual(['/home', '/a', '/b/c']);
    expect(warning).toBeUndefined();
  });

  it('moves to the host that the URL redirects to, below the requested path', async () => {
    await using start = await startPages({ '/docs': redirectTo(`${shop.url}/docs/install`) });
    const { paths, warning } = await pathsOf({ url: `${start.url}/docs`, sitemap: 'skip' });
    expect(paths.toSorted()).toEqual(['/docs', '/docs/ApiReference', '/docs/install']);
    expect(warning).toContain(`There are only a few links below /docs. For more, map ${shop.url}/,`);
  });

  it('is explained by a warning when the URL redirects out of its own path', async () => {
    await using moved = await startPages({
      '/docs': redirectTo('/manual'),
      '/manual': page('Manual', ['/docs/a', '/manual/b']),
      '/docs/a': page('A', []),
      '/manual/b': page('B', []),
    });
    const { paths, warning } = await pathsOf({ url: `${moved.url}/docs`, sitemap: 'skip' });
    expect(paths).toEqual(['/docs/a']);
    expect(warning).toBe(
      `The requested URL redirects to ${moved.url}/manual, which is not below /docs. Only links below /docs are listed. Map ${moved.url}/manual for the links there, or set filterByPath to false.`,
    );
  });

  it('follows the patterns', async () => {
    const { paths } = await pathsOf({ url: shop.url, sitemap: 'skip', excludePaths: ['^/item/[12]', '^/m'] });
    expect(paths).toEqual(['/', '/list', '/item/3']);
    const refused = await map({ url: shop.url, includePaths: ['('] });
    expect([refused.status, refused.body.code]).toEqual([400, 'BAD_REQUEST']);
  });

  it('ends at the limit', async () => {
    expect((await pathsOf({ url: shop.url, sitemap: 'skip', limit: 3 })).paths).toHaveLength(3);
  });
});

describe('a search', () => {
  it('ranks links by URL and title and drops none', async () => {
    const all = await pathsOf({ url: shop.url, sitemap: 'skip' });
    const byTitle = await pathsOf({ url: shop.url, sitemap: 'skip', search: 'green doors' });
    expect(byTitle.paths[0]).toBe('/item/3');
    expect(byTitle.paths.toSorted()).toEqual(all.paths.toSorted());
    const byUrl = await pathsOf({ url: `${shop.url}/docs`, sitemap: 'skip', search: 'api' });
    expect(byUrl.paths[0]).toBe('/docs/ApiReference');
  });

  it('ranks more links than it returns', async () => {
    const { paths } = await pathsOf({ url: shop.url, sitemap: 'skip', search: 'green door', limit: 1 });
    expect(paths).toEqual(['/item/3']);
  });
});

describe('pages from earlier jobs', () => {
  const start = { sitemap: 'skip', filterByPath: false, limit: 1_000 } as const;

  it('that the team scraped are included', async () => {
    const small = await startSite({ pages: 3 });
    const [own, other] = [await makeTeam(db), await makeTeam(db)];
    await call('/v2/scrape', { body: { url: `${small.url}/topic/hidden` }, key: own.key });
    const url = `${small.url}/links/0`;
    const known = await pathsOf({ ...start, url, useIndex: true }, own.key);
    expect(known.paths).toEqual(['/links/0', '/topic/hidden', '/links/1', '/links/2']);
    const plain = ['/links/0', '/links/1', '/links/2'];
    for (const without of [{ useIndex: false }, { useIndex: true, ignoreCache: true }]) {
      expect((await pathsOf({ ...start, url, ...without }, own.key)).paths).toEqual(plain);
    }
    expect((await pathsOf({ ...start, url, useIndex: true }, other.key)).paths).toEqual(plain);
    await small.close();
  });

  it('that were crawled are included for the same team only', async () => {
    const small = await startSite({ pages: 3 });
    const [own, other] = [await makeTeam(db), await makeTeam(db)];
    const id = await startJob(
      '/v2/crawl',
      { url: `${small.url}/about/own`, sitemap: 'skip', limit: 1, scrapeOptions: { storeInCache: false } },
      { key: own.key },
    );
    expect(await finished('/v2/crawl', id, { key: own.key })).toMatchObject({ completed: 1 });
    const url = `${small.url}/links/0`;
    expect((await pathsOf({ ...start, url, useIndex: true }, own.key)).paths).toContain('/about/own');
    expect((await pathsOf({ ...start, url, useIndex: true }, other.key)).paths).not.toContain('/about/own');
    await small.close();
  });
});

describe('the timeout of a map', () => {
  it('returns MAP_TIMEOUT when it passes at once', async () => {
    const { status, body } = await map({ url: site.url, timeout: 1 });
    expect([status, body.success, body.code]).toEqual([408, false, 'MAP_TIMEOUT']);
    expect(body.error).toContain('Map timed out');
  });

  it('returns MAP_TIMEOUT when the site never responds', async () => {
    const { status, body } = await map({ url: `${site.url}/slow/20000/page`, timeout: 2_000 });
    expect([status, body.code]).toEqual([408, 'MAP_TIMEOUT']);
  });

  it('ends the crawl of an endless site and returns the links found so far with a warning', async () => {
    const url = `${shop.url}/endless/0`;
    const { paths, warning } = await pathsOf({ url, sitemap: 'skip', filterByPath: false, timeout: 12_000 });
    expect(paths.slice(0, 3)).toEqual(['/endless/0', '/endless/1', '/endless/2']);
    expect(warning).toBe(
      'The time ran out before every page had been visited. Raise the timeout to find more links.',
    );
  });
});

it('a service that shuts down responds to waiting requests and tells them to retry', async () => {
  await using app = await startApi({});
  app.beginShutdown();
  const body = { url: `${site.url}/slow/20000/page`, sitemap: 'skip', timeout: 15_000 };
  const answer = await call('/v2/map', { url: app.url, body });
  expect([answer.status, answer.body.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  expect(answer.body.error).toBe('The service is stopping. Request the map again when the service is back.');
  expect(answer.headers.get('retry-after')).toBe('10');
});

describe('a map that cannot be made in full', () => {
  it.each([
    ['http://no-such-host.invalid/', 200, 'SCRAPE_DNS_RESOLUTION_ERROR'],
    ['http://169.254.169.254/', 403, 'unsafe_domain_blocked'],
  ])('fails with the reason for %s', async (url, status, code) => {
    for (const sitemap of ['include', 'only']) {
      const answer = await map({ url, sitemap });
      expect([answer.status, answer.body.success, answer.body.code]).toEqual([status, false, code]);
    }
  });

  it('fails with SCRAPE_SITE_ERROR when the connection breaks', async () => {
    const { status, body } = await map({ url: `${site.url}/reset`, sitemap: 'skip' });
    expect([status, body.code]).toEqual([500, 'SCRAPE_SITE_ERROR']);
  });

  it('has a warning when the URL does not exist or robots.txt forbids it', async () => {
    const missing = await pathsOf({ url: `${site.url}/status/404`, sitemap: 'skip', filterByPath: false });
    expect(missing.paths).toEqual([]);
    expect(missing.warning).toBe('The requested URL returned HTTP 404.');
    const forbidden = await pathsOf({ url: `${site.url}/private/1`, sitemap: 'skip', filterByPath: false });
    expect(forbidden.paths).toEqual([]);
    expect(forbidden.warning).toBe(
      'The robots.txt of the site disallows the requested URL. Set ignoreRobotsTxt if you are allowed to visit it anyway.',
    );
    expect(site.hits('/private/1')).toBe(0);
  });

  it.each([
    ['no address', {}],
    ['an unknown key', { url: 'http://example.com/', depth: 1 }],
    ['limit 0', { url: 'http://example.com/', limit: 0 }],
    ['a limit above 100,000', { url: 'http://example.com/', limit: 100_001 }],
    ['timeout 0', { url: 'http://example.com/', timeout: 0 }],
    ['another use of sitemaps', { url: 'http://example.com/', sitemap: 'maybe' }],
    ['another scheme', { url: 'ftp://example.com/' }],
  ])('is refused for %s', async (_name, body) => {
    const answer = await map(body);
    expect([answer.status, answer.body.code]).toEqual([400, 'BAD_REQUEST']);
  });

  it('is refused with threatProtection, which is not enabled', async () => {
    const { status, body } = await map({ url: shop.url, threatProtection: { mode: 'normal' } });
    expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
  });
});

describe('the job of a map', () => {
  it('costs one credit when it succeeds, and none when it times out', async () => {
    const team = await makeTeam(db, { credits: 2 });
    const left = async () =>
      (await call('/v2/team/credit-usage', { key: team.key })).body.data.remainingCredits;
    const { id } = await pathsOf(
      { url: shop.url, sitemap: 'skip', origin: 'test', integration: null },
      team.key,
    );
    expect(await left()).toBe(1);
    await map({ url: shop.url, timeout: 1 }, team.key);
    expect(await left()).toBe(1);
    const ledger = await db.query
      .selectFrom('credit_entries')
      .select(['job_id', 'credits'])
      .where('team_id', '=', team.id)
      .execute();
    expect(ledger).toEqual([{ job_id: id, credits: 1 }]);
    await pathsOf({ url: shop.url, sitemap: 'skip' }, team.key);
    const refused = await map({ url: shop.url }, team.key);
    expect([refused.status, refused.body.code]).toEqual([402, 'INSUFFICIENT_CREDITS']);
  });

  it('is listed in the activity and releases its slot', async () => {
    const team = await makeTeam(db, { concurrency: 1 });
    const first = await pathsOf({ url: shop.url, sitemap: 'skip' }, team.key);
    const second = await pathsOf({ url: `${shop.url}/docs` }, team.key);
    const { body } = await call('/v2/team/activity?endpoint=map', { key: team.key });
    expect(body.data).toMatchObject([
      { id: second.id, endpoint: 'map', target: `${shop.url}/docs` },
      { id: first.id, endpoint: 'map', target: shop.url },
    ]);
    expect((await call('/v2/concurrency-check', { key: team.key })).body.concurrency).toBe(0);
  });
});
