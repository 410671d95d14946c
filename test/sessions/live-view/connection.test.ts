import { once } from 'node:events';
import type { Browser, Page, Request } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { renderSessionEndedPage } from '../../../src/api/live-view/message-pages.ts';
import { type LiveViewFixture, startLiveView, startViewerBrowser } from '../../support/sessions/live-view.ts';

/** How viewers connect, reconnect, misbehave and are told of the end of a session. */

/** Answers the request of a page that waits for it. */
let answer: () => void = () => undefined;
const PAGES: Parameters<typeof startLiveView>[0] = {
  '/held': (_request, response) => {
    answer = () => void response.end();
  },
  '/': `<!doctype html><title>First</title><body style="margin:0">
    <input style="position:absolute;left:0;top:0;width:400px;height:40px"><div style="height:3000px"></div>`,
};
let viewerBrowser: Browser;
let session: LiveViewFixture;
beforeAll(async () => {
  viewerBrowser = await startViewerBrowser();
});
beforeEach(async () => {
  session = await startLiveView(PAGES, { viewerBrowser });
  await session.goto('/');
});
afterEach(() => session[Symbol.asyncDispose]());
afterAll(() => viewerBrowser.close());

/** A viewer without a browser. */
async function connect(rights: 'view' | 'control'): Promise<WebSocket> {
  const socket = new WebSocket(session.urls[rights].replace(/^http/, 'ws'));
  await new Promise((resolve) => socket.once('open', resolve));
  return socket;
}
/**
 * Lets the page of a viewer note what it shows from now on, because it may hide that before the test looks at
 * it.
 */
async function noteShown(page: Page): Promise<() => Promise<unknown>> {
  await page.evaluate(`shown = []; new MutationObserver(() => {
    const status = document.getElementById('status');
    if (!status.hidden) shown.push(status.textContent);
  }).observe(document.getElementById('status'), { attributes: true, childList: true }); 0`);
  return () => page.evaluate('shown.join()');
}
const closed = (socket: WebSocket) =>
  new Promise<string>((resolve) => socket.once('close', (code, reason) => resolve(`${code} ${reason}`)));

describe('A viewer', () => {
  it('whose connection is lost is connected again, and the page keeps its place', async () => {
    const { page, ...viewer } = await session.openViewer('control');
    await page.mouse.click(100, 20);
    await page.keyboard.type('before');
    await page.mouse.wheel(0, 300);
    await expect.poll(() => session.evaluate('scrollY')).toBe(300);
    const frames = viewer.frames();
    const shown = await noteShown(page);
    session.cutConnections();
    await expect.poll(shown).toContain('The connection was lost');
    await page.locator('#status').waitFor({ state: 'hidden' });
    await expect.poll(() => viewer.frames()).toBeGreaterThan(frames);
    await expect.poll(() => session.told.viewers).toEqual([1, 0, 1]);
    await page.keyboard.type(' after');
    await expect.poll(() => session.evaluate('document.querySelector("input").value')).toBe('before after');
  });

  it('is told why the session ended, at once and at every later visit', async () => {
    const { page } = await session.openViewer('view');
    session.endSession('idle');
    await page.getByText('The session has ended. It was not used for too long.').waitFor();
    const response = await page.reload();
    expect(response?.status()).toBe(410);
    expect(await page.locator('body').textContent()).toContain('It was not used for too long.');
    expect(await response?.headerValue('cache-control')).toBe('no-store');
  });

  it('is told that the service was shut down', async () => {
    const { page } = await session.openViewer('view');
    session.liveView.close(1001, 'shutdown');
    await page.getByText('The session has ended. The service was shut down.').waitFor();
  });

  it('sees the page of an ended session when it ended while there was no connection', async () => {
    const { page } = await session.openViewer('view');
    session.endSessionUnseen('ttl');
    session.cutConnections();
    await page.getByText('It reached its maximum duration.').waitFor();
    expect(await page.title()).toBe('The session has ended');
  });

  it('whose host cannot be reached is connected again while the session goes on, and reads later that it was lost', async () => {
    const { page } = await session.openViewer('view');
    const loseHost = () => session.closeSockets(4500, 'lost: The machine of the session no longer responds.');
    loseHost();
    await expect.poll(() => session.told.viewers).toEqual([1, 0, 1]);
    await page.locator('#status').waitFor({ state: 'hidden' });
    session.endSessionUnseen('lost');
    loseHost();
    await page.getByText('The machine that it ran on is no longer available.').waitFor();
    expect(await page.title()).toBe('The session has ended');
  });

  it('reads what the session has to tell, such as a download that is too large', async () => {
    const { page } = await session.openViewer('view');
    const shown = await noteShown(page);
    session.liveView.notify('large.bin was not downloaded.');
    await expect.poll(shown).toContain('large.bin was not downloaded.');
    await page.locator('#status').waitFor({ state: 'hidden' });
  });

  it('is told when the browser crashes', async () => {
    const { page } = await session.openViewer('view');
    session.connection.browser.send('Browser.crash').catch(() => undefined);
    await page.getByText('The session has ended. Its browser crashed.').waitFor();
  });
});

