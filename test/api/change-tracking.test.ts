import type { RequestListener } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiResponse, call } from '../support/api/call.ts';
import { finished, startJob } from '../support/api/jobs.ts';
import { startPages } from '../support/sites/pages.ts';
import { makeTeam, type TestTeam, useDatabase } from '../support/storage/database.ts';

/** The format `changeTracking`, which compares a page with the last scrape of it. */

type Body = ApiResponse['body'];
const BATCH = '/v2/batch/scrape';
const CRAWL = '/v2/crawl';
const ISO = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

const db = useDatabase();
let team: TestTeam;
beforeAll(async () => {
  team = await makeTeam(db, { zeroDataRetention: true });
});

/** A page that shows what it is told to; without anything it is gone. */
async function startChanging(text: string | undefined) {
  const state: { text: string | undefined; status: number; shown: number } = { text, status: 200, shown: 0 };
  const listener: RequestListener = (_request, response) => {
    state.shown++;
    response.writeHead(state.text === undefined ? 404 : state.status, { 'Content-Type': 'text/html' });
    response.end(`<title>Page</title><main><h1>Offer</h1>${state.text ?? ''}</main>`);
  };
  const site = await startPages({ '/page': listener });
  return Object.assign(state, {
    url: `${site.url}/page`,
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  });
}

/** Options of a tracked scrape, without the browser. */
const tracked = (options: Record<string, unknown> = {}) => ({
  formats: ['markdown', { type: 'changeTracking', ...options }],
  fastMode: true,
});

async function track(url: string, options: Record<string, unknown> = {}, by = team): Promise<Body> {
  const { body } = await call('/v2/scrape', { body: { url, ...tracked(options) }, key: by.key });
  expect(body).toMatchObject({ success: true });
  return body.data;
}
const statusOf = async (url: string, options = {}, by = team): Promise<string> =>
  (await track(url, options, by)).changeTracking.changeStatus;

const versionsOf = (url: string) =>
  db.query.selectFrom('page_versions').selectAll().where('url', '=', url).orderBy('number').execute();

