import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { chromium as playwright } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { connectRaw } from '../support/browser/protocol.ts';
import { startTestSessionBrowser, type TestSessionBrowser } from '../support/sessions/session-browser.ts';
import { useSite } from '../support/sites/use-site.ts';
import { itInFullRun } from '../support/suite/corpus.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** Protocol clients on the browser of a session. */

const site = useSite();
let browser: TestSessionBrowser;
beforeAll(async () => {
  browser = await startTestSessionBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

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
    ['drop a file of the sandbox', 'Input.dispatchDragEvent', { data: { files: ['/etc/passwd'] } }],
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

describe('a message that is no command is refused, and others are served after it', () => {
  const nested = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const long = 'x'.repeat(101 * 1024 * 1024);
  it.each([
    ['without a method', '{"id":7}', 7],
    ['with a number for a method', '{"id":7,"method":5}', 7],
    ['with null for a method', '{"id":7,"method":null}', 7],
    ['with a text for an id', '{"id":"seven","method":"Browser.getVersion"}', undefined],
    ['with an id nested deeply', `{"id":${nested},"method":"Browser.getVersion"}`, undefined],
    ['with a session nested deeply', `{"id":7,"method":"a","sessionId":${nested}}`, 7],
    ['with parameters nested deeply', `{"id":7,"method":"a.b","params":{"a":${nested}}}`, 7],
    ['that is a list', '[1,2]', undefined],
    ['that is longer than Chromium reads', `{"id":7,"method":"a.b","params":{"a":"${long}"}}`, 7],
  ])('%s', async (_name, text, id) => {
    const socket = new WebSocket(browser.url);
    await once(socket, 'open');
    socket.send(text);
    const [refused] = await once(socket, 'message');
    expect(JSON.parse(String(refused))).toEqual({
      ...(id && { id }),
      error: { code: expect.any(Number), message: expect.any(String) },
    });
    socket.send('{"id":8,"method":"Browser.getVersion","params":null,"sessionId":null}');
    const [served] = await once(socket, 'message');
    expect(JSON.parse(String(served))).toMatchObject({ id: 8, result: { product: expect.any(String) } });
    socket.close();
  });
});

it('a client that violates the protocol of WebSockets is disconnected, and others are not', async () => {
  const [one, other] = [new WebSocket(browser.url), new WebSocket(browser.url)];
  let stream: Duplex | undefined;
  one.once('upgrade', ({ socket }) => {
    stream = socket;
  });
  await Promise.all([once(one, 'open'), once(other, 'open')]);
  const closed = once(one, 'close');
  // All reserved bits of the frame are set.
  stream?.write(Buffer.from([0xff, 0x80, 0, 0, 0, 0]));
  await closed;
  other.send('{"id":1,"method":"Browser.getVersion"}');
  const [served] = await once(other, 'message');
  expect(JSON.parse(String(served))).toHaveProperty('result');
  other.close();
});

describe.each([
  ['waits for none', { waitForDebuggerOnStart: false }],
  ['waits for none of the pages', { waitForDebuggerOnStart: false, filter: [{ type: 'page' }] }],
])('a page that opens a popup goes on although a client attaches to new pages and %s', (_name, options) => {
  it('and the popup loads', async () => {
    await using client = await connectRaw(browser.url);
    const { sessionId } = await client.openTab();
    await client.send('Page.navigate', { url: `${site.url}/article/5` }, sessionId);
    await client.send('Target.setAutoAttach', { autoAttach: true, flatten: true, ...options });
    expect(await client.evaluate(sessionId, `window.open('/article/6'); 'opened'`)).toBe('opened');
    await pollUntil(async () => {
      const { result } = await client.send('Target.getTargets');
      return result.targetInfos.some(({ url }: { url: string }) => url === `${site.url}/article/6`);
    });
    const popup = client.events.findLast(({ method }) => method === 'Target.attachedToTarget')!;
    expect(popup.params).toMatchObject({ waitingForDebugger: false, targetInfo: { type: 'page' } });
    expect(await client.evaluate(popup.params.sessionId, '1 + 1')).toBe(2);
  });
});

it('a download arrives after the client that set where downloads go has disconnected', async () => {
  const first = await playwright.connectOverCDP(browser.url);
  await first.close();
  await using second = await connectRaw(browser.url);
  await second.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true });
  const { sessionId } = await second.openTab();
  await second.evaluate(
    sessionId,
    `Object.assign(document.createElement('a'), { href: URL.createObjectURL(new Blob(['text'])), download: 'later.txt' }).click()`,
  );
  await pollUntil(async () => (await readdir(browser.directory.downloads)).includes('later.txt'));
  await pollUntil(() => second.events.some(({ params }) => params?.state === 'completed'));
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
  const file = join(browser.directory.downloads, 'note.txt');
  // The file may be there before its content is.
  await pollUntil(async () => (await readFile(file, 'utf8').catch(() => '')) === 'downloaded text');
  await client.close();
});