describe('A session', () => {
  it('is not disturbed by messages that are no messages', async () => {
    const bad = await connect('control');
    const { activity } = session.told;
    const messages = [
      ...['', '{', 'null', '[]', '"text"', '{}', '{"type":"nothing"}', '{"type":"__proto__"}'],
      '{"type":"mouse","action":"down"}',
      '{"type":"mouse","action":"down","x":1e999,"y":0,"button":"left","buttons":1,"clickCount":1,"modifiers":0}',
      '{"type":"key","action":"down","key":"a","code":"KeyA","keyCode":65,"location":0,"repeat":false,"modifiers":0,"commands":["crash"]}',
      '{"type":"showTab","targetId":{"a":1}}',
      '{"type":"ack","frame":-1}',
      `{"type":"text","text":"${'x'.repeat(100_000)}"}`,
      `${'['.repeat(50)}`,
    ];
    for (const message of messages) bad.send(message);
    bad.send(Buffer.from([1, 2, 3]));
    bad.send('{"type":"text","text":"a message"}');
    await expect.poll(() => session.told.activity).toBe(activity + 1);
    expect(bad.readyState).toBe(WebSocket.OPEN);
  });

  it('disconnects a viewer that sends too many messages, also one that may only watch', async () => {
    const watching = await session.openViewer('control');
    for (const rights of ['view', 'control'] as const) {
      const bad = await connect(rights);
      const end = closed(bad);
      const move = JSON.stringify({
        type: 'mouse',
        action: 'move',
        x: 1,
        y: 1,
        button: 'none',
        buttons: 0,
        clickCount: 0,
        modifiers: 0,
      });
      for (let sent = 0; sent < 50_000; sent++) bad.send(move);
      expect(await end).toBe('1008 too many messages');
    }
    await watching.page.mouse.click(100, 20);
    await watching.page.keyboard.type('works');
    await expect.poll(() => session.evaluate('document.querySelector("input").value')).toBe('works');
  });

  it('disconnects a viewer whose message has more values than any can have', async () => {
    for (const message of [`{"type":"touch","points":[${'1,'.repeat(500_000)}1]}`, '['.repeat(50_000)]) {
      const bad = await connect('control');
      const end = closed(bad);
      bad.send(message);
      expect(await end).toBe('1008 the message has too many values');
    }
  });

  it('refuses viewers beyond a limit', async () => {
    const sockets = await Promise.all(Array.from({ length: 50 }, () => connect('view')));
    const refused = new WebSocket(session.urls.view.replace(/^http/, 'ws'));
    const [error] = await once(refused, 'error');
    expect(String(error)).toContain('429');
    for (const socket of sockets) socket.terminate();
    await expect.poll(() => session.told.viewers.at(-1)).toBe(0);
    expect(Math.max(...session.told.viewers)).toBe(50);
  });

  it('does not pile up input for a page that does not react', async () => {
    const socket = await connect('control');
    await session.evaluate('document.querySelector("input").focus()');
    // The page handles nothing until a synchronous request is answered.
    const hang = `setTimeout(() => { const request = new XMLHttpRequest(); request.open('GET', '/held', false); request.send() }); 0`;
    await session.evaluate(hang);
    await expect.poll(() => session.pages.requests.some(({ path }) => path === '/held')).toBe(true);
    const key = {
      type: 'key',
      key: 'a',
      code: 'KeyA',
      keyCode: 65,
      location: 0,
      repeat: false,
      modifiers: 0,
    };
    for (let sent = 0; sent < 1_500; sent++)
      socket.send(JSON.stringify({ ...key, action: 'down', text: 'a' }));
    await expect.poll(() => session.told.activity).toBe(1_500);
    answer();
    const typed = () => session.evaluate('document.querySelector("input").value.length');
    await expect.poll(typed).toBeGreaterThan(400);
    expect(await typed()).toBeLessThanOrEqual(600);
    const { page } = await session.openViewer('control');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('works');
    await expect.poll(() => session.evaluate('document.querySelector("input").value')).toBe('works');
  });
});