describe('a page', () => {
  it('is new, then same, changed, removed, and new again', async () => {
    await using page = await startChanging('<p>Two apples</p>');
    const first = await track(page.url);
    expect(first.changeTracking).toEqual({
      previousScrapeAt: null,
      changeStatus: 'new',
      visibility: 'visible',
    });
    expect(first.markdown).toContain('Two apples');
    const second = (await track(page.url)).changeTracking;
    expect(second).toMatchObject({ changeStatus: 'same', previousScrapeAt: expect.stringMatching(ISO) });
    page.text = '<p>Three apples</p>';
    const third = (await track(page.url)).changeTracking;
    expect(third).toEqual({
      changeStatus: 'changed',
      previousScrapeAt: expect.stringMatching(ISO),
      visibility: 'visible',
    });
    expect(Date.parse(third.previousScrapeAt)).toBeGreaterThan(Date.parse(second.previousScrapeAt));
    page.text = undefined;
    expect(await statusOf(page.url)).toBe('removed');
    expect(await statusOf(page.url)).toBe('removed');
    page.text = '<p>Three apples</p>';
    expect(await statusOf(page.url)).toBe('changed');
    expect(await statusOf(page.url)).toBe('same');
  });

  it('is reported as removed when it never existed', async () => {
    await using page = await startChanging(undefined);
    expect((await track(page.url)).changeTracking).toEqual({
      previousScrapeAt: null,
      changeStatus: 'removed',
      visibility: 'visible',
    });
  });

  it('has its diff as text and as data with git-diff', async () => {
    const list = (third: string) => `<p>one</p><p>two</p><p>${third}</p><p>four</p>`;
    await using page = await startChanging(list('three'));
    const options = { modes: ['git-diff'] };
    expect((await track(page.url, options)).changeTracking).not.toHaveProperty('diff');
    page.text = list('drei');
    const { diff, json } = (await track(page.url, options)).changeTracking;
    expect(json).toBeUndefined();
    expect(diff.text).toBe(
      [
        '--- previous',
        '+++ current',
        '@@ -4,6 +4,6 @@',
        ' ',
        ' two',
        ' ',
        '-three',
        '+drei',
        ' ',
        ' four',
      ].join('\n'),
    );
    const [file] = diff.json.files;
    expect(file).toMatchObject({ from: null, to: null, chunks: [{ content: '@@ -4,6 +4,6 @@' }] });
    expect(file.chunks[0].changes).toContainEqual({ type: 'del', del: true, ln: 7, content: '-three' });
    expect(file.chunks[0].changes).toContainEqual({ type: 'add', add: true, ln: 7, content: '+drei' });
    expect((await track(page.url, options)).changeTracking).not.toHaveProperty('diff');
  });

  it('has the fields that differ with json, even without the json format', async () => {
    const offer = (price: number) => `<dl><dt>Price<dd>$${price}<dt>Stock<dd>yes</dl>`;
    await using page = await startChanging(offer(5));
    const schema = { type: 'object', properties: { price: { type: 'number' }, stock: { type: 'string' } } };
    const options = { modes: ['json'], schema };
    const first = await track(page.url, options);
    expect(first.changeTracking).toMatchObject({ changeStatus: 'new' });
    expect(first.metadata.creditsUsed).toBe(5);
    page.text = offer(7);
    const second = await track(page.url, options);
    expect(second.changeTracking).toMatchObject({
      changeStatus: 'changed',
      json: { price: { previous: 5, current: 7 } },
    });
    expect(second.changeTracking.json).not.toHaveProperty('stock');
    expect(second).not.toHaveProperty('json');
    expect(second.warning).toContain('No language model is configured');
    page.text = offer(9);
    const formats = ['markdown', { type: 'json', schema }, { type: 'changeTracking', ...options }];
    const { body } = await call('/v2/scrape', {
      body: { url: page.url, formats, fastMode: true },
      key: team.key,
    });
    expect(body.data).toMatchObject({
      json: { price: 9 },
      changeTracking: { json: { price: { previous: 7, current: 9 } } },
      metadata: { creditsUsed: 5 },
    });
    page.text = undefined;
    const gone = await track(page.url, options);
    expect(gone.changeTracking.changeStatus).toBe('removed');
  });

  it('is the same when only timestamps, counters and the like changed', async () => {
    const page = (minutes: number, views: string, token: string) =>
      `<p>Posted ${minutes} minutes ago</p><p>${views} views</p>
       <a href="/buy?item=7&csrf_token=${token}">Buy</a> <img src="/a.png?v=${minutes}">`;
    await using site = await startChanging(page(3, '1,234', 'abc'));
    expect(await statusOf(site.url)).toBe('new');
    site.text = page(47, '12.5k', 'xyz');
    expect(await statusOf(site.url)).toBe('same');
    site.text = page(47, '12.5k', 'xyz').replace('item=7', 'item=8');
    expect(await statusOf(site.url)).toBe('changed');
  });

  it('has a separate history for each tag and each team', async () => {
    await using page = await startChanging('<p>x</p>');
    const other = await makeTeam(db);
    const statuses = [
      await statusOf(page.url, { tag: 'a' }),
      await statusOf(page.url, { tag: 'b' }),
      await statusOf(page.url),
      await statusOf(page.url, {}, other),
      await statusOf(page.url, { tag: 'a' }),
      await statusOf(page.url, { tag: null }),
    ];
    expect(statuses).toEqual(['new', 'new', 'new', 'new', 'same', 'same']);
  });

  it('has no history of scrapes without the changeTracking format', async () => {
    await using page = await startChanging('<p>x</p>');
    await call('/v2/scrape', { body: { url: page.url, fastMode: true }, key: team.key });
    expect(await statusOf(page.url)).toBe('new');
  });

  it('bypasses the cache, costs one credit, and error pages are not compared', async () => {
    await using page = await startChanging('<p>x</p>');
    await call('/v2/scrape', { body: { url: page.url, fastMode: true }, key: team.key });
    const first = await track(page.url);
    expect(page.shown).toBe(2);
    expect(first.metadata).not.toHaveProperty('cacheState');
    expect(first.metadata.creditsUsed).toBe(1);
    page.status = 500;
    const broken = await track(page.url);
    expect(broken).not.toHaveProperty('changeTracking');
    expect(broken.warning).toContain('the target responded with HTTP 500');
    page.status = 200;
    expect(await statusOf(page.url)).toBe('same');
  });
});