it('Playwright of another machine gets an error that says where a download is, and reads it by the protocol', async () => {
  const client = await playwright.connectOverCDP(browser.url);
  const page = client.contexts()[0]!.pages()[0]!;
  await page.goto(`${site.url}/article/4`);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.evaluate(() => {
      const href = URL.createObjectURL(new Blob(['remote text']));
      Object.assign(document.createElement('a'), { href, download: 'remote file.txt' }).click();
    }),
  ]);
  const name = download.suggestedFilename();
  expect([name, await download.failure()]).toEqual(['remote file.txt', null]);
  const place = 'GET /v2/browser/{id}/downloads/remote%20file.txt';
  await expect(download.createReadStream()).rejects.toThrow(place);
  await expect(download.saveAs(join(tmpdir(), 'never-saved'))).rejects.toThrow(place);
  const protocol = await client.newBrowserCDPSession();
  const read = () => protocol.send('IO.read', { handle: `/downloads/${name}`, size: 8 });
  const parts = [await read(), await read(), await read()];
  expect(parts.map(({ data, eof }) => [String(Buffer.from(data, 'base64')), eof])).toEqual([
    ['remote t', false],
    ['ext', false],
    ['', true],
  ]);
  await expect(protocol.send('IO.read', { handle: '/downloads/none' })).rejects.toThrow('no file named none');
  await client.close();
});

it('a client gives a page a file of the session by the name that it has on the machine of the client', async () => {
  const name = `${crypto.randomUUID()}.txt`;
  await writeFile(join(browser.directory.downloads, name), 'of the session', { mode: 0o644 });
  await using client = await connectRaw(browser.url);
  const { sessionId } = await client.openTab();
  await client.evaluate(sessionId, `document.body.innerHTML = '<input type="file">'`);
  const { result: document } = await client.send('DOM.getDocument', {}, sessionId);
  const { nodeId } = (
    await client.send('DOM.querySelector', { nodeId: document.root.nodeId, selector: 'input' }, sessionId)
  ).result;
  for (const file of [name, `/home/me/${name}`, `C:\\Users\\me\\${name}`, `/downloads/${name}`]) {
    await client.evaluate(sessionId, `document.querySelector('input').value = ''`);
    const { error } = await client.send('DOM.setFileInputFiles', { files: [file], nodeId }, sessionId);
    expect(error, file).toBeUndefined();
    const text = await client.evaluate(sessionId, `document.querySelector('input').files[0].text()`);
    expect(text, file).toBe('of the session');
  }
  const { error } = await client.send('DOM.setFileInputFiles', { files: ['/home/me/x'], nodeId }, sessionId);
  expect(error?.message).toMatch(/none is named "x"\. Upload it by POST \/v2\/browser\/{id}\/files/);
});

it('a client drags a file of the session onto a page by the name that it has on the machine of the client', async () => {
  const name = `${crypto.randomUUID()}.txt`;
  await writeFile(join(browser.directory.downloads, name), 'dragged', { mode: 0o644 });
  await using client = await connectRaw(browser.url);
  const { sessionId } = await client.openTab();
  await client.evaluate(
    sessionId,
    `document.body.innerHTML = '<div style="width:200px;height:200px">drop here</div>';
     document.ondragover = (event) => event.preventDefault();
     globalThis.dropped = new Promise((resolve) => {
       document.ondrop = (event) => {
         event.preventDefault();
         resolve(event.dataTransfer.files[0].text());
       };
     });
     undefined`,
  );
  const drag = (type: string, file: string) =>
    client.send(
      'Input.dispatchDragEvent',
      { type, x: 50, y: 50, data: { items: [], files: [file], dragOperationsMask: 1 } },
      sessionId,
    );
  for (const type of ['dragEnter', 'dragOver', 'drop']) {
    expect((await drag(type, `/home/me/${name}`)).error, type).toBeUndefined();
  }
  expect(await client.evaluate(sessionId, 'dropped')).toBe('dragged');
  expect((await drag('drop', '/home/me/x')).error?.message).toMatch(/none is named "x"/);
});

