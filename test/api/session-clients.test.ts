import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import puppeteer, { type Page } from 'puppeteer-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { agentBrowserFile } from '../../src/sessions/code/language-files.ts';
import { runs } from '../sessions/code/installed-languages.ts';
import { call } from '../support/api/call.ts';
import { connectRaw } from '../support/browser/protocol.ts';
import { startPages } from '../support/sites/pages.ts';
import { useSite } from '../support/sites/use-site.ts';

/**
 * Programs that connect to the `cdpUrl` of a session with nothing but their default options, besides
 * Playwright.
 */

const site = useSite();
let session: { id: string; cdpUrl: string };
beforeEach(async () => {
  session = (await call('/v2/browser', { body: {} })).body;
});
afterEach(() => call(`/v2/browser/${session.id}`, { method: 'DELETE' }));

it('Puppeteer drives a session, with popups and contexts, and finds its pages when it comes back', async () => {
  const first = await puppeteer.connect({ browserWSEndpoint: session.cdpUrl });
  const [page] = await first.pages();
  await page!.goto(`${site.url}/article/1`);
  const opened = new Promise<Page>((resolve) => page!.once('popup', (popup) => resolve(popup!)));
  await page!.evaluate(() => void window.open('/article/2'));
  const popup = await opened;
  // Its navigation may come after its event.
  await expect.poll(() => popup.url()).toBe(`${site.url}/article/2`);
  const context = await first.createBrowserContext();
  const separate = await context.newPage();
  await separate.goto(`${site.url}/article/3`);
  expect(await separate.title()).not.toBe('');
  await context.close();
  await first.disconnect();

  const second = await puppeteer.connect({ browserWSEndpoint: session.cdpUrl });
  const urls = (await second.pages()).map((each) => each.url());
  expect(urls.sort()).toEqual([`${site.url}/article/1`, `${site.url}/article/2`]);
  // The browser stays open for others.
  await second.close();
  await using third = await connectRaw(session.cdpUrl);
  expect(await third.send('Browser.getVersion')).toHaveProperty('result.product');
});

it.each([
  ['opens', (url: string) => ({ method: 'Page.navigate', params: { url } })],
  [
    'follows a link to',
    (url: string) => ({ method: 'Runtime.evaluate', params: { expression: `location.href = '${url}'` } }),
  ],
])(
  'a client connects although the one before %s a site that does not respond, and leaves',
  async (_way, command) => {
    const requested = Promise.withResolvers<void>();
    await using pages = await startPages({ '/': () => requested.resolve() });
    const first = await connectRaw(session.cdpUrl);
    const { sessionId } = await first.openTab();
    const { method, params } = command(pages.url);
    void first.send(method, params, sessionId);
    await requested.promise;
    // Chromium holds it back.
    void first.send('Runtime.evaluate', { expression: '1' }, sessionId);
    await first[Symbol.asyncDispose]();

    const second = await puppeteer.connect({ browserWSEndpoint: session.cdpUrl });
    for (const page of await second.pages()) expect(await page.evaluate('1 + 1')).toBe(2);
    await second.disconnect();
  },
);

