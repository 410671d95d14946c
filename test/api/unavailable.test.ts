import { kill } from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiResponse, call } from '../support/api/call.ts';
import { finished, startJob, untilStatus } from '../support/api/jobs.ts';
import { startDns, type TestDns } from '../support/network/dns.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { pollUntil } from '../support/suite/poll.ts';

/**
 * Hosts and DNS servers that cannot answer for a while: no page is lost to them, and no crawl forgets
 * robots.txt.
 */

type Body = ApiResponse['body'];
const SERVFAIL = 2;
const PATIENCE_SECONDS = 20;
const scrapeOptions = { fastMode: true, maxAge: 0, storeInCache: false };

let dns: TestDns;
/** Whether the DNS server can look up `flaky.test`. */
let isDnsWell = true;

beforeAll(async () => {
  dns = await startDns({
    'site.test': ['127.0.0.1'],
    'silent.site.test': ['127.0.0.1'],
    'flaky.test': () => (isDnsWell ? ['127.0.0.1'] : SERVFAIL),
    'broken.test': () => SERVFAIL,
  });
});
const service = useService(() => ({
  LOG_LEVEL: 'warn',
  WINNOW_DNS: dns.address,
  WINNOW_ROBOTS_WAIT_SECONDS: String(PATIENCE_SECONDS),
}));
afterAll(async () => {
  await dns?.close();
});

const access = () => ({ url: service.url, key: service.key });
const get = async (path: string): Promise<Body> => (await call(path, access())).body;
const begin = (path: string, body: object) => startJob(path, { ...body }, access());
const end = (path: string, id: string) => finished(path, id, access());

/** Crawls to the end. @returns its last status */
async function crawl(url: string, options: object = {}): Promise<Body> {
  const id = await begin('/v2/crawl', { url, scrapeOptions, sitemap: 'skip', ...options });
  return { id, ...(await end('/v2/crawl', id)) };
}
const pathsOf = (body: Body): string[] =>
  body.data.map((each: Body) => new URL(each.metadata.sourceURL).pathname).sort();
const asksOf = ({ requests }: Pages, path: string) => requests.filter((each) => each.path === path).length;

const page = (title: string, links: string[] = []) =>
  `<title>${title}</title><h1>${title}</h1>${links.map((link) => `<a href="${link}">x</a>`).join(' ')}`;

/**
 * A site whose robots.txt answers with a status of its own, or, where that is 0, never. After `failuresLeft`
 * responses the status is 200.
 */
function startSite(rules = 'User-agent: *\nDisallow: /closed') {
  const state = { status: 200, rules, failuresLeft: Number.POSITIVE_INFINITY };
  const opened = startPages({
    '/robots.txt': (_request, response) => {
      if (state.status > 0) response.writeHead(state.status).end(state.rules);
      if (--state.failuresLeft === 0) state.status = 200;
    },
    '/': page('Home', ['/open', '/closed', '/more']),
    '/open': page('Open'),
    '/closed': page('Closed'),
    '/more': page('More'),
    '/listing.xml': ({ headers: { host } }, response) =>
      void response.end(`<urlset><url><loc>http://${host}/listed</loc></url></urlset>`),
    '/listed': page('Listed'),
  });
  return opened.then((pages) => ({ pages, state }));
}