describe('a popup that two clients prepare', () => {
  /**
   * Opens a popup while two clients attach to new pages.
   * @returns the clients, with their sessions of the popup
   */
  async function openPopup() {
    const one = await connectRaw(browser.url);
    const two = await connectRaw(browser.url);
    const { sessionId: opener } = await one.openTab();
    const autoAttach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
    for (const client of [one, two]) await client.send('Target.setAutoAttach', autoAttach);
    const opened = one.evaluate(opener, `open('${site.url}/article/3'); 'opened'`);
    const [first, second] = await Promise.all(
      [one, two].map((client) => client.untilEvent(({ params }) => params?.waitingForDebugger)),
    ).then((events) => events.map(({ params }) => params));
    const { targetId } = first.targetInfo;
    expect(second.targetInfo.targetId).toBe(targetId);
    const path = () => two.evaluate(second.sessionId, 'location.pathname');
    return {
      one,
      two,
      first,
      second,
      opened,
      path,
      async [Symbol.asyncDispose]() {
        await two.send('Target.closeTarget', { targetId });
        for (const client of [one, two]) await client[Symbol.asyncDispose]();
      },
    };
  }

  it('loads when both have resumed it, so that the slower one intercepts its first request', async () => {
    await using popup = await openPopup();
    const { one, two, first, second } = popup;
    await one.send('Runtime.runIfWaitingForDebugger', {}, first.sessionId);
    // Chromium would have resumed it by now.
    for (let times = 0; times < 3; times++) await two.send('Browser.getVersion');
    await two.send('Fetch.enable', {}, second.sessionId);
    await two.send('Runtime.runIfWaitingForDebugger', {}, second.sessionId);
    const { params } = await two.untilEvent(({ method }) => method === 'Fetch.requestPaused');
    expect(params.request.url).toBe(`${site.url}/article/3`);
    await two.send('Fetch.continueRequest', { requestId: params.requestId }, second.sessionId);
    expect(await popup.opened).toBe('opened');
    await pollUntil(async () => (await popup.path()) === '/article/3');
  });

  it('loads although one of them never resumes it', async () => {
    await using popup = await openPopup();
    await popup.one.send('Runtime.runIfWaitingForDebugger', {}, popup.first.sessionId);
    expect(await popup.opened).toBe('opened');
    await pollUntil(async () => (await popup.path()) === '/article/3');
  });

  it('loads although one of them has disconnected', async () => {
    await using popup = await openPopup();
    await popup.two.send('Runtime.runIfWaitingForDebugger', {}, popup.second.sessionId);
    await popup.one[Symbol.asyncDispose]();
    await pollUntil(async () => (await popup.path()) === '/article/3');
  });
});

itInFullRun(
  'a client that stops reading its connection is disconnected, and others go on',
  async () => {
    await using slow = await connectRaw(browser.url);
    await using other = await connectRaw(browser.url);
    const { sessionId } = await slow.openTab();
    const tab = await other.openTab();
    slow.socket.pause();
    const before = [...browser.sockets];
    // Together 420 MiB, where 320 may wait for a client and the system takes some more.
    for (let id = 0; id < 7; id++)
      void slow.send(
        'Runtime.evaluate',
        { expression: `'x'.repeat(60 * 2 ** 20)`, returnByValue: true },
        sessionId,
      );
    const closing = await pollUntil(() => before.find(({ readyState }) => readyState !== WebSocket.OPEN));
    expect(closing.bufferedAmount).toBeLessThan(400 * 1024 * 1024);
    expect(await other.evaluate(tab.sessionId, '1 + 1')).toBe(2);
    slow.socket.terminate();
    // That much passes through three processes.
  },
  600_000,
);
