import { readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from 'vitest';
import { codeOf } from '../../src/errors.ts';
import { connectRaw, type RawClient } from '../support/browser/protocol.ts';
import { type Process, processesBelow } from '../support/processes/process-list.ts';
import { startTestSessionBrowser, type TestSessionBrowser } from '../support/sessions/session-browser.ts';
import { useSite } from '../support/sites/use-site.ts';
import { pollUntil } from '../support/suite/poll.ts';

/**
 * What a client of the DevTools protocol can do to the machine, to its own browser, and to another session.
 */

const SECRET = 'winnow-isolation-secret';

const site = useSite();
let own: TestSessionBrowser;
let other: TestSessionBrowser;
let client: RawClient;
let stranger: RawClient;
let tab: string;
let targetId: string;
beforeAll(async () => {
  process.env.WINNOW_ISOLATION_SECRET = SECRET;
  [own, other] = await Promise.all([startTestSessionBrowser(), startTestSessionBrowser()]);
  [client, stranger] = await Promise.all([connectRaw(own.url), connectRaw(other.url)]);
  ({ sessionId: tab, targetId } = await client.openTab());
  await client.send('Page.enable', {}, tab);
  await writeFile(join(other.directory.downloads, 'secret'), SECRET, { mode: 0o644 });
});
afterEach(async () => {
  // The session still works.
  expect(await client.evaluate(tab, '6 * 7')).toBe(42);
  expect(await client.send('Browser.getVersion')).toHaveProperty('result.product');
});
afterAll(async () => {
  delete process.env.WINNOW_ISOLATION_SECRET;
  for (const each of [client, stranger, own, other]) await each[Symbol.asyncDispose]();
});

/** Sends a command about the tab. */
const send = (method: string, params: object = {}) => client.send(method, params, tab);
const goto = async (path: string) => {
  await send('Page.navigate', { url: site.url + path });
  await pollUntil(
    async () => (await client.evaluate(tab, 'location.pathname + document.readyState')) === `${path}complete`,
  );
};

describe('a client does not open', () => {
  test.each([
    ['a file', 'file:///etc/passwd'],
    ['a file in capital letters', 'FILE:///etc/passwd'],
    ['a file after spaces', ' \t\nfile:///etc/passwd'],
    ['a file with line breaks in its scheme', 'fi\nle:///etc/passwd'],
    ['a file of a host', 'file://localhost/etc/passwd'],
    ['a file with backslashes', 'file:\\\\\\etc\\passwd'],
    ['the source of a file', 'view-source:file:///etc/passwd'],
    ['a file of a file system', 'filesystem:file:///temporary/x'],
    ['the profile of its browser', 'file:///profile/Default/Cookies'],
    ['its environment', 'file:///proc/self/environ'],
    ['a page of the browser', 'chrome://version'],
    ['settings', 'chrome://net-export'],
    ['untrusted pages of the browser', 'chrome-untrusted://print'],
    ['a page that crashes the browser', 'chrome://inducebrowsercrashforrealz'],
    ['a page that hangs the browser', 'chrome://uithreadhang'],
    ['developer tools', 'devtools://devtools/bundled/devtools_app.html'],
    ['an extension', 'chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html'],
    ['a script', 'javascript:fetch("file:///etc/passwd")'],
    ['another protocol', 'ftp://127.0.0.1/'],
    ['a file of a host that is none', 'file://a b/etc/passwd'],
    ['a page of the browser at an impossible port', 'chrome://version:99999/'],
  ])('%s, in any way', async (_name, url) => {
    const { result: tree } = await send('Page.getFrameTree');
    const { id: frameId } = tree.frameTree.frame;
    const options = { disableCache: true, includeCredentials: false };
    for (const response of [
      await send('Page.navigate', { url }),
      await client.send('Target.createTarget', { url }),
      await send('Network.loadNetworkResource', { frameId, url, options }),
    ])
      expect(response.error?.message).toMatch(/accepts only URLs with the schemes/);
  });
});

describe('a page of a client does not load a file', () => {
  const leaks = (code: string) => client.evaluate(tab, `new Promise((done) => { ${code} })`);
  test.each([
    [
      'in a frame',
      `const frame = document.createElement('iframe'); frame.src = 'file:///etc/passwd'; document.documentElement.append(frame); setTimeout(() => { try { done(frame.contentDocument?.body?.innerText ?? '') } catch { done('') } }, 300)`,
    ],
    [
      'with fetch',
      `fetch('file:///etc/passwd').then((response) => response.text()).then(done, () => done(''))`,
    ],
    [
      'as a script',
      `const script = document.createElement('script'); script.onload = () => done('loaded'); script.onerror = () => done(''); script.src = 'file:///etc/passwd'; document.documentElement.append(script)`,
    ],
    [
      'as an image',
      `const image = new Image(); image.onload = () => done('loaded'); image.onerror = () => done(''); image.src = 'file:///downloads/x.png'`,
    ],
    [
      'in a worker',
      `const worker = new Worker(URL.createObjectURL(new Blob(["fetch('file:///etc/passwd').then(() => postMessage('loaded'), () => postMessage(''))"]))); worker.onmessage = ({ data }) => done(data)`,
    ],
    [
      'in a popup',
      `const popup = open('file:///etc/passwd'); setTimeout(() => { try { done(popup?.document.body.innerText ?? '') } catch { done('') } }, 300)`,
    ],
  ])('%s', async (_name, code) => {
    await goto('/article/1');
    expect(await leaks(code)).toBe('');
  });

  test.each([
    [
      'of a data URL',
      `data:text/html,<iframe src="file:///etc/passwd"></iframe><script src="file:///etc/passwd"></script>`,
    ],
    ['without an origin', 'about:blank'],
  ])('from a page %s', async (_name, url) => {
    const { sessionId, targetId: opened } = await client.openTab({ url });
    expect(
      await client.evaluate(sessionId, `fetch('file:///etc/passwd').then(() => 'loaded', () => '')`),
    ).toBe('');
    await client.evaluate(sessionId, `location = 'file:///etc/passwd'; 1`);
    expect(await client.evaluate(sessionId, `location.protocol`)).not.toBe('file:');
    const { result } = await client.send('Page.captureSnapshot', {}, sessionId);
    expect(result.data).not.toContain('root:');
    await client.send('Target.closeTarget', { targetId: opened });
  });

  test('by a redirect that the client makes', async () => {
    await goto('/article/1');
    await send('Fetch.enable', { patterns: [{ urlPattern: '*/go-to-file' }] });
    const done = client.evaluate(
      tab,
      `fetch('/go-to-file', { mode: 'no-cors' }).then(() => 'loaded', () => '')`,
    );
    const paused = await pollUntil(async () =>
      client.events.find(({ method }) => method === 'Fetch.requestPaused'),
    );
    const { requestId } = paused.params;
    const responseHeaders = [{ name: 'Location', value: 'file:///etc/passwd' }];
    await send('Fetch.fulfillRequest', { requestId, responseCode: 302, responseHeaders });
    expect(await done).toBe('');
    await send('Fetch.disable');
  });
});

describe('a client does not give a page a file of the machine', () => {
  test.each([
    ['of the system', ['/etc/passwd']],
    ['of the profile', ['/profile/Default/Cookies']],
    ['above the downloads', ['/downloads/../etc/passwd']],
    ['beside a download', ['/downloads/a', '/etc/passwd']],
    ['of a process', ['/proc/self/environ']],
    ['of this machine', [import.meta.filename]],
    ['without a path', [{ toString: '/downloads/x' }]],
  ])('%s', async (_name, files) => {
    await goto('/article/1');
    await client.evaluate(tab, `document.body.innerHTML = '<input type="file">'`);
    const { result: document } = await send('DOM.getDocument');
    const { result: found } = await send('DOM.querySelector', {
      nodeId: document.root.nodeId,
      selector: 'input',
    });
    const { nodeId } = found;
    const set = await send('DOM.setFileInputFiles', { files, nodeId });
    expect(set.error?.message).toMatch(/accepts only files in/);
    const data = { items: [], files, dragOperationsMask: 1 };
    const drop = await send('Input.dispatchDragEvent', { type: 'drop', x: 9, y: 9, data });
    expect(drop.error?.message).toMatch(/accepts only files in/);
    expect(await client.evaluate(tab, 'document.querySelector("input").files.length')).toBe(0);
  });

  test('that only its name makes one of the downloads', async () => {
    await goto('/article/1');
    await client.evaluate(tab, `document.body.innerHTML = '<input type="file">'`);
    const { result: document } = await send('DOM.getDocument');
    const { result: found } = await send('DOM.querySelector', {
      nodeId: document.root.nodeId,
      selector: 'input',
    });
    // The file is one of the other session.
    await send('DOM.setFileInputFiles', { files: ['/downloads/secret'], nodeId: found.nodeId });
    const read = `document.querySelector('input').files[0]?.text().catch(() => '')`;
    expect((await client.evaluate(tab, read)) ?? '').toBe('');
  });
});

describe('a client is refused', () => {
  test.each([
    ['to crash the browser', 'Browser.crash', {}],
    ['to crash the graphics process', 'Browser.crashGpuProcess', {}],
    ['commands of the browser', 'Browser.executeBrowserCommand', { commandId: 'openTabSearch' }],
    ['to give a page the protocol', 'Target.exposeDevToolsProtocol', { targetId: 'OWN' }],
    ['to open developer tools', 'Target.openDevTools', { targetId: 'OWN' }],
    [
      'browsers at other addresses',
      'Target.setRemoteLocations',
      { locations: [{ host: '127.0.0.1', port: 9222 }] },
    ],
    [
      'messages past the filter',
      'Target.sendMessageToTarget',
      { targetId: 'OWN', message: '{"id":1,"method":"Browser.crash"}' },
    ],
    ['ports of the browser', 'Tethering.bind', { port: 8080 }],
    ['extensions', 'Extensions.loadUnpacked', { path: '/downloads' }],
    ['installed applications', 'PWA.install', { manifestId: 'https://a.test/' }],
    ['an unknown stream', 'IO.read', { handle: 'file:///etc/passwd' }],
    ['a stream of a path', 'IO.read', { handle: '../../etc/passwd' }],
    ['the command line of the browser', 'Browser.getBrowserCommandLine', {}],
    [
      'a context that does not exist',
      'Target.createTarget',
      { url: 'about:blank', browserContextId: 'A'.repeat(32) },
    ],
  ])('%s', async (_name, method, params) => {
    const filled = JSON.parse(JSON.stringify(params).replaceAll('OWN', targetId));
    for (const sessionId of [undefined, tab]) {
      const { error } = await client.send(method, filled, sessionId);
      expect(error).toEqual({ code: expect.any(Number), message: expect.any(String) });
    }
  });
});

describe('the downloads of a session stay in its directory', () => {
  test.each([
    ['the browser', 'Browser.setDownloadBehavior', { behavior: 'allowAndName', downloadPath: '/profile' }],
    [
      'the browser, in a directory above',
      'Browser.setDownloadBehavior',
      { behavior: 'allow', downloadPath: '/downloads/../profile' },
    ],
    ['a page', 'Page.setDownloadBehavior', { behavior: 'allow', downloadPath: '/tmp' }],
  ])('whatever a client sets for %s', async (name, method, params) => {
    const session = method.startsWith('Page') ? tab : undefined;
    expect(await client.send(method, params, session)).toMatchObject({ result: {} });
    const { sessionId, targetId: opened } = await client.openTab();
    const file = `${name.replaceAll(/\W/g, '-')}.txt`;
    const code = `Object.assign(document.createElement('a'), { href: URL.createObjectURL(new Blob(['text'])), download: '${file}' }).click()`;
    await client.evaluate(sessionId, code);
    await pollUntil(async () => (await readdir(own.directory.downloads)).includes(file));
    await client.send('Target.closeTarget', { targetId: opened });
  });
});

describe('a session has nothing of another one:', () => {
  test('cookies and storage', async () => {
    const theirs = await stranger.openTab();
    await stranger.send('Page.navigate', { url: `${site.url}/article/1` }, theirs.sessionId);
    const save = `document.cookie = 'theirs=${SECRET}'; localStorage.setItem('theirs', '${SECRET}'); 'saved'`;
    await pollUntil(async () => (await stranger.evaluate(theirs.sessionId, save)) === 'saved');
    await goto('/article/1');
    const read = await client.evaluate(tab, `document.cookie + JSON.stringify(localStorage)`);
    const { result } = await client.send('Storage.getCookies');
    expect(read + JSON.stringify(result)).not.toContain(SECRET);
  });

  test('targets and browser contexts', async () => {
    const { result: theirs } = await stranger.send('Target.getTargets');
    const ids: string[] = theirs.targetInfos.map((info: { targetId: string }) => info.targetId);
    const { result: ours } = await client.send('Target.getTargets');
    expect(JSON.stringify(ours)).not.toContain(ids[0]);
    for (const id of ids) {
      const { error } = await client.send('Target.attachToTarget', { targetId: id, flatten: true });
      expect(error?.message).toMatch(/No target/);
    }
    const { browserContextId } = theirs.targetInfos[0];
    const { error } = await client.send('Storage.getCookies', { browserContextId });
    expect(error).toBeDefined();
  });

  test('sessions of the protocol', async () => {
    const theirs = await stranger.openTab();
    for (const sessionId of [theirs.sessionId, 'A'.repeat(32), 'x', '__proto__', 'constructor']) {
      const { error } = await client.send('Runtime.evaluate', { expression: '1' }, sessionId);
      expect(error?.message).toBe('Session with given id not found.');
    }
  });
});

it('clients of one session do not use the protocol sessions of each other', async () => {
  await using second = await connectRaw(own.url);
  const opened = await second.openTab();
  const { error } = await client.send('Runtime.evaluate', { expression: '1' }, opened.sessionId);
  expect(error?.message).toBe('Session with given id not found.');
  const detach = await client.send('Target.detachFromTarget', { sessionId: opened.sessionId });
  expect(detach.error).toBeDefined();
  expect(await second.evaluate(opened.sessionId, '1 + 1')).toBe(2);
});

describe('a client that sends ids of its own choice gets its responses', () => {
  const exchange = async (texts: string[], count: number) => {
    await using raw = await connectRaw(own.url);
    const received: { id?: number }[] = [];
    raw.socket.on('message', (data) => received.push(JSON.parse(String(data))));
    for (const text of texts) raw.socket.send(text);
    await pollUntil(async () => received.length >= count);
    return received;
  };
  test.each([
    ['the same twice', [5, 5]],
    ['the largest', [Number.MAX_SAFE_INTEGER]],
    ['negative ones', [-1, Number.MIN_SAFE_INTEGER]],
    ['zero', [0]],
  ])('%s', async (_name, ids) => {
    const texts = ids.map((id) => `{"id":${id},"method":"Browser.getVersion"}`);
    const received = await exchange(texts, ids.length);
    expect(received.map(({ id }) => id)).toEqual(ids);
    for (const message of received) expect(message).toHaveProperty('result.product');
  });

  test('and an error for one that JavaScript cannot count', async () => {
    const [refused] = await exchange(['{"id":9007199254740993,"method":"Browser.getVersion"}'], 1);
    expect(refused).toHaveProperty('error.code', -32_600);
  });
});

it('reading about the browser reveals nothing of the machine', async () => {
  const read = [
    await client.send('SystemInfo.getInfo'),
    await client.send('SystemInfo.getProcessInfo'),
    await send('Memory.getAllTimeSamplingProfile'),
    await send('Memory.getDOMCounters'),
    await send('HeapProfiler.collectGarbage'),
    await send('Performance.getMetrics'),
    await client.send('Tracing.getCategories'),
  ];
  const text = JSON.stringify(read);
  expect(text).not.toContain(own.directory.path);
  expect(text).not.toContain(process.cwd());
});

describe('the browser itself, whatever gets past the filter of commands,', () => {
  test.each<[string, () => string]>([
    ['accounts', () => '/etc/passwd'],
    ['passwords', () => '/etc/shadow'],
    ['the names of other machines', () => '/etc/hosts'],
    ['devices', () => '/sys'],
    ['sockets of services', () => '/run'],
    ['this repository', () => join(import.meta.dirname, '..', '..', 'package.json')],
    ['its own directory, by its path on this machine', () => own.directory.path],
    ['the downloads of another session', () => join(other.directory.downloads, 'secret')],
    ['the profile of another session', () => other.directory.profile],
  ])('has no file of this machine: %s', async (_name, path) => {
    const { browser, session } = bySession(own);
    const { targetId: opened } = await browser.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await browser.send('Target.attachToTarget', { targetId: opened, flatten: true });
    const { errorText } = await session(sessionId).send('Page.navigate', { url: `file://${path()}` });
    expect(errorText).toBe('net::ERR_FILE_NOT_FOUND');
    await browser.send('Target.closeTarget', { targetId: opened });
  });

  test('opens files at all, such as its own downloads', async () => {
    await writeFile(join(own.directory.downloads, 'own.txt'), 'own', { mode: 0o644 });
    const { browser, session } = bySession(own);
    const { targetId: opened } = await browser.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await browser.send('Target.attachToTarget', { targetId: opened, flatten: true });
    const tabOfHost = session(sessionId);
    expect(await tabOfHost.send('Page.navigate', { url: 'file:///downloads/own.txt' })).not.toHaveProperty(
      'errorText',
    );
    await pollUntil(async () => {
      const expression = 'document.body?.innerText';
      return (await tabOfHost.send('Runtime.evaluate', { expression })).result.value === 'own';
    });
    await browser.send('Target.closeTarget', { targetId: opened });
  });

  test('has no network but the port of its proxy, no process of this machine, and no environment of the service', async () => {
    let checked = 0;
    for (const { pid } of chromiumOf(own)) {
      const seen = await unlessEnded(async () => ({
        networks: await readFile(`/proc/${pid}/net/dev`, 'utf8'),
        sockets: await readFile(`/proc/${pid}/net/tcp`, 'utf8'),
        environment: await readFile(`/proc/${pid}/environ`, 'utf8'),
        namespaces: await namespacesOf(pid),
      }));
      if (!seen) continue;
      expect(namesIn(seen.networks).filter((name) => name !== 'lo')).toEqual([]);
      // The state of a socket that listens is 0A. The renderers are in an even smaller network without any
      // port.
      const ports = [...seen.sockets.matchAll(/: 0100007F:([0-9A-F]{4}) 00000000:0000 0A/g)].map(([, port]) =>
        Number.parseInt(port ?? '', 16),
      );
      expect([[3128], []]).toContainEqual(ports);
      expect(seen.sockets.split('\n').filter((line) => / 0A /.test(line))).toHaveLength(ports.length);
      expect(seen.environment).not.toContain(SECRET);
      const ours = await namespacesOf('self');
      for (const [kind, namespace] of Object.entries(seen.namespaces))
        expect(namespace, kind).not.toBe(ours[kind]);
      checked++;
    }
    expect(checked).toBeGreaterThan(2);
  });

  test("runs pages in Chromium's own sandbox besides, without privileges", async () => {
    await goto('/article/1');
    const processes = chromiumOf(own);
    for (const { command, status } of processes) {
      expect(command).not.toMatch(
        /--no-sandbox|--disable-\S*sandbox|--single-process|--remote-debugging-port/,
      );
      expect(Number(status('Uid').split(/\s+/)[0])).not.toBe(0);
      expect(status('NoNewPrivs')).toBe('1');
    }
    const renderers = processes.filter(({ command }) => command.includes('--type=renderer'));
    const locked = renderers.filter(({ status }) => status('Seccomp') === '2');
    expect(locked.length).toBeGreaterThan(0);
    for (const { status } of locked)
      for (const set of ['CapEff', 'CapPrm', 'CapInh']) expect(status(set)).toBe('0000000000000000');
  });
});

/** The connection of the host, whose commands nobody filters. */
function bySession({ chromium: { connection } }: TestSessionBrowser) {
  return { browser: connection.browser, session: (id: string) => connection.session(id) };
}

/** The processes of Chromium in the sandbox of a session. */
const chromiumOf = ({ chromium }: TestSessionBrowser): Process[] =>
  processesBelow([chromium.pid!]).filter(({ command }) => /^\S*chrom\S* .*--/.test(command));

/** The names of the network interfaces in `/proc/<pid>/net/dev`. */
const namesIn = (text: string) => [...text.matchAll(/^ *(\S+):/gm)].map(([, name]) => name);

async function namespacesOf(pid: number | 'self'): Promise<Record<string, string>> {
  const kinds = ['net', 'pid', 'ipc', 'mnt', 'uts'];
  const links = await Promise.all(kinds.map((kind) => readlink(`/proc/${pid}/ns/${kind}`)));
  return Object.fromEntries(kinds.map((kind, index) => [kind, links[index] ?? '']));
}

/** @returns `undefined` if the process has ended, or belongs to another user */
async function unlessEnded<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EINVAL', 'EACCES'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}