// The tests wait for retries most of the time, so they wait together.
describe.concurrent('a robots.txt that is unavailable', () => {
  it('is requested again and obeyed while the pages of its host stay pending', async () => {
    const { pages, state } = await startSite();
    await using site = pages;
    state.status = 503;
    const id = await begin('/v2/crawl', { url: site.url, scrapeOptions, sitemap: 'skip' });
    await untilStatus(`/v2/crawl/${id}`, () => asksOf(site, '/robots.txt') >= 2, access());
    expect(await get(`/v2/crawl/${id}`)).toMatchObject({
      status: 'scraping',
      total: 1,
      completed: 0,
      failed: 0,
      warning: expect.stringContaining('robots.txt'),
    });
    state.status = 200;
    const done = await end('/v2/crawl', id);
    expect(done).toMatchObject({ status: 'completed', total: 3, completed: 3, failed: 0 });
    expect(pathsOf(done)).toEqual(['/', '/more', '/open']);
    expect((await get(`/v2/crawl/${id}/errors`)).robotsBlocked).toEqual([`${site.url}/closed`]);
    expect(asksOf(site, '/closed')).toBe(0);
  });

  it.each([
    [500, 'responded with HTTP 500'],
    [0, 'did not respond within 15 seconds'],
  ])('fails a crawl of its host in the end, which says why (status %s)', async (status, reason) => {
    const { pages, state } = await startSite();
    await using site = pages;
    state.status = status;
    const done = await crawl(site.url);
    expect(done).toMatchObject({ status: 'failed', completed: 0, creditsUsed: 0, data: [] });
    expect(done.error).toMatch(
      new RegExp(`^${site.url}/robots.txt ${reason}, \\d+ times\\. .*Try again later.*ignoreRobotsTxt`),
    );
    const retry = await call(`/v2/crawl/${done.id}/retry`, { method: 'POST', ...access() });
    expect([retry.status, retry.body.code]).toEqual([409, 'JOB_ENDED']);
    expect(await crawl(site.url, { ignoreRobotsTxt: true })).toMatchObject({
      status: 'completed',
      completed: 4,
    });
    // The next crawl asks for itself.
    state.status = 200;
    expect(await crawl(site.url)).toMatchObject({ status: 'completed', completed: 3 });
  });

  it('is awaited on the host that the start URL redirects to, since it sets delay and sitemaps', async () => {
    const { pages, state } = await startSite('User-agent: *\nCrawl-delay: 5\nSitemap: /listing.xml');
    await using site = pages;
    await using start = await startPages({
      '/': (_request, response) => response.writeHead(302, { Location: `${site.url}/` }).end(),
    });
    state.status = 503;
    const id = await begin('/v2/crawl', { url: `${start.url}/`, scrapeOptions });
    await untilStatus(`/v2/crawl/${id}`, () => asksOf(site, '/robots.txt') >= 2, access());
    expect(await get(`/v2/crawl/${id}`)).toMatchObject({ status: 'scraping', total: 1, completed: 0 });
    state.status = 200;
    await untilStatus(`/v2/crawl/${id}`, ({ completed }) => completed >= 1, access());
    const { body } = await call(`/v2/crawl/${id}/retune`, { body: { limit: 100 }, ...access() });
    expect(body.delay).toBe(5);
    await call(`/v2/crawl/${id}/retune`, { body: { delay: 0 }, ...access() });
    const done = await end('/v2/crawl', id);
    expect(done).toMatchObject({ status: 'completed', failed: 0 });
    expect(pathsOf(done)).toEqual(['/', '/closed', '/listed', '/more', '/open']);

    await using silent = await startPages({
      '/robots.txt': (_request, response) => response.writeHead(503).end(),
      '/': page('Home'),
    });
    await using other = await startPages({
      '/': (_request, response) => response.writeHead(302, { Location: `${silent.url}/` }).end(),
    });
    expect(await crawl(`${other.url}/`)).toMatchObject({
      status: 'failed',
      creditsUsed: 0,
      error: expect.stringContaining(`${silent.url}/robots.txt responded with HTTP 503`),
    });
  });

  it('costs a crawl the pages of its host only, and /retry scrapes them', async () => {
    let isWell = false;
    await using site = await startPages({
      '/robots.txt': (request, response) => {
        const isSilent = request.headers.host?.startsWith('silent.') && !isWell;
        response.writeHead(isSilent ? 502 : 404).end();
      },
      '/': (request, response) =>
        void response
          .writeHead(200, { 'Content-Type': 'text/html' })
          .end(
            page('Home', [
              '/open',
              `http://silent.${request.headers.host}/a`,
              `http://silent.${request.headers.host}/b`,
            ]),
          ),
      '/open': page('Open'),
      '/a': page('A'),
      '/b': page('B'),
    });
    const { port } = new URL(site.url);
    const done = await crawl(`http://site.test:${port}/`, { allowSubdomains: true });
    expect(done).toMatchObject({ status: 'completed', total: 4, completed: 2, failed: 2, creditsUsed: 2 });
    expect(pathsOf(done)).toEqual(['/', '/open']);
    const path = `/v2/crawl/${done.id}`;
    const { errors, robotsBlocked } = await get(`${path}/errors`);
    expect(robotsBlocked).toEqual([]);
    expect(errors).toMatchObject(
      ['/a', '/b'].map((each) => ({
        url: `http://silent.site.test:${port}${each}`,
        code: 'ROBOTS_UNAVAILABLE',
        error: expect.stringContaining(`http://silent.site.test:${port}/robots.txt responded with HTTP 502`),
      })),
    );
    expect([asksOf(site, '/a'), asksOf(site, '/b')]).toEqual([0, 0]);
    expect((await get(`/v2/scrape/${errors[0].id}`)).code).toBe('ROBOTS_UNAVAILABLE');

    isWell = true;
    expect((await call(`${path}/retry`, { method: 'POST', ...access() })).body.retried).toBe(2);
    expect(await end('/v2/crawl', done.id)).toMatchObject({ completed: 4, failed: 0 });
  });
});

