import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wholeText } from '../../../src/content/source-text.ts';
import { type Engine, type PageRequest, PLAIN_PAGE } from '../../../src/fetch/engines/engine.ts';
import { createHttpEngine } from '../../../src/fetch/engines/http-engine.ts';
import { createEgress, type Egress } from '../../../src/fetch/net/checked-egress.ts';
import { USER_AGENT } from '../../../src/fetch/net/user-agent.ts';
import { parserOptions } from '../../../src/schemas/parsers.ts';

const PDF = Buffer.from('%PDF-1.4\n\xff\xfe', 'latin1');
const PICTURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const ANSWERS: Record<string, [number, Record<string, string>, Buffer | string]> = {
  '/page': [
    200,
    { 'content-type': 'text/html; charset=iso-8859-1' },
    Buffer.from('<h1>Grüße</h1>', 'latin1'),
  ],
  '/packed': [200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }, gzipSync('<h1>Gepackt</h1>')],
  '/old': [301, { location: '/page' }, ''],
  '/missing': [404, { 'content-type': 'text/html' }, '<h1>Not here</h1>'],
  '/broken': [500, { 'content-type': 'text/plain' }, 'stack trace'],
  '/empty': [204, {}, ''],
  '/data': [200, { 'content-type': 'application/json' }, '{"name":"Käse"}'],
  '/sitemap.xml': [200, { 'content-type': 'application/xml' }, '<urlset/>'],
  '/untyped': [200, {}, '<!doctype html><title>x</title>'],
  '/paper': [200, { 'content-type': 'application/pdf' }, PDF],
  '/hidden-paper': [200, { 'content-type': 'text/html' }, PDF],
  '/picture': [200, { 'content-type': 'image/png' }, PICTURE],
  '/song': [200, { 'content-type': 'audio/mpeg' }, Buffer.alloc(2 * 1024 * 1024)],
  '/export': [
    200,
    { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment; filename="rates.csv"' },
    'a;b\n1;2\n',
  ],
  '/blob': [200, {}, Buffer.from([0, 1, 2, 3])],
};

let egress: Egress;
let engine: Engine;
let site: string;
let sent: Record<string, string | string[] | undefined> = {};
const server = createServer((request, response) => {
  sent = request.headers;
  const [status, headers, body] = ANSWERS[request.url ?? ''] ?? [404, {}, ''];
  response.writeHead(status, headers).end(body);
});

function obtain(path: string, options: Partial<PageRequest> = {}) {
  const request: PageRequest = {
    sourceUrl: `${site}${path}`.replace('http://', ''),
    url: `${site}${path}`,
    ...PLAIN_PAGE,
    ...options,
  };
  return engine.fetchPage(request, AbortSignal.timeout(150_000));
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server's address is never a string
  egress = createEgress({ allowPrivate: ['127.0.0.1/32'] });
  engine = createHttpEngine({ egress, userAgent: USER_AGENT, maxBodyBytes: 1024 * 1024 });
});

afterAll(async () => {
  await egress.close();
  server.close().closeAllConnections();
});

