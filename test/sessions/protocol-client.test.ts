import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium as playwright } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Site, startSite } from '../site/site.ts';
import { pollUntil } from '../support/poll.ts';
import { startTestSessionBrowser, type TestSessionBrowser } from '../support/session-browser.ts';

/** Protocol clients on the browser of a session. */

let site: Site;
let browser: TestSessionBrowser;
beforeAll(async () => {
  site = await startSite();
  browser = await startTestSessionBrowser();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await site.close();
});

describe('Playwright connects to a session', () => {
  it('and drives the page that is open, which stays as it was after it disconnects', async () => {
    const first = await playwright.connectOverCDP(browser.url);
    const page = first.contexts()[0]!.pages()[0]!;
    await page.goto(`${site.url}/article/1`);
    await page.evaluate(() => localStorage.setItem('kept', 'yes'));
    await first.close();

    const second = await playwright.connectOverCDP(browser.url);
    const [again] = second.contexts()[0]!.pages();
    expect(again!.url()).toBe(`${site.url}/article/1`);
    expect(await again!.evaluate(() => localStorage.getItem('kept'))).toBe('yes');
    await second.close();
  });

  it('at the same time as another client, without seeing its messages', async () => {
    const [one, two] = await Promise.all([
      playwright.connectOverCDP(browser.url),
      playwright.connectOverCDP(browser.url),
    ]);
    const opened = await one.contexts()[0]!.newPage();
    await opened.goto(`${site.url}/article/2`);
    await pollUntil(async () =>
      two
        .contexts()[0]!
        .pages()
        .some((page) => page.url().endsWith('/article/2')),
    );
    const [title, sum] = await Promise.all([
      opened.title(),
      two
        .contexts()[0]!
        .pages()[0]!
        .evaluate(() => 1 + 1),
    ]);
    expect(title).not.toBe('');
    expect(sum).toBe(2);
    await one.close();
    expect(two.isConnected()).toBe(true);
    await opened.close().catch(() => undefined);
    await two.close();
  });

  it('and opens a context of its own', async () => {
    const client = await playwright.connectOverCDP(browser.url);
    const context = await client.newContext();
    const page = await context.newPage();
    await page.goto(`${site.url}/article/3`);
    expect(await page.title()).not.toBe('');
    await context.close();
    await client.close();
  });
});

describe('a protocol client cannot', () => {
  const send = async (method: string, params: object) => {
    const client = await playwright.connectOverCDP(browser.url);
    const session = await client.newBrowserCDPSession();
    try {
      // The types know only the parameters of each method.
      return await session.send(method as 'Browser.getVersion', params as never);
    } finally {
      await client.close();
    }
  };

  it.each([
    ['open a file', 'Target.createTarget', { url: 'file:///etc/passwd' }],
    ['open a page of the browser', 'Target.createTarget', { url: 'chrome://version' }],
    ['crash the browser', 'Browser.crash', {}],
    ['give a page the protocol', 'Target.exposeDevToolsProtocol', { targetId: 'x' }],
    ['send past the filter', 'Target.sendMessageToTarget', { message: '{}' }],
    ['load an extension', 'Extensions.loadUnpacked', { path: '/tmp' }],
  ])('%s', async (_name, method, params) => {
    await expect(send(method, params)).rejects.toThrow(method);
    expect(await send('Browser.getVersion', {})).toMatchObject({
      product: expect.stringContaining('Chrome'),
    });
  });

  it('end the browser by closing it', async () => {
    expect(await send('Browser.close', {}).catch(() => ({}))).toEqual({});
    expect(await send('Browser.getVersion', {})).toHaveProperty('product');
  });
});

it('a download arrives in the directory of the session, wherever the client wants it', async () => {
  const client = await playwright.connectOverCDP(browser.url);
  const page = client.contexts()[0]!.pages()[0]!;
  await page.goto(`${site.url}/article/4`);
  await page.evaluate(() => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(['downloaded text']));
    link.download = 'note.txt';
    link.click();
  });
  const { downloads } = browser.directory;
  await pollUntil(async () => (await readdir(downloads)).includes('note.txt'));
  expect(await readFile(join(downloads, 'note.txt'), 'utf8')).toBe('downloaded text');
  await client.close();
});