it('an unavailable robots.txt is replaced by its last copy, even after the worker that read it has died', async () => {
  const { pages, state } = await startSite();
  await using site = pages;
  expect(pathsOf(await crawl(site.url))).toEqual(['/', '/more', '/open']);
  state.status = 503;
  const { children } = service.readRunFile();
  kill(children.worker!.pid, 'SIGKILL');
  const done = await crawl(site.url);
  expect(done).toMatchObject({ status: 'completed', completed: 3, failed: 0 });
  expect(asksOf(site, '/closed')).toBe(0);
});

describe('a robots.txt that is available', () => {
  it('is read once for each crawl by all its workers', async () => {
    const { pages, state } = await startSite();
    await using site = pages;
    expect(pathsOf(await crawl(site.url))).toEqual(['/', '/more', '/open']);
    expect(asksOf(site, '/robots.txt')).toBe(1);
    state.rules = 'User-agent: *\nDisallow: /open';
    expect(pathsOf(await crawl(site.url))).toEqual(['/', '/closed', '/more']);
    expect(asksOf(site, '/robots.txt')).toBe(2);
  });
});

describe('a map', () => {
  it('requests an unavailable robots.txt again, and fails with the reason otherwise', async () => {
    const { pages, state } = await startSite();
    await using site = pages;
    state.status = 500;
    const body = { url: site.url, sitemap: 'skip' };
    const failed = await call('/v2/map', { body, ...access() });
    expect([failed.status, failed.body.code]).toEqual([500, 'ROBOTS_UNAVAILABLE']);
    expect(failed.body.error).toContain(`${site.url}/robots.txt responded with HTTP 500, 3 times`);
    const ignoring = await call('/v2/map', { body: { ...body, ignoreRobotsTxt: true }, ...access() });
    expect(ignoring.body.links.map(({ url }: Body) => new URL(url).pathname).sort()).toEqual([
      '/',
      '/closed',
      '/more',
      '/open',
    ]);
    state.failuresLeft = 1;
    const { links } = (await call('/v2/map', { body, ...access() })).body;
    expect(links.map(({ url }: Body) => new URL(url).pathname).sort()).toEqual(['/', '/more', '/open']);
  });
});

describe('a DNS server that cannot answer', () => {
  /** Waits until the DNS server has failed twice: each lookup asks it at most two times. */
  const untilAskedAgain = (before: number) =>
    pollUntil(() => dns.questions.slice(before).filter((each) => each === 'flaky.test A').length >= 2);

  it('is asked again for the pages of a job, which are charged normally', async () => {
    await using site = await startPages({ '/': page('Home') });
    const { port } = new URL(site.url);
    isDnsWell = false;
    const before = dns.questions.length;
    const id = await begin('/v2/batch/scrape', { urls: [`http://flaky.test:${port}/`], ...scrapeOptions });
    await untilAskedAgain(before);
    isDnsWell = true;
    expect(await end('/v2/batch/scrape', id)).toMatchObject({ completed: 1, failed: 0, creditsUsed: 1 });
  });

  it('finally fails a page, which costs nothing and is not reported as an unknown host', async () => {
    const urls = ['http://broken.test/', 'http://no-such-name.test/'];
    const id = await begin('/v2/batch/scrape', { urls, ...scrapeOptions });
    expect(await end('/v2/batch/scrape', id)).toMatchObject({ completed: 0, failed: 2, creditsUsed: 1 });
    const { errors } = await get(`/v2/batch/scrape/${id}/errors`);
    expect(errors).toMatchObject([
      { url: urls[0], code: 'SCRAPE_DNS_SERVER_ERROR', error: expect.stringContaining('Try again later') },
      {
        url: urls[1],
        code: 'SCRAPE_DNS_RESOLUTION_ERROR',
        error: expect.stringContaining('does not resolve'),
      },
    ]);
    const scrape = await call('/v2/scrape', { body: { url: urls[0], ...scrapeOptions }, ...access() });
    expect([scrape.status, scrape.body.code]).toEqual([500, 'SCRAPE_DNS_SERVER_ERROR']);
  });

  it('makes a crawl wait as an unresponsive host does', async () => {
    await using site = await startPages({ '/': page('Home') });
    const { port } = new URL(site.url);
    isDnsWell = false;
    const before = dns.questions.length;
    const id = await begin('/v2/crawl', {
      url: `http://flaky.test:${port}/`,
      scrapeOptions,
      sitemap: 'skip',
    });
    await untilAskedAgain(before);
    isDnsWell = true;
    expect(await end('/v2/crawl', id)).toMatchObject({ status: 'completed', completed: 1, failed: 0 });
  });
});
