import { describe, expect, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { finished } from '../support/api/jobs.ts';
import { startPages } from '../support/sites/pages.ts';

/** What version 1 of the API accepts and answers, beside what its official clients do with it. */

const PAGE = { '/': '<p>A page.</p>' };

describe('version 1 of the API', () => {
  it('ignores keys that it does not know, wherever they are', async () => {
    await using pages = await startPages(PAGE);
    const { status, body } = await call('/v1/scrape', {
      body: {
        url: pages.url,
        pageOptions: { waitFor: 1 },
        location: { country: 'DE', city: 'Berlin' },
        actions: [{ type: 'wait', milliseconds: 1, reason: 'none' }],
        onlyMainContent: null,
      },
    });
    expect([status, body.data.markdown]).toEqual([200, 'A page.']);
  });

  it.each([
    [{ onlyMainContent: 'maybe' }, 'onlyMainContent must be true or false'],
    [{ actions: [{ type: 'wait', milliseconds: 'x', reason: 'none' }] }, 'actions[0].milliseconds'],
    [{ formats: ['nonsense'] }, 'unknown format'],
    [{ jsonOptions: [] }, 'jsonOptions'],
  ])('refuses a wrong value of a key that it knows: %j', async (options, message) => {
    const { status, body } = await call('/v1/scrape', { body: { url: 'http://a.test', ...options } });
    expect([status, body.success, body.code]).toEqual([400, false, 'BAD_REQUEST']);
    expect(body.error).toContain(message);
  });

  it('says that it is deprecated, and what takes its place', async () => {
    const { headers } = await call('/v1/scrape', { body: {} });
    expect(headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(headers.get('link')).toBe('</v2/scrape>; rel="successor-version"');
  });

  it('checks keys as version 2 does', async () => {
    const { status, body } = await call('/v1/scrape', { body: { url: 'http://a.test' }, key: 'fc-wrong' });
    expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
  });
});

describe('what older versions had and this one has not', () => {
  it.each([
    ['/v1/deep-research', 'POST /v2/agent'],
    ['/v1/llmstxt', 'POST /v2/crawl'],
    ['/v0/scrape', 'version 2 (/v2), or of version 1 (/v1)'],
  ])('%s is refused by an error that says what to use', async (path, advice) => {
    for (const [at, method] of [
      [path, 'POST'],
      [`${path}/1`, 'GET'],
    ] as const) {
      const { status, body } = await call(at, { method });
      expect([status, body.success, body.code]).toEqual([400, false, 'FEATURE_NOT_AVAILABLE']);
      expect(body.error).toContain(advice);
    }
  });

  it('health checks of version 0 are answered', async () => {
    expect((await call('/v0/health/readiness')).body).toEqual({ status: 'ok' });
  });
});

describe('webhooks of version 1', () => {
  it('have documents with the names that the request asked for', async () => {
    const received = Promise.withResolvers<{ type: string; data: object[] }>();
    await using pages = await startPages({
      '/': '<h1>Lamp</h1>',
      '/hook': (request, response) => {
        request.setEncoding('utf8').on('data', (text) => received.resolve(JSON.parse(text)));
        response.end();
      },
    });
    const body = {
      url: pages.url,
      limit: 1,
      webhook: { url: `${pages.url}/hook`, events: ['page'], metadata: {}, secret: 'none' },
      scrapeOptions: {
        formats: ['extract'],
        extract: { schema: { type: 'object', properties: { title: { type: 'string' } } } },
      },
    };
    const { status } = await call('/v1/crawl', { body });
    expect(status).toBe(200);
    expect((await received.promise).data).toMatchObject([{ extract: { title: 'Lamp' } }]);
  });
});

describe('version 2 of the API', () => {
  it('takes allowBackwardLinks for crawlEntireDomain, unless that is there too, and says so', async () => {
    await using pages = await startPages({ '/a/b': '<a href="/other">other</a>', '/other': '<p>other</p>' });
    const crawled = async (options: object) => {
      const { body } = await call('/v2/crawl', { body: { url: `${pages.url}/a/b`, ...options } });
      return { warning: body.warning, total: (await finished('/v2/crawl', body.id)).total };
    };
    const warning = expect.stringContaining('allowBackwardLinks is the older name of crawlEntireDomain');
    expect(await crawled({ allowBackwardLinks: true })).toEqual({ warning, total: 2 });
    expect(await crawled({ allowBackwardLinks: true, crawlEntireDomain: false })).toEqual({
      warning,
      total: 1,
    });
    expect(await crawled({ crawlEntireDomain: true })).toEqual({ warning: undefined, total: 2 });
  });

  it('answers what the node of n8n sends by default', async () => {
    await using pages = await startPages({ '/': '<p>A page.</p>' });
    const { url } = pages;
    const crawl = { url, prompt: '', limit: 500, delay: 0, maxConcurrency: 100, scrapeOptions: {} };
    const { status, body } = await call('/v2/crawl', { body: crawl });
    expect([status, (await finished('/v2/crawl', body.id)).completed]).toEqual([200, 1]);
    const search = { query: 'x', limit: 5, sources: [{ type: 'web' }], tbs: '', timeout: 60_000 };
    expect((await call('/v2/search', { body: search })).status).toBe(200);
    expect(await call('/v2/scrape', { body: { url, parsers: [], actions: {} } })).toMatchObject({
      status: 200,
      body: { data: { markdown: 'A page.' } },
    });
  });

  it('names what the official clients can ask a marketplace for', async () => {
    const { status, body } = await call('/v2/search', { body: { query: 'x', sources: ['alexandria'] } });
    expect([status, body.code]).toEqual([400, 'exchange_not_enabled']);
    expect(body.error).toContain('alexandria is not enabled');
  });

  it('lists the types of files that it parses, and takes each of them', async () => {
    const { data } = (await call('/v2/parse/formats')).body;
    expect(data.formats.length).toBeGreaterThan(20);
    for (const { extensions } of data.formats)
      for (const extension of extensions) {
        const { status } = await call('/v2/parse/upload-url', { body: { filename: `file${extension}` } });
        expect([extension, status]).toEqual([extension, 200]);
      }
  });
});
