import { beforeAll, describe, expect, it } from 'vitest';
import { articleTruth } from '../site/site.ts';
import { call, scrape } from '../support/api/call.ts';
import { startTlsSite } from '../support/sites/tls-site.ts';
import { useSite } from '../support/sites/use-site.ts';

/** What clients of the API rely on in responses to scrapes, to requests for a team, and without a key. */

const site = useSite();
let page: string;
const unseen = () => `${site.url}/article/7?unseen=${Math.random()}`;

beforeAll(async () => {
  page = `${site.url}/article/1`;
});

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('a scrape', () => {
  it('returns a page as markdown, and nothing but markdown and metadata', async () => {
    const { status, body } = await scrape({ url: page });
    expect(status).toBe(200);
    expect(body.success).toBe(true);
    expect(Object.keys(body.data).sort()).toEqual(['markdown', 'metadata']);
    expect(body.data.markdown).toContain(articleTruth(1).firstSentence);
    expect(body.data.metadata.sourceURL).toBe(page);
    expect(body.data.metadata.scrapeId).toMatch(UUID);
  });

  it('names an unknown key of its body', async () => {
    const { status, body } = await scrape({ url: page, foo: 1 });
    expect(status).toBe(400);
    expect(body).toMatchObject({ success: false, code: 'BAD_REQUEST' });
    expect(body.error).toMatch(/^Unrecognized key in body -- foo/);
    expect(body.details[0].keys).toContain('foo');
  });

  it('is refused for malformed JSON', async () => {
    const { status, body } = await call('/v2/scrape', { raw: '{"url":' });
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST_INVALID_JSON']);
  });

  it('accepts what the SDKs add', async () => {
    const { status, body } = await scrape({ url: page, origin: 'js-sdk@4.42.0', integration: null });
    expect([status, body.success]).toEqual([200, true]);
  });

  it('is refused if waitFor exceeds half of timeout', async () => {
    const refused = await scrape({ url: page, waitFor: 5000, timeout: 9999 });
    expect(refused.status).toBe(400);
    expect(refused.body.error).toContain('waitFor must not exceed half of timeout');
    const accepted = await scrape({ url: page, waitFor: 5000, timeout: 150_000 });
    expect(accepted.status).toBe(200);
  });

  const badRequests: [string, Record<string, unknown>][] = [
    ['waitFor above a minute', { waitFor: 60_001 }],
    ['a timeout below a second', { timeout: 999 }],
    ['a timeout above five minutes', { timeout: 300_001 }],
    [
      'a viewport that is too wide',
      { formats: [{ type: 'screenshot', viewport: { width: 7681, height: 10 } }] },
    ],
    ['two screenshots', { formats: ['screenshot', { type: 'screenshot', fullPage: true }] }],
    ['changeTracking without markdown', { formats: ['changeTracking'] }],
    ['an unknown format', { formats: ['nonsense'] }],
    ['an object of an unknown format', { formats: [{ type: 'nonsense' }] }],
    ['a format of version 1', { formats: ['screenshot@fullPage'] }],
    ['another format of version 1', { formats: ['extract'] }],
    ['a systemPrompt', { formats: [{ type: 'json', prompt: 'x', systemPrompt: 'y' }] }],
    ['51 actions', { actions: Array(51).fill({ type: 'wait', milliseconds: 1 }) }],
    ['waits of more than a minute', { waitFor: 2000, actions: [{ type: 'wait', milliseconds: 59_000 }] }],
    ['a wait for a time and a selector', { actions: [{ type: 'wait', milliseconds: 1, selector: 'a' }] }],
    ['a wait for neither a time nor a selector', { actions: [{ type: 'wait' }] }],
  ];
  it.each(badRequests)('is refused with details for %s', async (_name, options) => {
    const { status, body } = await scrape({ url: page, ...options });
    expect([status, body.success, body.code]).toEqual([400, false, 'BAD_REQUEST']);
    expect(body.details.length).toBeGreaterThan(0);
  });

  it.each([['pdf'], [['x']], [{ pdf: true }]])('is refused for the parsers %j', async (parsers) => {
    const { status, body } = await scrape({ url: page, parsers });
    expect(status).toBe(400);
    expect(body.error).toMatch(/^Bad Request: parsers(\[0\])? must be/);
  });

  it('returns a PDF without a parser as base64, for one credit', async () => {
    const { body } = await scrape({ url: `${site.url}/docs/1.pdf`, parsers: [] });
    expect(body.data.markdown).toMatch(/^JVBER/);
    expect(body.data.metadata.creditsUsed).toBe(1);
  });

  it('of a missing page is a result', async () => {
    const { status, body } = await scrape({ url: `${site.url}/status/404` });
    expect([status, body.success]).toEqual([200, true]);
    expect(body.data.metadata).toMatchObject({ statusCode: 404, error: 'Not Found' });
  });

  it('of an unknown host fails with its name', async () => {
    const { status, body } = await scrape({ url: 'http://no-such-host.invalid/' });
    expect([status, body.success, body.code]).toEqual([200, false, 'SCRAPE_DNS_RESOLUTION_ERROR']);
    expect(body.error).toContain('no-such-host.invalid');
  });

  it('with minAge finds nothing if there is no copy', async () => {
    const { status, body } = await scrape({ url: unseen(), minAge: 1 });
    expect([status, body.code]).toEqual([404, 'SCRAPE_NO_CACHED_DATA']);
  });

  it('with lockdown requests nothing if there is no copy', async () => {
    const url = unseen();
    const { status, body } = await scrape({ url, lockdown: true });
    expect([status, body.code]).toEqual([404, 'SCRAPE_LOCKDOWN_CACHE_MISS']);
    expect(JSON.stringify(body)).not.toContain(url);
    expect(site.hits(new URL(url).pathname + new URL(url).search)).toBe(0);
  });

  it('of a page that is slower than its timeout fails with 408', async () => {
    const { status, body } = await scrape({ url: `${site.url}/slow/20000/page`, timeout: 1000 });
    expect([status, body.code]).toEqual([408, 'SCRAPE_TIMEOUT']);
    expect(body.error).toContain('1000 ms');
  });

  it('accepts an expired certificate unless it verifies TLS or sends headers', async () => {
    await using tls = await startTlsSite('expired');
    const byDefault = await scrape({ url: tls.url });
    expect(byDefault.body.data.markdown).toContain('behind TLS');
    const strict = await scrape({ url: tls.url, skipTlsVerification: false });
    expect([strict.status, strict.body.code]).toEqual([500, 'SCRAPE_SSL_ERROR']);
    const withHeaders = await scrape({ url: tls.url, headers: { 'X-Any': '1' } });
    expect(withHeaders.body.code).toBe('SCRAPE_SSL_ERROR');
  });

  it('is not found by an unknown id, and refused for what is no id', async () => {
    const unknown = await call('/v2/scrape/0190b3c4-1111-7222-8333-444455556666');
    expect([unknown.status, unknown.body.success]).toEqual([404, false]);
    const malformed = await call('/v2/scrape/abc');
    expect(malformed.status).toBe(400);
    expect(malformed.body.error).toMatch(/^Invalid job ID format/);
  });
});

describe('the activity of a team', () => {
  it.each(['limit=0', 'limit=101', 'endpoint=x'])('is refused for %s', async (query) => {
    const { status, body } = await call(`/v2/team/activity?${query}`);
    expect([status, body.success]).toEqual([400, false]);
  });
});

describe('a request', () => {
  it('is refused without a key and with a wrong one', async () => {
    const none = await call('/v2/scrape', { key: null, body: {} });
    expect([none.status, none.body.success]).toEqual([401, false]);
    expect(none.body.error).toMatch(/^Unauthorized: Token missing/);
    const wrong = await call('/v2/scrape', { key: 'fc-wrong', body: {} });
    expect([wrong.status, wrong.body.success]).toEqual([401, false]);
    expect(wrong.body.error).toMatch(/^Unauthorized: Invalid token/);
  });
});
