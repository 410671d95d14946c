import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scrape } from '../../support/api/call.ts';
import { finished, startJob } from '../../support/api/jobs.ts';
import { startBrowser, type TestBrowser } from '../../support/browser/start-browser.ts';
import { startPages } from '../../support/sites/pages.ts';

/** Pages of one job that are opened one after the other in the same context. */

const STORY = `<p>${'The story that the page tells to everybody who asks. '.repeat(6)}</p>`;
/** Writes down what it finds of earlier visits, and leaves as much as it can. */
const PAGE = `<!doctype html><html><body>${STORY}<p id="found"></p><script src="/program.js"></script><script>
  (async () => {
    found.textContent = JSON.stringify([document.cookie, localStorage.length, sessionStorage.length, window.name,
      (await indexedDB.databases()).length, document.referrer]);
    document.cookie = 'a=1; max-age=1000';
    localStorage.a = sessionStorage.a = window.name = 'left behind';
    indexedDB.open('left behind');
  })();
  addEventListener('pagehide', () => { localStorage.b = sessionStorage.b = 'left while going' });
</script></body></html>`;
/** Leaves as much, and takes the place of what could remove it. */
const HOLDING = `<!doctype html><html><body>${STORY}<img name="open"><iframe name="origin"></iframe><b id="name"></b><script>
  document.cookie = 'a=1; max-age=1000';
  localStorage.clear = sessionStorage.clear = sessionStorage.a = window.name = 'held';
  Storage.prototype.clear = Storage.prototype.removeItem = document.open = () => { throw new Error('it is ours') };
  for (const storage of ['localStorage', 'sessionStorage', 'origin'])
    Object.defineProperty(globalThis, storage, { get() { throw new Error('it is ours') } });
</script></body></html>`;
const NOTHING = JSON.stringify(['', 0, 0, '', 0, '']);

const startSite = () =>
  startPages({
    '/': (_request, response) =>
      response
        .writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': 'server=1; HttpOnly; Path=/' })
        .end(PAGE),
    '/holding': HOLDING,
    '/program.js': (_request, response) =>
      response
        .writeHead(200, { 'Content-Type': 'text/javascript', 'Cache-Control': 'max-age=1000' })
        .end('window.program = 1'),
  });
const countOf = (site: Awaited<ReturnType<typeof startSite>>, path: string) =>
  site.requests.filter((request) => request.path === path).length;

describe('visits of the same job', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await startBrowser({ hosts: [] });
  });
  afterAll(() => browser[Symbol.asyncDispose]());

  it('share their cache, and find no cookies, storage or name of each other', async () => {
    await using site = await startSite();
    for (let visit = 0; visit < 4; visit++) {
      const { html = '' } = await browser.visit(`${site.url}/`, { sharedBy: 'one' });
      expect(/id="found">([^<]*)/.exec(html)?.[1]).toBe(NOTHING);
    }
    expect(countOf(site, '/program.js')).toBe(1);
    for (const { headers } of site.requests.filter(({ path }) => path === '/'))
      expect(headers).not.toHaveProperty('cookie');
  });

  it('find nothing of one that takes the place of what could remove it', async () => {
    await using site = await startSite();
    await browser.visit(`${site.url}/holding`, { sharedBy: 'held' });
    const { html = '' } = await browser.visit(`${site.url}/`, { sharedBy: 'held' });
    expect(/id="found">([^<]*)/.exec(html)?.[1]).toBe(NOTHING);
  });

  it('share nothing with those of another job, or of none', async () => {
    await using site = await startSite();
    for (const sharedBy of ['one', 'two', undefined, undefined])
      await browser.visit(`${site.url}/`, sharedBy ? { sharedBy } : {});
    expect(countOf(site, '/program.js')).toBe(4);
  });

  it('that take place at the same time have contexts of their own', async () => {
    await using site = await startSite();
    await Promise.all([1, 2].map(() => browser.visit(`${site.url}/`, { sharedBy: 'three' })));
    expect(countOf(site, '/program.js')).toBe(2);
  });

  it('get a new context after a failure', async () => {
    await using site = await startSite();
    const visit = (url: string) => browser.visit(url, { sharedBy: 'four' });
    await visit(`${site.url}/`);
    await expect(visit('http://127.0.0.1:1/')).rejects.toThrow();
    await visit(`${site.url}/`);
    expect(countOf(site, '/program.js')).toBe(2);
  });
});

it('the pages of a batch share the cache of the browser, and single scrapes do not', async () => {
  await using site = await startSite();
  const urls = [1, 2, 3].map((n) => `${site.url}/?${n}`);
  const options = { waitFor: 1, maxAge: 0 };
  const id = await startJob('/v2/batch/scrape', { urls, maxConcurrency: 1, ...options });
  expect(await finished('/v2/batch/scrape', id)).toMatchObject({ status: 'completed', completed: 3 });
  expect(countOf(site, '/program.js')).toBe(1);
  for (const url of urls) await scrape({ url, ...options });
  expect(countOf(site, '/program.js')).toBe(4);
});
