import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type Page, chromium as playwright } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appearanceOf } from '../../src/fetch/engines/visitor.ts';
import { USER_AGENT } from '../../src/fetch/net/user-agent.ts';
import { DEFAULT_VISITOR, type SessionVisitor } from '../../src/schemas/session.ts';
import { type OpenTestSessions, openTestSessions } from '../support/sessions/open-session.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';

/** What sites see of the visitor of a session: in requests, pages, frames and workers. */

/** Evaluated in windows and workers. */
const VISITOR = `({
  userAgent: navigator.userAgent,
  languages: navigator.languages.join(),
  platform: navigator.platform,
  brands: navigator.userAgentData.brands.map(({ brand, version }) => brand + version).sort().join(),
  mobile: navigator.userAgentData.mobile,
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  decimal: (1.5).toLocaleString(),
})`;

const WORKER = `const report = async (port) => { await fetch('/from-worker'); port.postMessage(${VISITOR}) };
if ('SharedWorkerGlobalScope' in self) onconnect = ({ ports }) => report(ports[0]);
else if ('ServiceWorkerGlobalScope' in self) onmessage = ({ source }) => report(source);
else report(self);`;

/** What a page evaluates to see the visitor as its workers do. */
const WORKERS = {
  'a worker': `new Promise((done) => { new Worker('/worker.js').onmessage = ({ data }) => done(data) })`,
  'a shared worker': `new Promise((done) => { new SharedWorker('/worker.js').port.onmessage = ({ data }) => done(data) })`,
  'a service worker': `(async () => {
    await navigator.serviceWorker.register('/worker.js');
    const { active } = await navigator.serviceWorker.ready;
    return new Promise((done) => { navigator.serviceWorker.onmessage = ({ data }) => done(data); active.postMessage(0) });
  })()`,
};

let sessions: OpenTestSessions;
let pages: Pages;

beforeAll(async () => {
  pages = await startPages({
    '/': '<title>A page</title>',
    '/worker.js': (_request, response) => response.setHeader('Content-Type', 'text/javascript').end(WORKER),
    '/from-worker': 'seen',
    '/outer': (_request, response) => {
      const { port } = new URL(pages.url);
      response
        .setHeader('Content-Type', 'text/html')
        .end(`<iframe src="http://localhost:${port}/inner"></iframe>`);
    },
    '/inner': '<title>A frame</title>',
    '/popup': '<title>A popup</title>',
  });
  sessions = await openTestSessions();
});
afterAll(async () => {
  await sessions[Symbol.asyncDispose]();
  await pages[Symbol.asyncDispose]();
});

describe.each<[string, SessionVisitor]>([
  ['without options', DEFAULT_VISITOR],
  ['with a location and mobile', { location: { country: 'DE' }, mobile: true, blockAds: false }],
  ['with languages', { location: { languages: ['fr-CA', 'fr'] }, mobile: false, blockAds: false }],
])('a session %s', (_name, visitor) => {
  it('has the identity of scrapes in requests, pages, frames, popups, contexts and workers', async () => {
    const { location, mobile } = visitor;
    const appearance = appearanceOf({ location, mobile, skipTlsVerification: false }, USER_AGENT);
    const expected = {
      userAgent: appearance.userAgent,
      languages: appearance.languages.join(),
      platform: mobile ? 'Linux armv81' : 'Linux x86_64',
      brands: 'Chromium156,Not:A-Brand8',
      mobile,
      timezone: appearance.timezone,
      decimal: (1.5).toLocaleString(appearance.languages[0]),
    };
    pages.requests.length = 0;
    const { session, url } = await sessions.open(visitor);
    const browser = await playwright.connectOverCDP(url);
    const context = browser.contexts()[0]!;
    const page = context.pages()[0]!;
    await page.goto(`${pages.url}/`);
    expect(await page.evaluate(VISITOR)).toEqual(expected);
    for (const [name, expression] of Object.entries(WORKERS))
      expect({ [name]: await page.evaluate(expression) }).toEqual({ [name]: expected });
    const other = await (await browser.newContext()).newPage();
    await other.goto(new URL('/outer', pages.url).href);
    expect(await other.evaluate(VISITOR)).toEqual(expected);
    expect(await other.frames()[1]!.evaluate(VISITOR)).toEqual(expected);
    const opened = page.waitForEvent('popup');
    await page.evaluate(() => void window.open('/popup'));
    const popup = await opened;
    await popup.waitForURL('**/popup');
    expect(await popup.evaluate(VISITOR)).toEqual(expected);

    const requests = pages.requests.filter(({ path }) => path !== '/favicon.ico');
    expect([...new Set(requests.map(({ path }) => path))].sort()).toEqual(
      ['/', '/worker.js', '/from-worker', '/outer', '/inner', '/popup'].sort(),
    );
    for (const { path, headers } of requests) {
      const isNavigation = headers['sec-fetch-mode'] === 'navigate';
      expect({ path, ...headers }).toMatchObject({
        path,
        'user-agent': appearance.userAgent,
        'accept-language': expect.stringMatching(new RegExp(`^${appearance.languages[0]}`)),
        ...(isNavigation && { 'sec-ch-ua-mobile': mobile ? '?1' : '?0' }),
      });
      expect(String(headers['sec-ch-ua'])).not.toContain('Headless');
      expect(headers).not.toHaveProperty('proxy-connection');
    }
    await browser.close();
    await session.end('deleted');
  });
});

