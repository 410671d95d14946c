import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAdBlocker } from '../../../src/fetch/browser/network/ad-blocker.ts';
import { createLogger } from '../../../src/system/logger.ts';
import { startBrowser, type TestBrowser } from '../../support/browser/start-browser.ts';
import { type Pages, startPages } from '../../support/sites/pages.ts';

/** Advertisements in pages: what is asked for, and what is left of them. */

const LISTS = `
||ads.example^
||tracker.example^$script
@@/needed.js$script,domain=site.example
##.banner-ad
site.example##.sponsored
`;
const SCRIPT = { 'Content-Type': 'text/javascript', 'Access-Control-Allow-Origin': '*' };

let browser: TestBrowser;
beforeAll(async () => {
  const hosts = ['site.example', 'other.example', 'ads.example', 'tracker.example', 'cdn.example'];
  browser = await startBrowser({ hosts, lists: LISTS });
});
afterAll(() => browser[Symbol.asyncDispose]());

const script = (code: string): Parameters<typeof startPages>[0][string] =>
  function serve(_request, response) {
    response.writeHead(200, SCRIPT).end(code);
  };

/** One server under all names; what it was asked is told by host and path. */
async function startSite(pages: Parameters<typeof startPages>[0]) {
  const served = await startPages(pages);
  const port = new URL(served.url).port;
  return {
    ...served,
    address: (host: string, at = '/') => `http://${host}:${port}${at}`,
    asked: () => served.requests.map(({ path: at, headers }) => `${headers.host?.split(':')[0]}${at}`),
  };
}

const page = (port: string) => `<!doctype html><html><head><title>News</title></head><body>
  <main><p>Text of the article</p><p id="own"></p><img src="/own.png"></main>
  <p class="banner-ad">Buy now</p><p class="sponsored">Sponsored</p>
  <img id="ad" src="http://ads.example:${port}/banner.png"><img src="http://cdn.example:${port}/photo.png">
  <iframe src="http://ads.example:${port}/frame"></iframe><iframe src="http://cdn.example:${port}/video"></iframe>
  <script src="/own.js"></script><script src="http://ads.example:${port}/show.js"></script>
  <script src="http://ads.example:${port}/needed.js"></script>
  <script src="http://tracker.example:${port}/count.js"></script>
  <img src="http://tracker.example:${port}/chart.png">
  <script>fetch('http://ads.example:${port}/bid').catch(() => 0)</script>
  <script src="/moved.js"></script>
</body></html>`;

async function startNews() {
  const site: Pages & { address(host: string, at?: string): string; asked(): string[] } = await startSite({
    '/': (request, response) =>
      response
        .writeHead(200, { 'Content-Type': 'text/html' })
        .end(page(request.headers.host?.split(':')[1] ?? '')),
    '/own.js': script('document.getElementById("own").textContent = "Own script ran"'),
    '/moved.js': (_request, response) =>
      response.writeHead(302, { Location: site.address('ads.example', '/moved-here.js') }).end(),
    '/show.js': script('document.body.append("Shown by the ad script")'),
    ...Object.fromEntries(
      ['/needed.js', '/count.js', '/moved-here.js', '/bid'].map((at) => [at, script('')]),
    ),
    '/frame': '<p>Framed</p>',
    '/video': '<p>Video</p>',
  });
  return site;
}

/** Makes a visit wait for pictures too, which matter to collectors only. */
const WITH_PICTURES = { collect: { nothing: async () => ({ data: undefined }) } };

const LISTED = ['banner.png', 'frame', 'show.js', 'bid', 'moved-here.js'].map(
  (name) => `ads.example/${name}`,
);