describe('a tracked page', () => {
  const formats = ['markdown', 'changeTracking'];
  const scrape = async (url: string, options: Record<string, unknown> = {}): Promise<Body> => {
    const { body } = await call('/v2/scrape', { body: { url, ...options }, key: team.key });
    expect(body).toMatchObject({ success: true });
    return body.data;
  };
  /** Only a browser shows a time zone to a page. */
  const engineOf = ({ metadata }: Body) => (metadata.timezone === undefined ? 'http' : 'browser');

  it('is fetched without the browser where possible, and is cached for the next scrape', async () => {
    await using page = await startChanging('<p>As it was sent</p>');
    const first = await scrape(page.url, { formats });
    expect(engineOf(first)).toBe('http');
    expect(first.changeTracking.changeStatus).toBe('new');
    const plain = await scrape(page.url);
    expect(plain.metadata.cacheState).toBe('hit');
    expect(plain.markdown).toContain('As it was sent');
    expect(page.shown).toBe(1);
  });

  it('has five seconds to settle in the browser, and is cached for the next scrape', async () => {
    const late = `<p id="late"></p><script>setTimeout(() => { late.textContent = 'It came late' }, 2000)</script>`;
    await using page = await startChanging(`<div id="root"></div>${'<p>Some words. </p>'.repeat(20)}${late}`);
    const first = await scrape(page.url, { formats });
    expect(engineOf(first)).toBe('browser');
    expect(first.markdown).toContain('It came late');
    const plain = await scrape(page.url);
    expect(plain.metadata.cacheState).toBe('hit');
    expect(plain.markdown).toContain('It came late');
  });
});

describe('an impossible comparison', () => {
  it('in mode json without structured data gets a warning and costs nothing', async () => {
    await using page = await startChanging('<p>$1</p>');
    const options = { modes: ['json', 'git-diff'], prompt: 'the price' };
    await track(page.url, options);
    page.text = '<p>$2</p>';
    const data = await track(page.url, options);
    expect(data.changeTracking).toMatchObject({
      changeStatus: 'changed',
      diff: { text: expect.stringMatching(/\+\$2/) },
    });
    expect(data.changeTracking).not.toHaveProperty('json');
    expect(data.warning).toContain('The json of changeTracking was left out');
    expect(data.metadata.creditsUsed).toBe(1);
  });

  it.each([
    ['zeroDataRetention', { zeroDataRetention: true }],
    ['lockdown', { lockdown: true }],
  ])('%s keeps nothing to compare with, and says so', async (_name, option) => {
    await using page = await startChanging('<p>x</p>');
    const cached = { url: page.url, fastMode: true };
    await call('/v2/scrape', { body: cached, key: team.key });
    const body = { url: page.url, ...tracked(), ...option };
    const answer = await call('/v2/scrape', { body, key: team.key });
    expect(answer.body).toMatchObject({ success: true, data: { markdown: expect.stringContaining('x') } });
    expect(answer.body.data).not.toHaveProperty('changeTracking');
    expect(answer.body.data.warning).toContain('changeTracking was left out');
    expect(await versionsOf(page.url)).toEqual([]);
  });

  it.each([
    [{ formats: ['changeTracking'] }, 'requires the markdown format'],
    [{ formats: ['markdown', 'changeTracking', 'changeTracking'] }, 'at most one'],
    [{ formats: ['markdown', 'changeTracking'], minAge: 1 }, 'minAge returns a cached copy'],
  ])('%j is refused', async (options, message) => {
    const { status, body } = await call('/v2/scrape', { body: { url: 'http://127.0.0.1:9/', ...options } });
    expect(status).toBe(400);
    expect(body).toMatchObject({ success: false, code: 'BAD_REQUEST' });
    expect(JSON.stringify(body)).toContain(message);
  });
});