describe('a client of a session', () => {
  let page: Page;
  let end: () => Promise<void>;
  beforeAll(async () => {
    const { session, url } = await sessions.open();
    const browser = await playwright.connectOverCDP(url);
    page = browser.contexts()[0]!.pages()[0]!;
    end = async () => {
      await browser.close();
      await session.end('deleted');
    };
  });
  afterAll(() => end());

  it('sees its own user agent, locale and time zone in a context that it opens with them', async () => {
    const options = { userAgent: 'Own/1', locale: 'es-ES', timezoneId: 'Asia/Tokyo' };
    const context = await page.context().browser()!.newContext(options);
    const own = await context.newPage();
    await own.goto(pages.url);
    expect(await own.evaluate(VISITOR)).toMatchObject({
      userAgent: 'Own/1',
      languages: 'es-ES',
      brands: 'Chromium156,Not:A-Brand8',
      timezone: 'Asia/Tokyo',
      decimal: '1,5',
    });
    await context.close();
  });

  it('is told that proxies are an option of the session', async () => {
    const opening = page
      .context()
      .browser()!
      .newContext({ proxy: { server: pages.url } });
    await expect(opening).rejects.toThrow(/Proxies are an option of the session.*location\.country/);
  });

  it.each(['http', 'https'])("gets Chromium's own error for a host that refuses %s", async (scheme) => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    // Listening on a TCP port, the address is never a path.
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const tab = await page.context().newPage();
    await expect(tab.goto(`${scheme}://127.0.0.1:${port}/`)).rejects.toThrow('net::ERR_CONNECTION_REFUSED');
    await tab.close();
  });

  it.each([
    ['http://absent.invalid/', 'ERR_NAME_NOT_RESOLVED'],
    ['https://absent.invalid/', 'ERR_NAME_NOT_RESOLVED'],
    ['http://10.0.0.1/', 'ERR_BLOCKED_BY_CLIENT'],
    ['https://10.0.0.1/', 'ERR_BLOCKED_BY_CLIENT'],
  ])("gets Chromium's own error for %s", async (url, code) => {
    const tab = await page.context().newPage();
    await expect(tab.goto(url)).rejects.toThrow(`net::${code} at ${url}`);
    await tab.close();
  });
});

it('a session blocks advertisements in pages and frames if it is told to, but never what its user opens', async () => {
  const isAd = ({ url }: { url: string }) => new URL(url).pathname === '/popup';
  await using blocking = await openTestSessions({ adBlocker: { matcher: async () => isAd } });
  for (const [blockAds, expected] of [
    [true, 'blocked'],
    [false, 200],
  ] as const) {
    const { session, url } = await blocking.open({ mobile: false, blockAds });
    const browser = await playwright.connectOverCDP(url);
    const page = browser.contexts()[0]!.pages()[0]!;
    await page.goto(pages.url);
    const requested = page.evaluate(() =>
      fetch('/popup').then(
        ({ status }) => status,
        () => 'blocked',
      ),
    );
    expect(await requested).toBe(expected);
    expect((await page.goto(new URL('/popup', pages.url).href))?.status()).toBe(200);
    await browser.close();
    await session.end('deleted');
  }
});