describe('advertisements', () => {
  it('are not requested, and the page stays complete', async () => {
    await using site = await startNews();
    const { html } = await browser.visit(site.address('site.example'), { blockAds: true, ...WITH_PICTURES });
    for (const address of [...LISTED, 'tracker.example/count.js'])
      expect(site.asked()).not.toContain(address);
    const kept = ['own.png', 'own.js', 'moved.js'].map((name) => `site.example/${name}`);
    const others = ['cdn.example/photo.png', 'cdn.example/video', 'tracker.example/chart.png'];
    expect(site.asked()).toEqual(expect.arrayContaining([...kept, ...others, 'ads.example/needed.js']));
    for (const text of ['Text of the article', 'Own script ran', '/photo.png', '/video', '/chart.png'])
      expect(html).toContain(text);
  });

  it('leave no frames, pictures or elements that the lists hide', async () => {
    await using site = await startNews();
    const { html } = await browser.visit(site.address('site.example'), { blockAds: true });
    for (const text of ['Buy now', 'Sponsored', '/banner.png', 'ads.example/frame', 'Shown by the ad script'])
      expect(html).not.toContain(text);
    const elsewhere = await browser.visit(site.address('other.example'), { blockAds: true });
    expect(elsewhere.html).not.toContain('Buy now');
    expect(elsewhere.html).toContain('Sponsored');
  });

  it('stay in the page when blockAds is false', async () => {
    await using site = await startNews();
    const { html } = await browser.visit(site.address('site.example'), { blockAds: false, ...WITH_PICTURES });
    expect(site.asked()).toEqual(expect.arrayContaining([...LISTED, 'tracker.example/count.js']));
    for (const text of ['Buy now', 'Sponsored', '/banner.png', 'Shown by the ad script'])
      expect(html).toContain(text);
  });

  it('do not keep a listed page from being opened itself', async () => {
    await using site = await startNews();
    const { html } = await browser.visit(site.address('ads.example'), { blockAds: true });
    expect(html).toContain('Text of the article');
  });

  it('are blocked together with headers of the request', async () => {
    await using site = await startNews();
    const headers = { 'X-Secret': 'for-you-only' };
    await browser.visit(site.address('site.example'), { blockAds: true, headers });
    for (const address of LISTED) expect(site.asked()).not.toContain(address);
    for (const { headers: sent } of site.requests) {
      const isOwn = sent.host?.startsWith('site.example');
      expect(sent['x-secret'], sent.host).toBe(isOwn ? 'for-you-only' : undefined);
    }
  });
});

describe('a page without advertisements', () => {
  /**
   * It says so when its globals or style sheets change, or anything in it does that it does not do itself.
   */
  const WATCHFUL = `<!doctype html><html><head><title>Untouched</title><style>p { color: red }</style></head>
    <body><p class="text">Text</p><script>
      const state = () => [Reflect.ownKeys(window).map(String).filter((key) => !key.includes('lastChange')).join(),
        document.styleSheets.length, document.adoptedStyleSheets.length].join();
      let before;
      addEventListener('load', () => {
        before = state();
        setInterval(() => { if (state() !== before) document.title = 'Changed'; }, 5);
        new MutationObserver(() => { document.title = 'Something stirred'; })
          .observe(document.body, { subtree: true, childList: true, attributes: true });
      });
    </script></body></html>`;

  it('is identical with and without blocking', async () => {
    await using site = await startSite({ '/': WATCHFUL });
    const url = site.address('site.example');
    const plain = await browser.visit(url, { blockAds: false });
    const blocking = await browser.visit(url, { blockAds: true });
    expect(blocking.html).toContain('<title>Untouched</title>');
    expect(blocking.html).toBe(plain.html);
  });
});

describe('filter lists', () => {
  const logger = createLogger('test', 'silent');
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'winnow-lists-'));
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  const unwanted = (url: string) => ({ url, type: 'Script', pageUrl: 'http://site.example/' });

  it('are compiled once, and again when they change', async () => {
    const directory = path.join(root, 'lists');
    const cacheDir = path.join(root, 'cache');
    await mkdir(directory);
    await writeFile(path.join(directory, 'a.txt'), '||ads.example^\n');
    const open = () => openAdBlocker({ directory, cacheDir, logger });
    const first = await open();
    const again = await open();
    expect(await readdir(cacheDir)).toHaveLength(1);
    for (const blocker of [first, again]) {
      const ads = await blocker?.open();
      expect(ads?.isAd(unwanted('http://ads.example/a.js'))).toBe(true);
      expect(ads?.isAd(unwanted('http://more.example/a.js'))).toBe(false);
    }
    await writeFile(path.join(directory, 'b.txt'), '||more.example^\n');
    const changed = await (await open())?.open();
    expect(changed?.isAd(unwanted('http://ads.example/a.js'))).toBe(true);
    expect(changed?.isAd(unwanted('http://more.example/a.js'))).toBe(true);
    expect(await readdir(cacheDir)).toHaveLength(2);
  });

  it('are compiled again for the first page if somebody has emptied the cache', async () => {
    const directory = path.join(root, 'lists-without-cache');
    const cacheDir = path.join(root, 'emptied');
    await mkdir(directory);
    await writeFile(path.join(directory, 'a.txt'), '||ads.example^\n');
    const blocker = await openAdBlocker({ directory, cacheDir, logger });
    await rm(cacheDir, { recursive: true });
    expect((await blocker?.open())?.isAd(unwanted('http://ads.example/a.js'))).toBe(true);
  });

  it('that are missing are logged with what to do', async () => {
    const told: string[] = [];
    const listening = Object.assign(createLogger('test', 'silent'), {
      warn: (text: string) => told.push(text),
    });
    const directory = path.join(root, 'nowhere');
    expect(await openAdBlocker({ directory, cacheDir: root, logger: listening })).toBeUndefined();
    expect(told).toEqual([expect.stringMatching(/nowhere.*WINNOW_ADBLOCK_LISTS/)]);
  });
});
