import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { selectAll, selectOne } from 'css-select';
import type { Document } from 'domhandler';
import { getAttributeValue, getElementsByTagName, textContent } from 'domutils';
import { parse } from 'parse5';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  appTruth,
  articleTruth,
  CHARSET_PAGES,
  linkDepth,
  linkSentence,
  pdfSentence,
  type Site,
  startSite,
} from './site.ts';

const PAGES = 300;
let site: Site;
beforeAll(async () => {
  site = await startSite({ pages: PAGES });
});
afterAll(() => site.close());

const get = (path: string, init?: RequestInit) => fetch(site.url + path, init);
const body = async (path: string) => (await get(path)).text();
const dom = (html: string): Document => parse(html, { treeAdapter: adapter });

test.each([0, 1, 2, 77, 4_999])('article %i is what its truth says, and 30 to 120 KB', async (n) => {
  const truth = articleTruth(n);
  const html = await body(`/article/${n}`);
  expect(Buffer.byteLength(html)).toBeGreaterThan(30_000);
  expect(Buffer.byteLength(html)).toBeLessThan(120_000);
  const article = selectOne('article', dom(html));
  if (!article) throw new Error('no article element');
  expect(textContent(selectAll('h1', article))).toBe(truth.title);
  expect(textContent(selectAll('p.lead', article))).toBe(truth.firstSentence);
  expect(selectAll('a[href]', article)).toHaveLength(truth.links);
  expect(selectAll('img[srcset]', article)).toHaveLength(truth.images);
  expect(selectAll('table', article)).toHaveLength(truth.tables);
  expect(selectAll('pre > code[class^=language-]', article)).toHaveLength(truth.codeBlocks);
  expect(getElementsByTagName('p', article).length).toBeGreaterThan(20);
  expect(html).toContain(`<meta property="og:url" content="${site.url}/article/${n}">`);
});

test('articles differ from each other, and are the same in every run', async () => {
  const [first, again, other] = await Promise.all([
    body('/article/5'),
    body('/article/5'),
    body('/article/6'),
  ]);
  expect(again).toBe(first);
  expect(other).not.toContain(articleTruth(5).firstSentence);
  // A changed generator makes older measurements incomparable, so change this only on purpose.
  expect(articleTruth(5)).toMatchInlineSnapshot(`
    {
      "author": "Juan Orchard",
      "codeBlocks": 8,
      "firstSentence": "Article number 5 begins with the narrow island and ends with the steady river.",
      "images": 5,
      "links": 74,
      "published": "2021-03-31T00:00:00.000Z",
      "tables": 6,
      "title": "Wooden museum and the seasonal quarry, part 5",
    }
  `);
});

test.each([0, 1, 2])('application %i has its content by script alone', async (n) => {
  const { variant, firstSentence, title } = appTruth(n);
  const html = await body(`/app/${n}`);
  const visible = textContent(selectAll('body > :not(script)', dom(html)));
  expect(visible).not.toContain(firstSentence);
  if (variant === 'inline') expect(html).toContain(firstSentence);
  else expect(html).not.toContain(firstSentence);
  const data = await (await get(`/api/app/${n}`)).json();
  expect(data).toMatchObject({ title, paragraphs: expect.arrayContaining([firstSentence]) });
});

test('from page 0 exactly the pages of the link graph are reached, at their depth', async () => {
  const depths = new Map([['/links/0', 0]]);
  for (const [path, depth] of depths) {
    const page = dom(await body(path));
    expect(textContent(page)).toContain(linkSentence(Number(path.slice('/links/'.length))));
    for (const anchor of getElementsByTagName('a', page)) {
      const href = getAttributeValue(anchor, 'href')?.split('#')[0];
      if (href?.startsWith('/links/') && !depths.has(href)) depths.set(href, depth + 1);
    }
  }
  expect(depths.size).toBe(PAGES);
  for (const [path, depth] of depths) expect(linkDepth(Number(path.slice('/links/'.length)))).toBe(depth);
  expect((await get(`/links/${PAGES}`)).status).toBe(404);
});

test('the library is the same graph, of whole articles', async () => {
  const reached = new Set([0]);
  for (const n of reached) {
    const html = await body(`/library/${n}`);
    expect(html).toContain(articleTruth(n).firstSentence);
    expect(html).toMatch(/<\/nav><\/body><\/html>$/);
    for (const [, page] of html.matchAll(/href="\/library\/(\d+)"/g)) reached.add(Number(page));
  }
  expect(reached.size).toBe(PAGES);
  expect(Math.max(...reached)).toBe(PAGES - 1);
  expect((await get(`/library/${PAGES}`)).status).toBe(404);
  expect(await body('/sitemap.xml')).not.toContain('/library/');
});