describe('a snapshot', () => {
  it('has the decoded page and its URL', async () => {
    const before = Date.now();
    const snapshot = await obtain('/old');
    expect(snapshot).toEqual({
      sourceUrl: `${site.replace('http://', '')}/old`,
      url: `${site}/page`,
      statusCode: 200,
      contentType: 'text/html; charset=iso-8859-1',
      kind: 'html',
      text: '<h1>Grüße</h1>',
      engine: 'http',
      proxy: 'basic',
      fetchedAt: expect.any(Number),
      files: {},
    });
    expect(snapshot.fetchedAt).toBeGreaterThanOrEqual(before);
  });

  it.each([
    ['/packed', 200, 'html', '<h1>Gepackt</h1>'],
    ['/missing', 404, 'html', '<h1>Not here</h1>'],
    ['/broken', 500, 'text', 'stack trace'],
    ['/empty', 204, 'text', ''],
    ['/data', 200, 'json', '{"name":"Käse"}'],
    ['/sitemap.xml', 200, 'text', '<urlset/>'],
    ['/untyped', 200, 'html', '<!doctype html><title>x</title>'],
  ])('of %s has status %i and kind %s', async (path, statusCode, kind, text) => {
    const snapshot = await obtain(path);
    expect(snapshot).toMatchObject({ statusCode, kind, url: `${site}${path}` });
    expect(wholeText(snapshot.text)).toBe(text);
  });

  it('of a table without a type is recognised by the name in Content-Disposition', async () => {
    expect(await obtain('/export')).toMatchObject({ unconverted: { task: { type: 'csv' } } });
  });

  it('of any file has its bytes in base64 on request', async () => {
    for (const [path, bytes] of [
      ['/paper', PDF],
      ['/picture', PICTURE],
      ['/data', Buffer.from('{"name":"Käse"}')],
    ] as const) {
      const snapshot = await obtain(path, { wantsBody: true });
      expect(snapshot).toMatchObject({ kind: 'base64', text: bytes.toString('base64') });
    }
  });

  it('of a PDF has its bytes in base64 on request', async () => {
    for (const path of ['/paper', '/hidden-paper']) {
      const snapshot = await obtain(path, { parsers: [] });
      expect(snapshot).toMatchObject({ kind: 'base64', text: PDF.toString('base64') });
    }
  });
});

describe('files', () => {
  it.each(['/paper', '/hidden-paper'])('%s is a PDF, which is not converted yet', async (path) => {
    const task = { type: 'pdf', images: false, pdf: { mode: 'auto', maxPages: 10_000, pages: false } };
    const parsers = parserOptions(['pdf']);
    expect(await obtain(path, { parsers })).toMatchObject({
      kind: 'html',
      text: '',
      unconverted: { task, bytes: PDF },
    });
  });

  it.each([
    ['/picture', /\/picture is image\/png\. Add "image" to parsers/],
    ['/blob', /\/blob is a binary file without a Content-Type\./],
  ])('%s is refused by name', async (path, message) => {
    await expect(obtain(path)).rejects.toEqual(
      expect.objectContaining({
        code: 'SCRAPE_UNSUPPORTED_FILE_ERROR',
        message: expect.stringMatching(message),
      }),
    );
  });
});

describe('headers', () => {
  it('are those of a browser and name Winnow', async () => {
    await obtain('/page');
    expect(sent).toMatchObject({
      'user-agent': USER_AGENT,
      accept: expect.stringMatching(/^text\/html,/),
      'accept-language': 'en-US,en;q=0.9',
      'sec-fetch-mode': 'navigate',
    });
  });

  it('of the user take precedence in any letter case', async () => {
    await obtain('/page', { headers: { 'User-Agent': 'mine', 'ACCEPT-LANGUAGE': 'de', Cookie: 'a=1' } });
    expect(sent).toMatchObject({ 'user-agent': 'mine', 'accept-language': 'de', cookie: 'a=1' });
  });
});

describe('failures', () => {
  it('of the network are passed on unchanged', async () => {
    await expect(obtain('/', { url: 'http://169.254.169.254/latest/meta-data/' })).rejects.toEqual(
      expect.objectContaining({ code: 'unsafe_domain_blocked' }),
    );
  });
});

describe('a media file', () => {
  it('is represented by its URL when media are requested, whatever its size', async () => {
    expect(await obtain('/song', { media: true })).toMatchObject({
      kind: 'text',
      text: '',
      contentType: 'audio/mpeg',
      media: [{ url: `${site}/song`, contentType: 'audio/mpeg' }],
    });
  });

  it('is not a page when no media are requested', async () => {
    await expect(obtain('/song')).rejects.toMatchObject({ code: 'SCRAPE_CONTENT_TOO_LARGE' });
    expect(await obtain('/page', { media: true })).not.toHaveProperty('media');
  });
});
