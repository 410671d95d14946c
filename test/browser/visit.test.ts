import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { scrape } from '../support/api.ts';
import { type Pages, startPages } from '../support/pages.ts';
import { chromiumProcesses } from '../support/processes.ts';

/** What pages may do to the browser, and what they may learn, seen through the API. */

/** Makes the browser open the page, never the plain fetch. */
const IN_BROWSER = { waitFor: 1, maxAge: 0 };

const html = (body: string, head = '') =>
  `<!doctype html><html><head><title>Test</title>${head}</head><body><main>${body}</main></body></html>`;

async function markdownOf(url: string, options: Record<string, unknown> = {}): Promise<string> {
  const { body } = await scrape({ url, ...IN_BROWSER, ...options });
  expect(body, JSON.stringify(body)).toMatchObject({ success: true });
  return body.data.markdown;
}

describe('headers of the request', () => {
  const headers = { 'X-Secret': 'for-you-only', Authorization: 'Bearer mine', Cookie: 'session=open; a=b' };
  const ownHeaders = {
    'x-secret': 'for-you-only',
    authorization: 'Bearer mine',
    cookie: 'session=open; a=b',
  };

  function expectNone(pages: Pages, path: string): void {
    const seen = pages.headersOf(path);
    expect(seen, path).toBeDefined();
    expect(seen, path).not.toHaveProperty('x-secret');
    expect(seen, path).not.toHaveProperty('authorization');
    expect(seen, path).not.toHaveProperty('cookie');
  }

  it('reach the page and what it loads from its own origin, and nobody else', async () => {
    await using stranger = await startPages({
      '/pixel.js': (_request, response) =>
        response
          .writeHead(200, { 'Content-Type': 'text/javascript', 'Access-Control-Allow-Origin': '*' })
          .end(),
      '/frame': html('framed'),
    });
    // Cookies know hosts, not ports: the stranger goes by another name.
    const other = stranger.url.replace('127.0.0.1', 'localhost');
    await using own = await startPages({
      '/': html(
        `<p>Hello</p><script src="/own.js"></script><script src="${other}/pixel.js"></script>
         <iframe src="${other}/frame"></iframe><script>fetch('${other}/pixel.js?fetched')</script>`,
      ),
      '/own.js': (_request, response) => response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(),
    });
    expect(await markdownOf(`${own.url}/`, { headers })).toContain('Hello');
    expect(own.headersOf('/')).toMatchObject(ownHeaders);
    expect(own.headersOf('/own.js')).toMatchObject(ownHeaders);
    expectNone(stranger, '/pixel.js');
    expectNone(stranger, '/frame');
  });

  it.each([
    ['the browser', IN_BROWSER],
    ['the plain fetch', { fastMode: true }],
  ])('do not follow a redirect to another origin in %s', async (_name, options) => {
    await using stranger = await startPages({ '/elsewhere': html('Elsewhere') });
    const other = stranger.url.replace('127.0.0.1', 'localhost');
    await using own = await startPages({
      '/': (_request, response) => response.writeHead(302, { Location: '/next' }).end(),
      '/next': (_request, response) => response.writeHead(302, { Location: `${other}/elsewhere` }).end(),
    });
    const { body } = await scrape({ url: `${own.url}/`, headers, ...options });
    expect(body.data.markdown).toContain('Elsewhere');
    expect(own.headersOf('/')).toMatchObject(ownHeaders);
    expect(own.headersOf('/next')).toMatchObject(ownHeaders);
    expectNone(stranger, '/elsewhere');
  });
});

