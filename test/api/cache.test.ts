import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { articleTruth } from '../site/site.ts';
import { call, scrape } from '../support/api/call.ts';
import { startPages } from '../support/sites/pages.ts';
import { useSite } from '../support/sites/use-site.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';
import { sampleOf } from '../support/suite/corpus.ts';

/** Scrapes that the cache serves, and scrapes that it must not serve. */

const site = useSite();
const db = useDatabase();

let unused = 100;
/** The path of a page that no other test has asked for. */
const newPath = () => `/article/${unused++}`;

async function metadataOf(body: Record<string, unknown>) {
  const { body: answer } = await scrape(body);
  expect(answer).toMatchObject({ success: true });
  return answer.data.metadata;
}

describe('a page that was scraped before', () => {
  it('comes from the cache, and its metadata say so', async () => {
    const path = newPath();
    const url = site.url + path;
    const first = await metadataOf({ url });
    expect(first.cacheState).toBe('miss');
    expect(first).not.toHaveProperty('cachedAt');
    const { body } = await scrape({ url });
    expect(body.data.markdown).toContain(articleTruth(Number(path.split('/')[2])).firstSentence);
    expect(body.data.metadata.cacheState).toBe('hit');
    expect(Date.parse(body.data.metadata.cachedAt)).toBeLessThanOrEqual(Date.now());
    expect(body.data.metadata.scrapeId).not.toBe(first.scrapeId);
    expect(site.hits(path)).toBe(1);
  });

  it('is found under every spelling of its URL and keeps the requested one', async () => {
    const path = newPath();
    await metadataOf({ url: `${site.url}${path}?a=1&b=2` });
    const url = `${site.url}${path}?b=2&a=1#part`;
    expect(await metadataOf({ url })).toMatchObject({ cacheState: 'hit', sourceURL: url });
    expect((await metadataOf({ url: `${site.url}${path}?a=1` })).cacheState).toBe('miss');
  });

  it('provides formats that the first request did not ask for', async () => {
    const path = newPath();
    const url = site.url + path;
    await metadataOf({ url });
    const { body } = await scrape({
      url,
      formats: ['html', 'links', 'rawHtml'],
      onlyMainContent: false,
      excludeTags: ['h1'],
      removeBase64Images: false,
    });
    expect(body.data.metadata.cacheState).toBe('hit');
    expect(body.data.rawHtml).toMatch(/<h1/);
    expect(body.data.html).not.toMatch(/<h1/);
    expect(body.data.links.length).toBeGreaterThan(0);
    expect(site.hits(path)).toBe(1);
  });

  it.each([
    ['UTF-8', 'text/html; charset="UTF-8"', Buffer.from('<p>5 €</p>'), '5 €'],
    ['UTF-8 with a byte order mark', 'text/html', Buffer.from('\uFEFF<p>5 €</p>'), '5 €'],
    [
      'UTF-8 with a byte of another encoding',
      'text/html; charset=utf-8',
      Buffer.from('<p>5 \x80</p>', 'latin1'),
      '5 \uFFFD',
    ],
    ['UTF-16', 'text/html', Buffer.from('\uFEFF<p>5 €</p>', 'utf16le'), '5 €'],
    ['windows-1252', 'text/html; charset=Windows-1252', Buffer.from('<p>5 \x80</p>', 'latin1'), '5 €'],
    ['plain text', 'text/plain; charset=utf-8', Buffer.from('5 €'), '5 €'],
    ['an empty page', 'text/html; charset=utf-8', Buffer.alloc(0), ''],
  ])('has the text that it had when it was fetched: %s', async (_what, type, bytes, markdown) => {
    await using pages = await startPages({
      '/': (_request, response) => void response.writeHead(200, { 'Content-Type': type }).end(bytes),
    });
    const request = { url: pages.url, formats: ['rawHtml', 'markdown'], fastMode: true };
    const [fetched, cached] = [await scrape(request), await scrape(request)];
    expect(cached.body.data.metadata.cacheState).toBe('hit');
    expect(fetched.body.data.markdown).toBe(markdown);
    expect(cached.body.data.markdown).toBe(markdown);
    expect(cached.body.data.rawHtml).toBe(fetched.body.data.rawHtml);
  });
});

describe('a page that another team has scraped', () => {
  it.each([
    ['is fetched again', {}, { status: 200, data: { metadata: { cacheState: 'miss' } } }],
    [
      'is not in the cache under lockdown',
      { lockdown: true },
      { status: 404, code: 'SCRAPE_LOCKDOWN_CACHE_MISS' },
    ],
    ['is not in the cache by minAge', { minAge: 1 }, { status: 404, code: 'SCRAPE_NO_CACHED_DATA' }],
  ])('%s', async (_what, options, { status, ...expected }) => {
    const path = newPath();
    const url = `${site.url}${path}?token=guessed`;
    await metadataOf({ url });
    const { key } = await makeTeam(db);
    const timeout = 150_000;
    const other = await call('/v2/scrape', { body: { url, timeout, ...options }, key });
    expect(other).toMatchObject({ status, body: expected });
    expect((await metadataOf({ url, lockdown: true })).cacheState).toBe('hit');
    expect(site.hits(path)).toBe(status === 200 ? 2 : 1);
  });
});

