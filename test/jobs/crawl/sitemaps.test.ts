import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEgress, type Egress } from '../../../src/fetch/net/checked-egress.ts';
import { parseRobots } from '../../../src/jobs/crawl/robots/fetch-robots-txt.ts';
import {
  locateSitemaps,
  type SitemapReport,
  type SitemapWalkOptions,
  walkSitemaps,
} from '../../../src/jobs/crawl/sitemaps/fetch-sitemaps.ts';

let server: Server;
let egress: Egress;
let site = '';
const asked: string[] = [];
const left = Promise.withResolvers<void>();

const urlset = (...paths: string[]) =>
  `<urlset>${paths.map((path) => `<url><loc>${site}${path}</loc></url>`).join('')}</urlset>`;
const index = (...paths: string[]) =>
  `<sitemapindex>${paths.map((path) => `<sitemap><loc>${site}${path}</loc></sitemap>`).join('')}</sitemapindex>`;
const range = (count: number) => Array.from({ length: count }, (_, n) => n);

const FILES: Record<string, () => string | Buffer> = {
  '/pages.xml': () => urlset('/a', '/b', '/a'),
  '/packed.xml.gz': () => gzipSync(urlset('/packed')),
  '/many.xml': () => urlset(...range(2_500).map((n) => `/many/${n}`)),
  '/index.xml': () =>
    index('/pages.xml', '/packed.xml.gz', '/broken.xml', '/index.xml', '/pages.xml', '/missing.xml'),
  '/broken.xml': () => '<html><body>sorry</body></html>',
  '/nested.xml': () => urlset('/first', '/inside.xml', '/document.xml', '/gone.xml', '/last'),
  '/inside.xml': () => urlset('/inside'),
  '/document.xml': () => '<invoice><total>1</total></invoice>',
  '/wide.xml': () => index(...range(50).map((n) => `/leaf-${n}.xml`)),
  '/bad-packed.xml': () => Buffer.concat([gzipSync(urlset('/x')).subarray(0, 40), Buffer.alloc(900, 7)]),
};

function answer(path: string, response: ServerResponse): void {
  const deep = /^\/deep-(\d+)\.xml$/.exec(path);
  if (deep) response.end(index(`/deep-${Number(deep[1]) + 1}.xml`, `/leaf-${deep[1]}.xml`));
  else if (path.startsWith('/leaf-')) response.end(urlset(path.replace('.xml', '-page')));
  else if (path === '/moved.xml') response.writeHead(301, { location: '/pages.xml' }).end();
  else if (path === '/error.xml') response.writeHead(500).end(urlset('/never'));
  else if (path === '/encoded.xml')
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(gzipSync(urlset('/twice'))));
  else if (path === '/silent.xml') return;
  else if (path === '/reset.xml') response.destroy();
  else if (path === '/hang.xml') response.write('<urlset>');
  else if (path === '/endless.xml')
    response
      .on('close', left.resolve)
      .write(urlset(...range(1_500).map((n) => `/page-${n}`)).replace('</urlset>', ''));
  else if (FILES[path]) response.end(FILES[path]());
  else response.writeHead(404).end('none');
}

beforeAll(async () => {
  egress = createEgress({ allowPrivate: ['127.0.0.1/32'] });
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request.url ?? '', response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server's address is never a string
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await egress.close();
});

async function walk(roots: string[], options: Partial<SitemapWalkOptions> = {}) {
  asked.length = 0;
  const signal = AbortSignal.timeout(150_000);
  const batches: string[][] = [];
  const all = walkSitemaps({
    egress,
    roots: roots.map((path) => site + path),
    userAgent: 'Winnow/1.0',
    signal,
    ...options,
  });
  let step = await all.next();
  for (; !step.done; step = await all.next()) batches.push(step.value);
  const report: SitemapReport = step.value;
  const pages = batches.flat().map((url) => url.replace(site, ''));
  return { pages, sizes: batches.map(({ length }) => length), report };
}

const clean = { missing: [], failed: [], truncated: false };