test('robots.txt names the index, and both its sitemaps hold all pages', async () => {
  expect(await body('/robots.txt')).toContain(`Sitemap: ${site.url}/sitemap-index.xml`);
  const index = await body('/sitemap-index.xml');
  const [plain, packed] = [...index.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, loc]) => loc);
  const xml = await (await fetch(plain ?? '')).text();
  expect(xml.match(/<loc>/g)).toHaveLength(PAGES);
  expect(xml).toContain(`<loc>${site.url}/links/${PAGES - 1}</loc>`);
  const bytes = await (await fetch(packed ?? '')).arrayBuffer();
  expect(gunzipSync(bytes).toString()).toBe(xml);
});

test.each(Object.entries(CHARSET_PAGES))(
  'charset %s: the bytes decode to the text',
  async (label, { text, contentType }) => {
    const answer = await get(`/charset/${label}`);
    expect(answer.headers.get('content-type')).toBe(contentType);
    const encoding = {
      shift_jis: 'shift_jis',
      'shift_jis-meta': 'shift_jis',
      'windows-1252': 'windows-1252',
      'iso-8859-1': 'windows-1252',
    }[label];
    expect(
      new TextDecoder(encoding ?? 'utf-8', { fatal: true }).decode(await answer.arrayBuffer()),
    ).toContain(`<p id="text">${text}</p>`);
  },
);

test('redirects go on for as many hops as asked, each with another status', async () => {
  const statuses: number[] = [];
  let path = '/redirect/4/article/9?from=test';
  for (;;) {
    const answer = await get(path, { redirect: 'manual' });
    statuses.push(answer.status);
    const location = answer.headers.get('location');
    if (!location) break;
    path = location;
  }
  expect(statuses).toEqual([301, 308, 307, 302, 200]);
  expect(path).toBe('/article/9');
  expect((await get('/redirect-loop', { redirect: 'manual' })).headers.get('location')).toBe(
    '/redirect-loop',
  );
});

test('files are what they claim to be', async () => {
  const pdf = Buffer.from(await (await get('/docs/3.pdf')).arrayBuffer()).toString('latin1');
  expect(pdf).toContain(`(${pdfSentence(3)}) Tj`);
  const table = Number(/startxref\n(\d+)/.exec(pdf)?.[1]);
  expect(pdf.slice(table, table + 4)).toBe('xref');
  // The third object is at the offset in the cross-reference table.
  const third = Number(pdf.slice(table).split('\n')[5]?.slice(0, 10));
  expect(pdf.slice(third, third + 7)).toBe('3 0 obj');
  const png = Buffer.from(await (await get('/image/3.png')).arrayBuffer());
  expect(png.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([8, 8]);
  expect(await (await get('/data/7.json')).json()).toMatchObject({ id: 7, name: 'Record 7' });
  expect(await body('/text/2.txt')).toMatch(/^Text file 2\.\n\n\w/);
});

test('the odd pages are odd in the way that is asked for', async () => {
  expect((await get('/status/503')).status).toBe(503);
  expect(await body('/status/404')).toContain('answers with status 404');
  expect((await get('/status/204')).status).toBe(204);
  expect(await body('/empty')).toBe('');
  expect(await body('/meta-refresh')).toContain('url=/article/1');
  expect(await body('/deep/300')).toContain(`${'<div>'.repeat(300)}<p>This text lies 300 levels deep.`);
  expect(await body('/slow/20/article/4')).toContain(articleTruth(4).firstSentence);
  expect(await (await get('/headers', { headers: { 'x-test': 'yes' } })).json()).toMatchObject({
    'x-test': 'yes',
  });
  const cookies = await get('/cookies', { headers: { cookie: 'a=<b>' } });
  expect(cookies.headers.getSetCookie()).toContain('visited=yes; Path=/');
  expect(await cookies.text()).toContain('<p id="received">a=&lt;b></p>');
  await expect(get('/reset')).rejects.toThrow('fetch failed');
  expect((await get('/no-such-page')).status).toBe(404);
});

test('the endless page goes on past any bound, and lets go', async () => {
  const answer = await get('/endless');
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > 3_000_000) break;
  }
  expect(bytes).toBeGreaterThan(3_000_000);
});

test('hits are counted by path, and closing ends open connections', async () => {
  const own = await startSite();
  await fetch(`${own.url}/article/1?a=1`);
  await fetch(`${own.url}/article/1?a=2`);
  await fetch(`${own.url}/empty`);
  expect([own.hits(), own.hits('/article/1'), own.hits('/article/2')]).toEqual([3, 2, 0]);
  const open = createConnection(Number(new URL(own.url).port), '127.0.0.1');
  open.write('GET /slow/60000/empty HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect.poll(() => own.hits('/slow/60000/empty')).toBe(1);
  open.on('error', () => open.destroy());
  await own.close();
  expect(await text(open).catch(() => '')).toBe('');
});
