import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectRaw, type RawClient } from '../support/browser/protocol.ts';
import { startTestSessionBrowser, type TestSessionBrowser } from '../support/sessions/session-browser.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** Downloads of a session's browser that would exceed 100 MiB. */

const MIB = 1024 * 1024;
/** Chromium reads the first bytes of other types before it decides what they are. */
const BINARY = { 'Content-Type': 'application/octet-stream' };

let site: Pages;
let browser: TestSessionBrowser;
let client: RawClient;
/** Downloads that the site still sends. */
let sending = 0;
beforeAll(async () => {
  site = await startPages({
    '/': '<p>a page</p>',
    '/small': (_request, response) =>
      response
        .writeHead(200, { ...BINARY, 'Content-Disposition': 'attachment; filename="small.txt"' })
        .end('small'),
    '/announced': (_request, response) => {
      const headers = {
        ...BINARY,
        'Content-Length': 200 * MIB,
        'Content-Disposition': 'attachment; filename="announced.bin"',
      };
      response.writeHead(200, headers).write('the first bytes');
    },
    '/endless': (_request, response) => {
      sending++;
      response.writeHead(200, { ...BINARY, 'Content-Disposition': 'attachment; filename="endless.bin"' });
      const send = () => {
        while (!response.destroyed && response.write(Buffer.alloc(MIB)));
      };
      response.on('drain', send).on('close', () => sending--);
      send();
    },
  });
  browser = await startTestSessionBrowser();
  client = await connectRaw(browser.url);
});
beforeEach(() => {
  browser.canceled.length = 0;
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await browser[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

const files = async () => (await readdir(browser.directory.downloads)).sort();
const download = async (path: string, context: object = {}) => {
  const { sessionId } = await client.openTab(context);
  // The navigation becomes a download, which is an error of the command.
  await client.send('Page.navigate', { url: site.url + path }, sessionId);
};
const reason = expect.stringMatching(
  /^The session has more than 100 MiB of downloads with it\. Delete files/,
);

describe('a download that is too large for the session is canceled, and the session goes on', () => {
  it('while it is stored', async () => {
    await download('/endless');
    await pollUntil(() => browser.canceled.length > 0);
    expect(browser.canceled).toEqual([{ name: 'endless.bin', reason }]);
    await pollUntil(async () => sending === 0 && (await files()).length === 0);
    expect(browser.downloads.canceled.at(-1)).toEqual(browser.canceled[0]);
  });

  it('at its start, if the site says how large it is', async () => {
    await download('/announced');
    await pollUntil(() => browser.canceled.length > 0);
    expect(browser.canceled).toEqual([{ name: 'announced.bin', reason }]);
    await pollUntil(async () => (await files()).length === 0);
  });

  it('in a context of a client, whatever the client sets', async () => {
    const { result } = await client.send('Target.createBrowserContext');
    const { browserContextId } = result;
    const behavior = {
      behavior: 'allowAndName',
      downloadPath: '/tmp',
      browserContextId,
      eventsEnabled: true,
    };
    await client.send('Browser.setDownloadBehavior', behavior);
    await download('/endless', { browserContextId });
    await pollUntil(() => browser.canceled.length > 0);
    await pollUntil(async () => sending === 0 && (await files()).length === 0);
    // The client hears of it as of any download that ends early.
    await pollUntil(() => client.events.some(({ params }) => params?.state === 'canceled'));
    await client.send('Target.disposeBrowserContext', { browserContextId });
  });

  it('when other files take the space, and later downloads are kept when those are deleted', async () => {
    const path = join(browser.directory.downloads, 'large.bin');
    await writeFile(path, Buffer.alloc(101 * MIB, 'x'));
    await download('/small');
    await pollUntil(() => browser.canceled.length > 0);
    expect(browser.canceled).toEqual([{ name: 'small.txt', reason }]);
    await pollUntil(async () => (await files()).join() === 'large.bin');
    await rm(path);
    await download('/small');
    await pollUntil(async () => (await files()).join() === 'small.txt');
    expect(browser.canceled).toHaveLength(1);
  });
});
