import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, scrape } from '../support/api/call.ts';
import { finished, startJob } from '../support/api/jobs.ts';
import { startDns, type TestDns } from '../support/network/dns.ts';
import { startHttpProxy, startSocksProxy, type TestProxy } from '../support/network/upstream-proxies.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';

const html = (text: string) => `<!doctype html><title>T</title><main><p>${text}</p></main>`;

describe('a service without proxies', () => {
  it('fetches directly, warns that there are no enhanced proxies, and charges the plain price', async () => {
    await using pages = await startPages({ '/': html('A page') });
    for (const proxy of ['enhanced', 'stealth']) {
      const { body } = await scrape({ url: `${pages.url}/`, proxy, maxAge: 0 });
      expect(body.data).toMatchObject({
        markdown: 'A page',
        warning: expect.stringContaining('no enhanced proxies'),
        metadata: { proxyUsed: 'basic', creditsUsed: 1 },
      });
    }
    const { body } = await scrape({ url: `${pages.url}/`, maxAge: 0 });
    expect(body.data).not.toHaveProperty('warning');
  });
});

describe('a service with proxies', () => {
  let dns: TestDns;
  let walled: Pages;
  let free: Pages;
  let basic: TestProxy;
  let enhanced: TestProxy;
  let domestic: Pages;
  let german: TestProxy;

  const ask = (options: object) =>
    call('/v2/scrape', {
      url: service.url,
      key: service.key,
      body: { url: 'http://site.test/', ...options },
    });

  beforeAll(async () => {
    dns = await startDns({ 'site.test': ['93.184.216.34'] });
    walled = await startPages({
      '/': (_request, response) => response.writeHead(403, { 'Content-Type': 'text/html' }).end(html('No')),
      '/open': html('Open to all'),
    });
    free = await startPages({ '/': html('Come in') });
    basic = await startHttpProxy({ port: Number(new URL(walled.url).port) });
    enhanced = await startSocksProxy({ port: Number(new URL(free.url).port) });
    domestic = await startPages({ '/open': html('Open to Germany') });
    german = await startHttpProxy({ port: Number(new URL(domestic.url).port) });
  });
  const service = useService(() => ({
    LOG_LEVEL: 'warn',
    WINNOW_ALLOW_PRIVATE: '',
    WINNOW_DNS: dns.address,
    WINNOW_PROXIES_BASIC: `us=${basic.url},de=${german.url}`,
    WINNOW_PROXIES_ENHANCED: `us=${enhanced.url}`,
  }));

  afterAll(async () => {
    await Promise.all([basic.close(), enhanced.close(), german.close(), dns.close()]);
    await Promise.all([walled, free, domestic].map((pages) => pages[Symbol.asyncDispose]()));
  });

  it('uses the enhanced proxies when the site blocks the others, and charges five credits', async () => {
    const { body } = await ask({ maxAge: 0 });
    expect(body.data).toMatchObject({
      markdown: 'Come in',
      metadata: { statusCode: 200, proxyUsed: 'stealth', creditsUsed: 5 },
    });
    // A copy of it costs what any copy does.
    const again = await ask({});
    expect(again.body.data.metadata).toMatchObject({ cacheState: 'hit', creditsUsed: 1 });
  });

  it('uses only the basic proxies when the request says so', async () => {
    const { body } = await ask({ proxy: 'basic', maxAge: 0 });
    expect(body.data.metadata).toMatchObject({ statusCode: 403, proxyUsed: 'basic', creditsUsed: 1 });
  });

  it('caches pages from the enhanced proxies separately', async () => {
    const { body } = await ask({ proxy: 'enhanced' });
    expect(body.data).toMatchObject({
      markdown: 'Come in',
      metadata: { cacheState: 'miss', proxyUsed: 'stealth', creditsUsed: 5 },
    });
  });

  const ELSEWHERE = 'There is no basic proxy in FR: the page was fetched through one elsewhere.';

  it('uses a proxy of another country when none is in the requested one, and warns, also from the cache', async () => {
    const request = { url: 'http://site.test/open', location: { country: 'fr' } };
    const { body } = await ask(request);
    expect(body.data).toMatchObject({ markdown: 'Open to all', warning: ELSEWHERE });
    const again = await ask(request);
    expect(again.body.data).toMatchObject({ warning: ELSEWHERE, metadata: { cacheState: 'hit' } });
    for (const location of [undefined, { country: 'US' }]) {
      const { body } = await ask({ url: 'http://site.test/open', location });
      expect(body.data).not.toHaveProperty('warning');
    }
  });

  it('warns the same way for pages of a batch', async () => {
    const options = { key: service.key, url: service.url };
    const order = { urls: ['http://site.test/open'], location: { country: 'FR' }, maxAge: 0 };
    const id = await startJob('/v2/batch/scrape', order, options);
    const { data } = await finished('/v2/batch/scrape', id, options);
    expect(data).toMatchObject([{ markdown: 'Open to all', warning: ELSEWHERE }]);
  });

  it('reports the enhanced proxies as used when the page came through them', async () => {
    const { body } = await ask({ location: { country: 'FR' }, maxAge: 0 });
    expect(body.data).toMatchObject({
      markdown: 'Come in',
      warning: ELSEWHERE.replace('basic', 'enhanced'),
      metadata: { proxyUsed: 'stealth' },
    });
  });

  describe('a browser session', () => {
    /** Starts a session, which opens a page. @returns the response to its creation, and what the page says */
    const visit = async (body: object, headers: Record<string, string> = {}) => {
      const options = { url: service.url, key: service.key };
      const { body: created } = await call('/v2/browser', { ...options, body, headers });
      const code = "await page.goto('http://site.test/open'); await page.innerText('main')";
      const { body: page } = await call(`/v2/browser/${created.id}/execute`, { ...options, body: { code } });
      return { created, text: page.result, session: `/v2/browser/${created.id}`, options };
    };

    it('goes through the proxy in its country, as scrapes do', async () => {
      const location = { country: 'de' };
      const { created, text, session, options } = await visit({ location });
      const { body } = await ask({ url: 'http://site.test/open', location, maxAge: 0 });
      expect([text, body.data.markdown]).toEqual(['Open to Germany', 'Open to Germany']);
      expect(created).not.toHaveProperty('warning');
      await call(session, { ...options, method: 'DELETE' });
    });

    it('goes through another one when none is in its country, and warns each time it is asked', async () => {
      const order = { location: { country: 'fr' } };
      const headers = { 'Idempotency-Key': 'a-session-from-france' };
      const { created, text, session, options } = await visit(order, headers);
      const warning = 'There is no basic proxy in FR: the session uses one elsewhere.';
      expect({ text, created }).toMatchObject({ text: 'Open to all', created: { warning } });
      const again = await call('/v2/browser', { ...options, body: order, headers });
      expect(again.body).toEqual(created);
      expect((await call(session, options)).body).toMatchObject({ warning });
      await call(session, { ...options, method: 'DELETE' });
    });

    it('without a country goes through the proxies of requests without one', async () => {
      const { created, text, session, options } = await visit({});
      expect(text).toBe('Open to all');
      expect(created).not.toHaveProperty('warning');
      await call(session, { ...options, method: 'DELETE' });
    });
  });
});