describe('scrapes at the same time', () => {
  it('are recorded one after the other, so only one of them is new', async () => {
    await using page = await startChanging('<p>x</p>');
    const statuses = await Promise.all(Array.from({ length: 8 }, () => statusOf(page.url)));
    expect(statuses.sort()).toEqual(['new', ...Array(7).fill('same')]);
    const numbers = (await versionsOf(page.url)).map(({ number }) => number);
    expect(numbers.at(-1)).toBe(8);
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});

describe('a batch', () => {
  it('tracks each of its pages', async () => {
    await using one = await startChanging('<p>one</p>');
    await using two = await startChanging('<p>two</p>');
    const run = async () => {
      const body = { urls: [one.url, two.url], ...tracked({ modes: ['git-diff'] }) };
      const id = await startJob(BATCH, body, { key: team.key });
      const { data } = await finished(BATCH, id, { key: team.key });
      const byUrl = new Map<string, Body>(
        data.map((each: Body) => [each.metadata.sourceURL, each.changeTracking]),
      );
      return [byUrl.get(one.url), byUrl.get(two.url)];
    };
    expect(await run()).toMatchObject([{ changeStatus: 'new' }, { changeStatus: 'new' }]);
    two.text = '<p>zwei</p>';
    const [same, changed] = await run();
    expect(same).toMatchObject({ changeStatus: 'same', visibility: 'visible' });
    expect(changed).toMatchObject({
      changeStatus: 'changed',
      diff: { text: expect.stringMatching(/-two\n\+zwei/) },
    });
  });
});

describe('a crawl', () => {
  const page = (title: string, links: string[] = []) =>
    `<main><h1>${title}</h1>${links.map((link) => `<a href="${link}">${link}</a> `).join('')}</main>`;

  /** A crawl to its end: by path, status and visibility. */
  async function crawl(url: string, options: Record<string, unknown> = {}) {
    const body = { url, scrapeOptions: tracked(), sitemap: 'skip', ignoreRobotsTxt: true, ...options };
    const id = await startJob(CRAWL, body, { key: team.key });
    const done = await finished(CRAWL, id, { key: team.key });
    expect(done.status).toBe('completed');
    return Object.fromEntries(
      done.data.map(({ metadata, changeTracking: found }: Body) => [
        new URL(metadata.sourceURL).pathname,
        `${found.changeStatus} ${found.visibility}`,
      ]),
    );
  }

  it('says which pages only an earlier crawl knows, and which of them are gone', async () => {
    const content: Record<string, string> = {
      '/': page('Home', ['/kept', '/hidden', '/gone']),
      '/kept': page('Kept'),
      '/hidden': page('Hidden', ['/below']),
      '/below': page('Below'),
      '/gone': page('Gone'),
    };
    const serve: RequestListener = (request, response) => {
      const html = content[request.url ?? ''];
      response.writeHead(html === undefined ? 404 : 200, { 'Content-Type': 'text/html' }).end(html ?? '');
    };
    await using site = await startPages(
      Object.fromEntries([...Object.keys(content), '/added'].map((path) => [path, serve])),
    );
    expect(await crawl(site.url)).toEqual({
      '/': 'new visible',
      '/kept': 'new visible',
      '/hidden': 'new visible',
      '/below': 'new visible',
      '/gone': 'new visible',
    });
    content['/'] = page('Home', ['/kept', '/added']);
    content['/added'] = page('Added');
    delete content['/gone'];
    const second = {
      '/': 'same visible',
      '/kept': 'same visible',
      '/hidden': 'same hidden',
      '/below': 'same hidden',
      '/gone': 'removed hidden',
    };
    expect(await crawl(site.url, { limit: 2 })).toEqual({ '/': 'changed visible', '/kept': 'same visible' });
    const added = { '/added': 'new visible' };
    expect(await crawl(site.url)).toEqual({ ...second, ...added });
    // A removed page is reported once.
    const { '/gone': _, ...third } = second;
    expect(await crawl(site.url)).toEqual({ ...third, '/added': 'same visible' });
    // Another tag, another history; and without tracking nothing is recalled.
    const other = { formats: ['markdown', { type: 'changeTracking', tag: 'other' }], fastMode: true };
    expect(Object.keys(await crawl(site.url, { scrapeOptions: other })).sort()).toEqual([
      '/',
      '/added',
      '/kept',
    ]);
  });
});