it('a client keeps its navigation when another one leaves without having got a response in a tab of its own', async () => {
  const [requested, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using pages = await startPages({
    '/': async (_request, response) => {
      requested.resolve();
      await released.promise;
      response.setHeader('Content-Type', 'text/html').end('<title>Late</title>');
    },
  });
  await using stays = await connectRaw(session.cdpUrl);
  const leaves = await connectRaw(session.cdpUrl);
  const [slow, other] = [await stays.openTab(), await leaves.openTab()];
  const navigated = stays.send('Page.navigate', { url: pages.url }, slow.sessionId);
  await requested.promise;
  const endless = { expression: 'new Promise(() => undefined)', awaitPromise: true };
  void leaves.send('Runtime.evaluate', endless, other.sessionId);
  await leaves.send('Browser.getVersion');
  await leaves[Symbol.asyncDispose]();
  // Longer than a site has that a client has left waiting.
  await sleep(6_000);
  released.resolve();
  expect((await navigated).result).not.toHaveProperty('errorText');
});

it('a client that looks for targets finds the version of the browser and its tabs, and drives one of them alone', async () => {
  const base = session.cdpUrl.replace(/^ws/, 'http');
  const read = async (path: string) => (await fetch(`${base}${path}`)).json();
  expect(await read('/json/version')).toMatchObject({
    Browser: expect.stringMatching(/^Chrome\/\d+(\.\d+){3}$/),
    'Protocol-Version': '1.3',
    'User-Agent': expect.not.stringContaining('Headless'),
    // chromedriver needs it.
    'WebKit-Version': expect.stringMatching(/^537\.36 \(@[0-9a-f]{40}\)$/),
    webSocketDebuggerUrl: session.cdpUrl,
  });
  await using browser = await connectRaw(`${session.cdpUrl}/devtools/browser/any`);
  const { targetId } = await browser.openTab({ url: `${site.url}/article/1` });
  // The title comes last.
  await expect.poll(async () => JSON.stringify(await read('/json/list'))).toContain('The Generated Times');
  const targets: { id: string; type: string; webSocketDebuggerUrl: string }[] = await read('/json/list');
  expect(targets.map(({ type }) => type)).toEqual(['page', 'page']);
  expect(await read('/json')).toEqual(targets);
  const { webSocketDebuggerUrl } = targets.find(({ id }) => id === targetId)!;
  await using page = await connectRaw(webSocketDebuggerUrl);
  await page.send('Page.enable');
  expect((await page.send('Page.navigate', { url: `${site.url}/article/2` })).result).not.toHaveProperty(
    'errorText',
  );
  const navigated = await page.untilEvent(({ method }) => method === 'Page.frameNavigated');
  expect(navigated).toMatchObject({ params: { frame: { url: `${site.url}/article/2` } } });
  expect(navigated).not.toHaveProperty('sessionId');

  await using absent = await connectRaw(`${session.cdpUrl}/devtools/page/${'0'.repeat(32)}`);
  const [code, reason] = await once(absent.socket, 'close');
  expect([code, String(reason)]).toEqual([1011, expect.stringContaining('No target with given id found')]);
});

it('a client is connected whatever its WebSocket key is, as by Chromium: rod sends the key nil', async () => {
  const { host, pathname } = new URL(session.cdpUrl);
  const [hostname, port] = host.split(':');
  const socket = connect(Number(port), hostname);
  socket.write(
    `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: nil\r\n\r\n`,
  );
  const [head] = await once(socket, 'data');
  socket.destroy();
  const accept = createHash('sha1').update('nil258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
  expect(String(head)).toMatch(/^HTTP\/1\.1 101 /);
  expect(String(head)).toContain(`Sec-WebSocket-Accept: ${accept}\r\n`);
});

it('rod, which takes every frame for a message, is disconnected without the frame that closes a connection', async () => {
  const { host, pathname } = new URL(session.cdpUrl);
  const [hostname, port] = host.split(':');
  const socket = connect(Number(port), hostname);
  socket.write(
    `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: nil\r\n\r\n`,
  );
  await once(socket, 'data');
  // A text frame with a mask of zeros.
  const command = '{"id":1,"method":"Browser.close"}';
  socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | command.length, 0, 0, 0, 0]), Buffer.from(command)]));
  const response = '{"id":1,"result":{}}';
  expect(await buffer(socket)).toEqual(
    Buffer.concat([Buffer.from([0x81, response.length]), Buffer.from(response)]),
  );
});

it('a client is told of popups as tabs to which it is not attached until it is, whoever else is: chromedp waits for those', async () => {
  await using client = await connectRaw(session.cdpUrl);
  await using other = await connectRaw(session.cdpUrl);
  await client.send('Target.setDiscoverTargets', { discover: true });
  const { sessionId } = await client.openTab();
  await client.evaluate(sessionId, `void window.open('${site.url}/article/1')`);
  const isPopup = ({ targetInfo }: { targetInfo?: { url: string } } = {}) =>
    targetInfo?.url.endsWith('/article/1');
  const { targetInfo } = (await client.untilEvent(({ params }) => isPopup(params))).params;
  expect(targetInfo).toMatchObject({ attached: false, openerId: expect.any(String) });
  const { targetId } = targetInfo;
  const isAttached = async ({ send }: typeof client) => {
    const { result } = await send('Target.getTargets');
    const info = (await send('Target.getTargetInfo', { targetId })).result.targetInfo;
    const listed = result.targetInfos.find((each: typeof info) => each.targetId === targetId);
    return [listed.attached, info.attached];
  };
  await other.send('Target.attachToTarget', { targetId, flatten: true });
  expect(await isAttached(client)).toEqual([false, false]);
  expect(await isAttached(other)).toEqual([true, true]);
});

it.skipIf(!runs.bash)('agent-browser drives a session, and finds its page when it comes back', async () => {
  const home = await mkdtemp(path.join(tmpdir(), 'winnow-agent-browser-'));
  const program = agentBrowserFile(readConfig().cacheDir)!;
  const run = async (...args: string[]) => {
    // Its daemon and its files are in its home.
    const env = { PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: home };
    return (await promisify(execFile)(program, args, { env })).stdout.trim();
  };
  try {
    await run('connect', session.cdpUrl);
    await run('open', `${site.url}/article/1`);
    expect(await run('get', 'title')).not.toBe('');
    await run('close');
    await run('connect', session.cdpUrl);
    expect(await run('get', 'url')).toBe(`${site.url}/article/1`);
  } finally {
    await run('close');
    await rm(home, { recursive: true, force: true });
  }
});