describe('a page that misbehaves', () => {
  it('is read in spite of its dialogs', async () => {
    await using pages = await startPages({
      '/': html(`<p id="said"></p><script>
        alert('Stop!');
        said.textContent = 'Answers: ' + confirm('Go on?') + ' ' + prompt('Name?', 'x');
        window.onbeforeunload = () => 'Stay!';
      </script>`),
    });
    expect(await markdownOf(pages.url)).toContain('Answers: false null');
  });

  it('is read in spite of its popups and tabs', async () => {
    await using pages = await startPages({
      '/': html(`<p>The first page</p><a id="tab" target="_blank" href="/popup">tab</a>
        <script>window.open('/popup'); tab.click();</script>`),
      '/popup': html(`<p>A popup</p><script>alert('Look here!')</script>`),
    });
    const markdown = await markdownOf(pages.url);
    expect(markdown).toContain('The first page');
    expect(markdown).not.toContain('A popup');
  });

  it('is read though it never rests', async () => {
    await using pages = await startPages({
      '/': html(`<p>Content from the start</p><p id="clock"></p><script>
        let ticks = 0;
        setInterval(() => { clock.textContent = 'tick ' + ++ticks; fetch('/poll'); }, 20);
      </script>`),
      '/poll': () => undefined,
    });
    const markdown = await markdownOf(pages.url);
    expect(markdown).toContain('Content from the start');
    expect(markdown).toMatch(/tick \d+/);
  });

  it('is read where its own scripts lead', async () => {
    await using pages = await startPages({
      '/': html(`<p>Wait</p><script>setTimeout(() => { location.href = '/second' }, 100)</script>`),
      '/second': html(`<p>Second</p><script>setTimeout(() => { location.replace('/third') }, 100)</script>`),
      '/third': html('<p>The third page</p>'),
    });
    const { body } = await scrape({ url: `${pages.url}/`, ...IN_BROWSER });
    expect(body.data.markdown).toContain('The third page');
    expect(body.data.metadata).toMatchObject({ url: `${pages.url}/third`, sourceURL: `${pages.url}/` });
  });

  it('with an endless loop costs its own timeout, and nobody else anything', async () => {
    await using pages = await startPages({
      '/': html('<p>Busy</p><script>setTimeout(() => { for (;;); }, 50)</script>'),
      '/calm': html('<p>Calm</p>'),
    });
    const busy = scrape({ url: `${pages.url}/`, ...IN_BROWSER, timeout: 3000 });
    expect(await markdownOf(`${pages.url}/calm`)).toContain('Calm');
    const { status, body } = await busy;
    expect([status, body.code]).toEqual([408, 'SCRAPE_TIMEOUT']);
    expect(await markdownOf(`${pages.url}/calm`)).toContain('Calm');
  });

  it.runIf(process.platform === 'linux')('whose tab crashes costs that page only', async () => {
    await using pages = await startPages({
      '/': html('<p>Doomed</p>'),
      '/next': html('<p>The next one</p>'),
    });
    const before = new Set((await chromiumProcesses()).map(({ pid }) => pid));
    const doomed = scrape({ url: `${pages.url}/`, waitFor: 4000, maxAge: 0 });
    let tab: number | undefined;
    while (!tab) {
      await sleep(50);
      const renderers = (await chromiumProcesses()).filter(({ command }) => /--type=renderer/.test(command));
      if (pages.requests.length) tab = renderers.find(({ pid }) => !before.has(pid))?.pid;
    }
    process.kill(tab, 'SIGKILL');
    const { status, body } = await doomed;
    expect([status, body.code]).toEqual([500, 'SCRAPE_SITE_ERROR']);
    expect(body.error).toContain('crashed');
    expect(await markdownOf(`${pages.url}/next`)).toContain('The next one');
  });

  it.runIf(process.platform === 'linux')('is read by another browser when the browser died', async () => {
    await using pages = await startPages({ '/': html('<p>Alive</p>') });
    expect(await markdownOf(pages.url)).toContain('Alive');
    const [browser] = (await chromiumProcesses()).filter(({ command }) => !/--type=/.test(command));
    process.kill(browser!.pid, 'SIGKILL');
    expect(await markdownOf(pages.url)).toContain('Alive');
    expect((await chromiumProcesses()).map(({ pid }) => pid)).not.toContain(browser!.pid);
  });
});

describe('what a page sees', () => {
  const SELF_PORTRAIT = html(
    `<p id="self"></p><script>
      self.textContent = JSON.stringify({ agent: navigator.userAgent, width: innerWidth, ratio: devicePixelRatio,
        touch: navigator.maxTouchPoints, webdriver: navigator.webdriver, language: navigator.language,
        brands: navigator.userAgentData?.brands?.map(({ brand }) => brand) });
    </script>`.replaceAll('self.', 'document.getElementById("self").'),
    '<meta name="viewport" content="width=device-width">',
  );

  async function portrait(options: Record<string, unknown>) {
    await using pages = await startPages({ '/': SELF_PORTRAIT });
    const { body } = await scrape({ url: `${pages.url}/`, ...IN_BROWSER, formats: ['rawHtml'], ...options });
    const json = /<p id="self">(.*?)<\/p>/.exec(body.data.rawHtml)?.[1] ?? '';
    return { ...JSON.parse(json), sent: pages.headersOf('/') };
  }

  it('is a desktop', async () => {
    const seen = await portrait({});
    expect(seen).toMatchObject({ width: 1280, ratio: 1, touch: 0, language: 'en-US' });
    expect(seen.agent).toMatch(/X11; Linux/);
    expect(seen.sent['user-agent']).toBe(seen.agent);
    expect(seen.agent).not.toMatch(/headless/i);
  });

  it('is a telephone when mobile is asked for', async () => {
    const seen = await portrait({ mobile: true });
    expect(seen).toMatchObject({ width: 412, touch: expect.toSatisfy((points: number) => points > 0) });
    expect(seen.ratio).toBeGreaterThan(1);
    expect(seen.agent).toMatch(/Android.*Mobile/);
    expect(seen.sent['user-agent']).toBe(seen.agent);
  });

  it('is nothing of another scrape: no cookies, no storage, also at the same time', async () => {
    await using pages = await startPages({
      '/': (_request, response) =>
        response.writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': 'server=1; Path=/' }).end(
          html(`<p id="found"></p><script>
            const cookies = document.cookie.split('; ').filter((cookie) => !cookie.startsWith('server='));
            found.textContent = 'Found: ' + JSON.stringify([cookies.join(), localStorage.length, sessionStorage.length]);
            document.cookie = 'script=1; max-age=1000';
            localStorage.setItem('a', 'b');
            sessionStorage.setItem('a', 'b');
            if (!location.search) location.replace('/?again');
          </script>`),
        ),
    });
    const url = `${pages.url}/?first`;
    const found = [await markdownOf(url), ...(await Promise.all([markdownOf(url), markdownOf(url)]))];
    for (const each of found) expect(each.replaceAll('\\', '')).toContain('Found: ["",0,0]');
    for (const { headers } of pages.requests) expect(headers).not.toHaveProperty('cookie');
    // Within one scrape they last, as in any browser.
    expect((await markdownOf(`${pages.url}/`)).replaceAll('\\', '')).toContain('Found: ["script=1",1,1]');
  });
});