describe('reading the sitemaps of a site', () => {
  it('returns the pages of every file of an index, each file once', async () => {
    const { pages, report } = await walk(['/index.xml']);
    expect(pages).toEqual(['/a', '/b', '/a', '/packed']);
    expect(report).toEqual({
      files: 3,
      missing: [],
      failed: [
        {
          url: `${site}/broken.xml`,
          code: 'SCRAPE_SITE_ERROR',
          error: `${site}/broken.xml is neither a sitemap nor a feed.`,
        },
        { url: `${site}/missing.xml`, code: 'SCRAPE_SITE_ERROR', error: expect.stringContaining('HTTP 404') },
      ],
      truncated: false,
    });
    expect(asked.toSorted()).toEqual([
      '/broken.xml',
      '/index.xml',
      '/missing.xml',
      '/packed.xml.gz',
      '/pages.xml',
    ]);
  });

  it('returns pages in batches', async () => {
    const { pages, sizes } = await walk(['/many.xml', '/pages.xml']);
    expect(sizes).toEqual([1_000, 1_000, 500, 3]);
    expect(pages.slice(0, 2_500)).toEqual(range(2_500).map((n) => `/many/${n}`));
  });

  it('leaves out unwanted pages', async () => {
    const { pages, sizes } = await walk(['/many.xml'], { isWanted: (url) => url.endsWith('00') });
    expect(pages.length).toBe(24);
    expect(sizes).toEqual([24]);
  });

  it('reads XML among the pages as a sitemap, or returns it as a page', async () => {
    const { pages, report } = await walk(['/nested.xml']);
    expect(pages).toEqual(['/first', '/last', '/inside', '/document.xml', '/gone.xml']);
    expect(report).toMatchObject({ failed: [], missing: [] });
  });

  it('follows a redirect, but not to a file that was read already', async () => {
    expect(await walk(['/moved.xml'])).toMatchObject({
      pages: ['/a', '/b', '/a'],
      report: { ...clean, files: 1 },
    });
    expect(await walk(['/pages.xml', '/moved.xml'])).toMatchObject({
      pages: ['/a', '/b', '/a'],
      report: { ...clean, files: 1 },
    });
  });

  it('decompresses files that are compressed twice', async () => {
    expect((await walk(['/encoded.xml'])).pages).toEqual(['/twice']);
  });

  it('ignores a guessed sitemap that does not exist', async () => {
    expect(await walk(['/sitemap.xml', '/pages.xml'])).toMatchObject({
      pages: ['/a', '/b', '/a'],
      report: { files: 1, missing: [`${site}/sitemap.xml`], failed: [] },
    });
  });

  it('continues after failures of every kind', async () => {
    const { pages, report } = await walk(['/error.xml', '/reset.xml', '/bad-packed.xml', '/pages.xml']);
    expect(pages).toEqual(['/a', '/b', '/a']);
    expect(report.failed.map(({ url, code }) => [url.replace(site, ''), code])).toEqual([
      ['/error.xml', 'SCRAPE_SITE_ERROR'],
      ['/reset.xml', 'SCRAPE_SITE_ERROR'],
      ['/bad-packed.xml', 'SCRAPE_SITE_ERROR'],
    ]);
  });

  it.each(['/missing.xml', '/error.xml', '/reset.xml', '/broken.xml', '/silent.xml'])(
    'asks the usual places too where %s is named and gives nothing',
    async (named) => {
      const { pages } = await walk(['/packed.xml.gz', named], {
        fallbacks: [`${site}/pages.xml`, `${site}/packed.xml.gz`],
        // Only that file takes so long.
        ...(named === '/silent.xml' && { responseTimeoutMs: 2_000 }),
      });
      expect(pages).toEqual(['/packed', '/a', '/b', '/a']);
      expect(asked).toEqual(['/packed.xml.gz', named, '/pages.xml']);
    },
  );

  it('does not try the usual paths when a named sitemap exists', async () => {
    const { pages } = await walk(['/index.xml'], { fallbacks: [`${site}/many.xml`] });
    expect(pages).toEqual(['/a', '/b', '/a', '/packed']);
    expect(asked).not.toContain('/many.xml');
  });

  it('does not fetch URLs that the egress policy forbids', async () => {
    const { report } = await walk([], { roots: ['http://169.254.169.254/sitemap.xml'] });
    expect(report.failed).toMatchObject([{ code: 'unsafe_domain_blocked' }]);
  });

  it('ends at the maximum number of files and five levels deep', async () => {
    const wide = await walk(['/wide.xml'], { maxFiles: 10 });
    expect([asked.length, wide.pages.length, wide.report.truncated]).toEqual([10, 9, true]);
    const deep = await walk(['/deep-0.xml']);
    expect(deep.pages).toEqual(range(5).map((n) => `/leaf-${n}-page`));
    expect(deep.report.truncated).toBe(true);
    expect((await walk(['/wide.xml'], { maxFiles: 51 })).report.truncated).toBe(false);
  });

  it('ends when its signal aborts', async () => {
    const stop = new AbortController();
    const walking = walk(['/hang.xml'], { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 50);
    await expect(walking).rejects.toThrow('enough');
  });

  it('stops in the middle of a file when its reader stops', async () => {
    const { signal } = new AbortController();
    for await (const pages of walkSitemaps({
      egress,
      roots: [`${site}/endless.xml`],
      userAgent: 'x',
      signal,
    })) {
      expect(pages).toHaveLength(1_000);
      break;
    }
    await left.promise;
  });
});

describe('the location of sitemaps', () => {
  const robots = (body: string) =>
    parseRobots({ url: 'https://example.com/robots.txt', statusCode: 200, body }, 'Winnow');
  const places = (start: string, body = '') => locateSitemaps(new URL(start), robots(body));
  const roots = (start: string) => places(start).roots;

  it('comes from robots.txt, and from the usual paths when that is wrong', () => {
    expect(places('https://example.com/', 'Sitemap: /a.xml\nSitemap: https://cdn.example/b.xml')).toEqual({
      roots: ['https://example.com/a.xml', 'https://cdn.example/b.xml'],
      fallbacks: roots('https://example.com/'),
    });
  });

  it.each([
    ['https://example.com/', ['/sitemap.xml', '/sitemap_index.xml', '/sitemap.xml.gz']],
    ['https://www.example.com/index.html?a#b', ['/sitemap.xml', '/sitemap_index.xml', '/sitemap.xml.gz']],
    ['http://127.0.0.1:8080/a', ['/a/sitemap.xml', '/sitemap.xml', '/sitemap_index.xml', '/sitemap.xml.gz']],
    [
      'https://example.com/docs/',
      ['/docs/sitemap.xml', '/sitemap.xml', '/sitemap_index.xml', '/sitemap.xml.gz'],
    ],
  ])('else the usual places of %s', (start, paths) => {
    expect(roots(start)).toEqual(paths.map((path) => new URL(path, start).href));
  });

  it('can be the main domain for a subdomain', () => {
    expect(roots('https://docs.example.co.uk/').at(-1)).toBe('https://example.co.uk/sitemap.xml');
    expect(roots('https://me.github.io/')).toHaveLength(3);
  });
});