describe('A page that hangs', () => {
  it('does not keep viewers from other tabs, whatever was typed into it before', async () => {
    const first = session.liveView.targetId;
    await session.evaluate("popup = window.open('/'); 0");
    await expect.poll(() => session.liveView.targetId).not.toBe(first);
    const { page } = await session.openViewer('control');
    await session.evaluate('popup.setTimeout(() => { for (;;); }); 0').catch(() => undefined);
    await page.mouse.click(300, 200);
    for (let typed = 0; typed < 20; typed++) await page.keyboard.press('a');
    await page.locator('#tabs > span:not([data-shown]) button').first().click();
    await expect.poll(() => session.liveView.targetId).toBe(first);
  });
});

describe('The page of a live view', () => {
  it('is neither stored nor says where it came from, runs only its own scripts, and may be embedded', async () => {
    const response = await fetch(session.urls.view);
    const header = (name: string) => response.headers.get(name);
    expect(header('cache-control')).toBe('no-store');
    expect(header('referrer-policy')).toBe('no-referrer');
    expect(header('x-frame-options')).toBe(null);
    expect(header('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self' 'sha256-[\w+/=]+';/,
    );
    expect(header('content-security-policy')).not.toContain('frame-ancestors');
    const html = await response.text();
    expect(html).not.toMatch(/<script(?! type="(importmap"|module" src="[./]+live-view))/);
    expect(html).not.toContain('//');
  });

  it('has assets that browsers keep, at URLs without the secret, and requests them without a referrer', async () => {
    const requests: Request[] = [];
    const { page } = await session.openViewer('control');
    page.on('request', (request) => requests.push(request));
    const errors: string[] = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.reload();
    await page.locator('#status').waitFor({ state: 'hidden' });
    const assets = requests.filter((request) => request.url().includes('/live-view/'));
    expect(assets.length).toBeGreaterThan(5);
    for (const asset of assets) {
      expect(asset.url()).not.toContain('secret');
      expect(String((await asset.allHeaders()).referer)).not.toContain('http');
    }
    expect(errors).toEqual([]);
    const url = assets[0]!.url();
    expect((await fetch(url)).headers.get('cache-control')).toContain('immutable');
    // A page of another version, as there is during an upgrade of several nodes.
    const other = await fetch(url.replace(/live-view\/\w+/, 'live-view/000000000000'));
    expect([other.status, other.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    expect((await fetch(url.replace(/[^/]+$/, '..%2flive-view-page.ts'))).status).toBe(404);
  });
});

describe('The page of an ended session', () => {
  it('names the reason, if it is known', () => {
    expect(renderSessionEndedPage('deleted')).toContain('It was closed by its owner.');
    expect(renderSessionEndedPage()).toContain('It is no longer available.');
  });
});
