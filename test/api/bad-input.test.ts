import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ROUTES } from '../../src/api/routes.ts';
import { call, scrape } from '../support/api/call.ts';
import { useSite } from '../support/sites/use-site.ts';
import { CLOSED_PORT } from '../support/webhooks/receiver.ts';

/**
 * Whatever comes in, the answer is a typed error or a result, never a hang and never a 5xx without a code.
 */

const site = useSite();

describe('an invalid request', () => {
  const bodies: [string, unknown, RegExp][] = [
    ['no url', {}, /Bad Request/],
    ['a url of another type', { url: 5 }, /Bad Request/],
    ['a url that is none', { url: 'not a url' }, /Invalid URL: not a url/],
    ['a scheme that is not fetched', { url: 'ftp://127.0.0.1/x' }, /unsupported protocol: ftp/],
    ['a javascript URL', { url: 'javascript:alert(1)' }, /unsupported protocol: javascript/],
    [
      'a selector that is none',
      { url: 'http://127.0.0.1', includeTags: ['a['] },
      /"a\[" is not a CSS selector/,
    ],
    [
      'a header that breaks out',
      { url: 'http://127.0.0.1', headers: { a: 'b\r\nc: d' } },
      /the value of the header a has a character .* control character/,
    ],
    [
      'a header value outside of Latin-1',
      { url: 'http://127.0.0.1', headers: { title: '日本' } },
      /the value of the header title .* outside of Latin-1/,
    ],
    [
      'headers that no server reads',
      { url: 'http://127.0.0.1', headers: { a: 'x'.repeat(20_000) } },
      /headers have 20001 bytes together; at most 12288 are allowed/,
    ],
    [
      'a header name that is none',
      { url: 'http://127.0.0.1', headers: { 'a b': 'c' } },
      /"a b" is no name of a header/,
    ],
    ['a list instead of an object', [], /Bad Request/],
    ['null instead of an object', null, /Bad Request/],
  ];
  it.each(bodies)('is refused for %s', async (_name, body, message) => {
    const answer = await call('/v2/scrape', { body });
    expect([answer.status, answer.body.success, answer.body.code]).toEqual([400, false, 'BAD_REQUEST']);
    expect(answer.body.error).toMatch(message);
    expect(Array.isArray(answer.body.details)).toBe(true);
  });

  it('is refused without a body', async () => {
    const { status, body } = await call('/v2/scrape', { method: 'POST' });
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
  });

  it('is refused if it nests so deeply that its text could not be made', async () => {
    const metadata = `${'{"inner":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
    const webhook = `{"url":"http://127.0.0.1/hook","metadata":${metadata}}`;
    const { status, body } = await call('/v2/crawl', {
      raw: `{"url":"http://127.0.0.1","webhook":${webhook}}`,
    });
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.error).toContain('more than 500 levels deep');
  });

  it('is refused with a body of 11 MB', async () => {
    const { status, body } = await scrape({ url: 'http://127.0.0.1', origin: 'x'.repeat(11 * 1024 * 1024) });
    expect([status, body.code]).toEqual([413, 'REQUEST_TOO_LARGE']);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('is refused if its body is cut or is not the %s that it says it is', async (encoding, compress) => {
    const json = Buffer.from('{"nonsense":1}');
    const send = (raw: Buffer) =>
      call('/v2/scrape', { raw: new Uint8Array(raw), headers: { 'content-encoding': encoding } });
    const compressed = compress(json);
    expect((await send(compressed)).body.error).toContain('Unrecognized key in body -- nonsense');
    for (const wrong of [compressed.subarray(0, -4), json, Buffer.alloc(0)]) {
      const { status, body } = await send(wrong);
      expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
      expect(body.error).toContain('The body could not be decompressed');
    }
  });

  it('gets 404 for an unknown path and 405 for an unsupported method', async () => {
    const nowhere = await call('/v2/nowhere');
    expect([nowhere.status, nowhere.body.code]).toEqual([404, 'NOT_FOUND']);
    const wrong = await call('/v2/scrape', { method: 'DELETE' });
    expect([wrong.status, wrong.body.code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(wrong.body.error).toContain('Use POST');
    expect(wrong.headers.get('allow')).toBe('POST');
  });

  it.each([
    ['PATCH', '/v2/crawl/active', 'GET'],
    ['DELETE', '/v2/crawl/active', 'GET'],
    ['POST', '/v2/crawl/ongoing', 'GET'],
    ['GET', '/v2/crawl/params-preview', 'POST'],
    ['DELETE', '/v2/crawl/params-preview/', 'POST'],
    ['GET', '/v2/batch/scrape', 'POST'],
    ['GET', '/v2/parse/upload-url', 'POST'],
    ['PUT', '/v2/agent', 'POST, GET'],
    ['POST', '/v2/files/x', 'GET'],
    ['GET', '/v2/parse/upload/x', 'PUT'],
    ['POST', '/v2/browser/0198f0e4-0000-7000-8000-000000000000/downloads/x', 'GET'],
    ['DELETE', '/v2/live-view/1/x.js', 'GET'],
    ['POST', '/openapi.json', 'GET'],
  ])('gets 405 with each method once: %s %s', async (method, path, allow) => {
    const { status, body, headers } = await call(path, { method });
    expect([status, body.code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(headers.get('allow')?.split(', ').sort()).toEqual(allow.split(', ').sort());
  });

  it.each([
    ['GET', '/v2/search/research/papers'],
    ['POST', '/v2/search/developer'],
    ['POST', '/v2/search/gov'],
    ['POST', '/v2/monitor/slack/connect'],
    ['GET', '/v2/keyless/eligibility'],
    ['PUT', '/v2/team/threat-protection'],
    ['GET', '/v2/team/siem'],
    ['GET', '/v2/interact/0198f0e4-0000-7000-8000-000000000000/replay/1'],
  ])('a resource to come: %s %s', async (method, path) => {
    const { status, body } = await call(path, { method });
    expect([status, body.success, body.code]).toEqual([400, false, 'FEATURE_NOT_AVAILABLE']);
    expect(body.error).toContain(path);
    expect(body.error).toMatch(/Winnow does not have [\w ]+\. /);
    expect(body.detail).toBe(body.error);
  });

  it('gets 404 for a path that only begins like a planned resource', async () => {
    const { status, body } = await call('/v2/searching');
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
  });

  const upcoming: [string, Record<string, unknown>][] = [
    ['safeMode', { safeMode: true }],
    ['useMock', { useMock: 'page' }],
  ];
  it.each(upcoming)('names the feature that is not available yet: %s', async (name, options) => {
    const { status, body } = await scrape({ url: site.url, ...options });
    expect([status, body.code]).toEqual([400, 'FEATURE_NOT_AVAILABLE']);
    expect(body.error).toContain(name);
  });

  it('refuses a protection that is not enabled, and a marketplace', async () => {
    const guarded = await scrape({ url: site.url, threatProtection: { mode: 'normal' } });
    expect([guarded.status, guarded.body.code]).toEqual([403, 'FORBIDDEN']);
    expect(guarded.body.error).toContain('threatProtection');
    const market = await scrape({ alexandria: [{ provider: 'a', capability: 'b' }] });
    expect([market.status, market.body.code]).toEqual([400, 'exchange_not_enabled']);
  });

  it('says what is wrong with the parameters of a preview as clients know it', async () => {
    const { status, body } = await call('/v2/crawl/params-preview', { body: { url: site.url } });
    expect([status, body.code, body.error]).toEqual([
      400,
      'BAD_REQUEST',
      'Invalid request parameters: prompt must describe what to crawl',
    ]);
  });
});

describe('an unknown query parameter', () => {
  const id = '0190b3c4-1111-7222-8333-444455556666';
  const paths = ROUTES.filter(({ method }) => method === 'get').map(({ path }) => path);
  it.each(paths)('is refused by GET %s', async (path) => {
    const url = path.replace(/:(\w+)/g, (_, name) => (name === 'id' ? id : '1'));
    const { status, body } = await call(`${url}?nonsense=1`);
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.error).toMatch(/^Unrecognized key in query -- nonsense/);
  });

  it.each([
    ['/v2/team/activity?limt=1', 'limit'],
    ['/v2/webhooks/deliveries?job=x', 'jobId'],
    ['/v2/team/credit-usage/historical?byApikey=true', 'byApiKey'],
    [`/v2/crawl/${id}?Skip=1`, 'skip'],
  ])('that is misspelt is named with the one that was meant: %s', async (path, name) => {
    const { status, body } = await call(path);
    expect(status).toBe(400);
    expect(body.error).toContain(`Did you mean ${name}?`);
  });

  it('is misspelt in a body as well', async () => {
    const { body } = await call('/v2/map', { body: { url: site.url, limt: 1 } });
    expect(body.error).toBe('Unrecognized key in body -- limt. Did you mean limit?');
  });

  it('is none that an official client sends', async () => {
    const { status, body } = await call(`/v2/agent/${id}/trace?liveView=true`);
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('an unknown key in a request body', () => {
  const id = '0190b3c4-1111-7222-8333-444455556666';
  // Those that take only a file say that it is missing, whatever the JSON has.
  const bodies = ROUTES.filter(({ method, path }) => method === 'post' && !path.endsWith('/files')).map(
    ({ path }) => path,
  );
  it.each(bodies)('is refused by POST %s', async (path) => {
    const answer = await call(path.replace(':id', id), { body: { nonsense: 1 } });
    expect([answer.status, answer.body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.body.error).toMatch(/^(Invalid request parameters: )?Unrecognized key in body -- nonsense/);
  });

  it.each(['pause', 'resume', 'retry'])(
    '%s needs no body, and takes what clients add to all',
    async (verb) => {
      for (const body of [undefined, {}, { origin: 'js-sdk@4.42.0', integration: null }]) {
        const answer = await call(`/v2/crawl/${id}/${verb}`, { method: 'POST', body });
        expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
      }
    },
  );
});

describe('a scrape of a site that misbehaves', () => {
  it.each([
    ['/status/404', 404, 'Not Found'],
    ['/status/500', 500, 'Internal Server Error'],
  ])('%s is a result with its reason', async (path, statusCode, error) => {
    const { status, body } = await scrape({ url: site.url + path });
    expect([status, body.success]).toEqual([200, true]);
    expect(body.data.metadata).toMatchObject({ statusCode, error });
  });

  it('reports a port that nobody listens on', async () => {
    const { status, body } = await scrape({ url: `http://127.0.0.1:${CLOSED_PORT}/` });
    expect([status, body.code]).toEqual([500, 'SCRAPE_SITE_ERROR']);
    expect(body.error).toMatch(/refused/i);
  });

  it('reports a redirect loop', async () => {
    const { status, body } = await scrape({ url: `${site.url}/redirect-loop` });
    expect([status, body.code]).toEqual([500, 'SCRAPE_SITE_ERROR']);
    expect(body.error).toMatch(/redirect/i);
  });

  it('stops reading an endless body', async () => {
    const { status, body } = await scrape({ url: `${site.url}/endless`, timeout: 20_000 });
    expect([408, 500]).toContain(status);
    expect(['SCRAPE_CONTENT_TOO_LARGE', 'SCRAPE_TIMEOUT']).toContain(body.code);
  });

  it('reports a connection that breaks', async () => {
    const { status, body } = await scrape({ url: `${site.url}/reset` });
    expect([status, body.code]).toEqual([500, 'SCRAPE_SITE_ERROR']);
  });

  it('returns an empty page as a result', async () => {
    const { status, body } = await scrape({ url: `${site.url}/empty` });
    expect([status, body.success]).toEqual([200, true]);
    expect(body.data.markdown).toBe('');
  });

  it('reports a picture whose parser is not allowed', async () => {
    const { status, body } = await scrape({ url: `${site.url}/image/1.png`, parsers: ['pdf'] });
    expect([status, body.code]).toEqual([500, 'SCRAPE_UNSUPPORTED_FILE_ERROR']);
    expect(body.error).toContain('Add "image" to parsers');
  });

  it('warns that a picture has no text', async () => {
    const { body } = await scrape({ url: `${site.url}/image/1.png` });
    expect(body.data).toMatchObject({ markdown: '', warning: 'No text was recognised in the image.' });
  });

  it('decodes other charsets', async () => {
    const { body } = await scrape({ url: `${site.url}/charset/shift_jis` });
    expect(body.data.markdown).toContain('日本語');
  });

  it('returns JSON as fenced markdown and as raw rawHtml', async () => {
    const { body } = await scrape({ url: `${site.url}/data/1.json`, formats: ['markdown', 'rawHtml'] });
    expect(body.data.markdown).toMatch(/^```json\n/);
    expect(JSON.parse(body.data.rawHtml)).toBeTypeOf('object');
  });

  it('treats JSON and pictures the same way when the browser opens them', async () => {
    const json = await scrape({ url: `${site.url}/data/2.json`, waitFor: 1, formats: ['markdown'] });
    expect(json.body.data.markdown).toMatch(/^```json\n/);
    const picture = await scrape({ url: `${site.url}/image/2.png`, waitFor: 1, parsers: [] });
    expect([picture.status, picture.body.code]).toEqual([500, 'SCRAPE_UNSUPPORTED_FILE_ERROR']);
  });

  it('refuses a private IP address', async () => {
    const { status, body } = await scrape({ url: 'http://169.254.169.254/latest/meta-data/' });
    expect([status, body.code]).toEqual([403, 'unsafe_domain_blocked']);
    expect(body.error).toContain('WINNOW_ALLOW_PRIVATE');
  });

  it('refuses a private IP address in the browser too', async () => {
    const { status, body } = await scrape({ url: 'http://10.0.0.1/', formats: ['screenshot'] });
    expect([status, body.code]).toEqual([403, 'unsafe_domain_blocked']);
  });
});