describe.concurrent('the cache is bypassed', () => {
  it('by maxAge 0, which still stores the page', async () => {
    const path = newPath();
    const url = site.url + path;
    await metadataOf({ url });
    expect(await metadataOf({ url, maxAge: 0 })).not.toHaveProperty('cacheState');
    expect(site.hits(path)).toBe(2);
    const other = site.url + newPath();
    await metadataOf({ url: other, maxAge: 0 });
    expect((await metadataOf({ url: other })).cacheState).toBe('hit');
  });

  it('when its copy is older than maxAge', async () => {
    const url = site.url + newPath();
    await metadataOf({ url });
    await sleep(30);
    expect((await metadataOf({ url, maxAge: 10 })).cacheState).toBe('miss');
  });

  it.each([
    ['headers', { headers: { 'X-Any': '1' } }],
    ['actions', { actions: [{ type: 'scrape' }] }],
    ['a viewport of its own', { formats: [{ type: 'screenshot', viewport: { width: 300, height: 200 } }] }],
    ['a quality of its own', { formats: [{ type: 'screenshot', quality: 20 }] }],
  ])('with %s, neither read nor written', async (_name, options) => {
    const path = newPath();
    const url = site.url + path;
    expect(await metadataOf({ url, ...options })).not.toHaveProperty('cacheState');
    expect(await metadataOf({ url, ...options })).not.toHaveProperty('cacheState');
    expect(site.hits(path)).toBe(2);
    expect((await metadataOf({ url })).cacheState).toBe('miss');
  });

  it('for writing by storeInCache false', async () => {
    const url = site.url + newPath();
    expect((await metadataOf({ url, storeInCache: false })).cacheState).toBe('miss');
    expect((await metadataOf({ url })).cacheState).toBe('miss');
    expect((await metadataOf({ url, storeInCache: false })).cacheState).toBe('hit');
  });

  it.each(['/status/404', '/status/500'])('by %s, which is fetched each time', async (path) => {
    const url = `${site.url}${path}?cache`;
    expect((await metadataOf({ url })).cacheState).toBe('miss');
    const hits = site.hits(path);
    expect((await metadataOf({ url })).cacheState).toBe('miss');
    expect(site.hits(path)).toBeGreaterThan(hits);
  });
});

describe.concurrent('options that change the page have their own cache entries', () => {
  const options = [
    ['mobile', { mobile: true }],
    ['fastMode', { fastMode: true }],
    ['waitFor', { waitFor: 1 }],
    ['a screenshot', { formats: ['screenshot'] }],
    ['a screenshot of the whole page', { formats: [{ type: 'screenshot', fullPage: true }] }],
    ['blockAds off', { blockAds: false }],
    ['a country', { location: { country: 'DE' } }],
    ['languages', { location: { languages: ['fr'] } }],
    ['checked certificates', { skipTlsVerification: false }],
  ] as const;
  it.each(sampleOf(options, 3))('%s', async (_name, options) => {
    const url = site.url + newPath();
    await metadataOf({ url });
    expect((await metadataOf({ url, ...options })).cacheState).toBe('miss');
    expect((await metadataOf({ url, ...options })).cacheState).toBe('hit');
    expect((await metadataOf({ url })).cacheState).toBe('hit');
  });

  it('a cached screenshot is the same picture under the same URL', async () => {
    const url = site.url + newPath();
    const picture = async () => {
      const { body } = await scrape({ url, formats: ['screenshot'] });
      const bytes = Buffer.from(await (await fetch(body.data.screenshot)).arrayBuffer());
      return { state: body.data.metadata.cacheState, bytes, file: body.data.screenshot };
    };
    const first = await picture();
    expect(first.bytes.subarray(1, 4).toString()).toBe('PNG');
    const second = await picture();
    expect([first.state, second.state]).toEqual(['miss', 'hit']);
    expect(second.bytes.equals(first.bytes)).toBe(true);
    // At midnight UTC every file gets its next URL.
    if (second.file !== first.file) expect((await picture()).file).toBe(second.file);
  });
});

describe('a scrape from the cache only', () => {
  it('returns a copy older than minAge and fetches nothing', async () => {
    const path = newPath();
    const url = site.url + path;
    await metadataOf({ url });
    await sleep(30);
    expect((await metadataOf({ url, minAge: 10 })).cacheState).toBe('hit');
    for (const minAge of [3_600_000, Number.MAX_SAFE_INTEGER]) {
      const young = await scrape({ url, minAge });
      expect([young.status, young.body.code]).toEqual([404, 'SCRAPE_NO_CACHED_DATA']);
    }
    expect((await metadataOf({ url, maxAge: Number.MAX_SAFE_INTEGER })).cacheState).toBe('hit');
    expect(site.hits(path)).toBe(1);
  });

  it('returns any copy under lockdown and fetches nothing', async () => {
    const path = newPath();
    const url = site.url + path;
    await metadataOf({ url });
    const { body } = await scrape({ url, lockdown: true });
    expect(body.data.metadata).toMatchObject({ cacheState: 'hit', creditsUsed: 5 });
    expect(body.data.markdown).toContain(articleTruth(Number(path.split('/')[2])).firstSentence);
    const otherwise = await scrape({ url, lockdown: true, mobile: true });
    expect([otherwise.status, otherwise.body.code]).toEqual([404, 'SCRAPE_LOCKDOWN_CACHE_MISS']);
    expect(site.hits(path)).toBe(1);
  });
});
