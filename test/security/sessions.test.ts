import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { connectRaw, type RawClient } from '../support/browser/protocol.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { pollUntil } from '../support/suite/poll.ts';
import { ALLOWED, expectSilence, heardOf } from './canary.ts';
import { type Aim, CLOSED, FORMS } from './forms.ts';

/** The browser of a session, whose user wants to reach this machine and its network. */

const service = useService();
const { port } = inject('canary');
const ALL = Object.entries({ ...FORMS, ...CLOSED });

let site: Pages;
let client: RawClient;
/** The session of the tab that the tests use. */
let tab: string;
let id: string;
beforeAll(async () => {
  site = await startPages(
    {
      '/': '<p>a page</p>',
      '/go': (request, response) => {
        const { searchParams } = new URL(request.url!, 'http://site.test');
        response.writeHead(302, { Location: searchParams.get('to') ?? '' }).end();
      },
      '/forms': (request, response) => {
        const { searchParams } = new URL(request.url!, 'http://site.test');
        const host = searchParams.get('host') ?? '';
        const body = ALL.map(([, form]) => form(aimAt(host, 'session-page'))).join('\n');
        response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<!doctype html><body>${body}</body>`);
      },
    },
    ALLOWED,
  );
  const { body } = await call('/v2/browser', { body: {} });
  id = body.id;
  client = await connectRaw(body.cdpUrl);
  ({ sessionId: tab } = await client.openTab());
  await client.send('Page.enable', {}, tab);
});
afterEach(async () => {
  expectSilence();
  // The session still works.
  await client.send('Page.navigate', { url: `${site.url}/` }, tab);
  await pollUntil(async () => (await client.evaluate(tab, 'document.body?.innerText')) === 'a page');
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await call(`/v2/browser/${id}`, { method: 'DELETE' });
  await site[Symbol.asyncDispose]();
});

function aimAt(host: string, mark: string): Aim {
  const target = `${host}:${port}/${mark}`;
  const url = `http://${target}`;
  return { url, ws: `ws://${target}`, redirect: `/go?${new URLSearchParams({ to: url })}`, host, port };
}

/** Ways to connect to an address by the protocol. Each resolves when the attempt has failed or succeeded. */
const WAYS: Record<string, (aim: Aim) => Promise<unknown>> = {
  'Page.navigate': ({ url }) => client.send('Page.navigate', { url }, tab),
  'Page.navigate to a redirect': ({ redirect }) =>
    client.send('Page.navigate', { url: site.url + redirect }, tab),
  'Target.createTarget': async ({ url }) => {
    const { sessionId, targetId } = await client.openTab({ url });
    await pollUntil(async () => {
      const state = await client.evaluate(sessionId, 'location.href + document.readyState');
      return state !== 'about:blankcomplete' && String(state).endsWith('complete');
    });
    await client.send('Target.closeTarget', { targetId });
  },
  'Page.setDocumentContent': async ({ url }) => {
    const { result } = await client.send('Page.getFrameTree', {}, tab);
    const html = `<img src="${url}" onload="done(1)" onerror="done(0)">`;
    await client.evaluate(tab, 'globalThis.shown = new Promise((resolve) => { done = resolve }); 1');
    await client.send('Page.setDocumentContent', { frameId: result.frameTree.frame.id, html }, tab);
    await client.evaluate(tab, 'shown');
  },
  'Network.loadNetworkResource': async ({ url }) => {
    const { result } = await client.send('Page.getFrameTree', {}, tab);
    const { id: frameId } = result.frameTree.frame;
    const options = { disableCache: true, includeCredentials: false };
    await client.send('Network.loadNetworkResource', { frameId, url, options }, tab);
  },
  'a request that Fetch.continueRequest sends elsewhere': async ({ url }) => {
    await client.send('Fetch.enable', { patterns: [{ urlPattern: '*/elsewhere' }] }, tab);
    const done = client.evaluate(tab, `fetch('/elsewhere').catch(() => 0)`);
    const { requestId } = await pausedRequest();
    await client.send('Fetch.continueRequest', { requestId, url }, tab);
    await done;
    await client.send('Fetch.disable', {}, tab);
  },
  'a redirect by Fetch.fulfillRequest': async ({ url }) => {
    await client.send('Fetch.enable', { patterns: [{ urlPattern: '*/elsewhere' }] }, tab);
    const done = client.evaluate(tab, `fetch('/elsewhere', { mode: 'no-cors' }).catch(() => 0)`);
    const { requestId } = await pausedRequest();
    const responseHeaders = [{ name: 'Location', value: url }];
    await client.send('Fetch.fulfillRequest', { requestId, responseCode: 302, responseHeaders }, tab);
    await done;
    await client.send('Fetch.disable', {}, tab);
  },
  'a context without the proxy': ({ url }) => navigateInContext(url, { proxyServer: 'direct://' }),
  'a context whose proxy has exceptions': ({ url }) =>
    navigateInContext(url, { proxyServer: 'http://127.0.0.1:3128', proxyBypassList: '*' }),
  'a context whose proxy is the target': ({ url, host }) =>
    navigateInContext(url, { proxyServer: `http://${host}:${port}` }),
  'a forged Host header': async ({ host }) => {
    await client.send('Network.enable', {}, tab);
    await client.send('Network.setExtraHTTPHeaders', { headers: { Host: `${host}:${port}` } }, tab);
    await client.send('Page.navigate', { url: `${site.url}/` }, tab);
    await client.send('Network.setExtraHTTPHeaders', { headers: {} }, tab);
  },
  fetch: ({ url }) => client.evaluate(tab, `fetch('${url}').catch(() => 0)`),
  'fetch without CORS': ({ url }) =>
    client.evaluate(tab, `fetch('${url}', { mode: 'no-cors' }).then(() => 1, () => 0)`),
  XMLHttpRequest: ({ url }) =>
    client.evaluate(
      tab,
      `new Promise((done) => { const xhr = new XMLHttpRequest(); xhr.onloadend = done; xhr.open('GET', '${url}'); xhr.send(); }).then(() => 1)`,
    ),
  WebSocket: ({ ws }) =>
    client.evaluate(
      tab,
      `new Promise((done) => { const socket = new WebSocket('${ws}'); socket.onopen = socket.onclose = done; }).then(() => 1)`,
    ),
  EventSource: ({ url }) =>
    client.evaluate(
      tab,
      `new Promise((done) => { const source = new EventSource('${url}'); source.onopen = source.onerror = done; }).then(() => 1)`,
    ),
  'an image': ({ url }) =>
    client.evaluate(
      tab,
      `new Promise((done) => { const image = new Image(); image.onload = image.onerror = done; image.src = '${url}'; }).then(() => 1)`,
    ),
};

async function pausedRequest(): Promise<{ requestId: string }> {
  await pollUntil(async () => client.events.some(({ method }) => method === 'Fetch.requestPaused'));
  const index = client.events.findIndex(({ method }) => method === 'Fetch.requestPaused');
  return client.events.splice(index, 1)[0]!.params;
}

async function navigateInContext(url: string, proxy: object): Promise<void> {
  const { result, error } = await client.send('Target.createBrowserContext', proxy);
  // Proxies are an option of the session.
  if (error) return;
  const { browserContextId } = result;
  const { sessionId } = await client.openTab({ browserContextId });
  await client.send('Page.navigate', { url }, sessionId);
  await client.send('Target.disposeBrowserContext', { browserContextId });
}

/** Ways that do not work in a session, wherever they go, so that the canary never hears of them. */
const NEVER_HEARD = new Set([
  'a context without the proxy',
  'a context whose proxy has exceptions',
  'a context whose proxy is the target',
  'a forged Host header',
]);

describe('by the protocol, this machine is not reached with', () => {
  it.each(Object.entries(WAYS))('%s', async (name, connect) => {
    for (const host of ['127.0.0.1', '[::1]', 'inside.test']) await connect(aimAt(host, 'session'));
    expectSilence();
    const mark = `session-${Object.keys(WAYS).indexOf(name)}-`;
    await connect(aimAt(ALLOWED, mark));
    // The way works where it may go. The canary writes down what it hears at once, but in another process.
    if (!NEVER_HEARD.has(name)) await pollUntil(async () => heardOf(mark));
  });
});

describe('a session does not open', () => {
  it.each([
    ['a name of this machine', 'localhost'],
    ['a name with a private address', 'inside.test'],
    ['a name with an IPv6 address of this machine', 'inside6.test'],
    ['a name with a mapped address', 'mapped.test'],
    ['a name with a NAT64 address', 'nat64.test'],
    ['a name with two addresses', 'mixed.test'],
    ['an alias', 'alias-of-alias.test'],
    ['a decimal address', '2130706433'],
    ['an octal address', '0177.0.0.1'],
    ['a hexadecimal address', '0x7f000001'],
    ['a short address', '127.1'],
    ['a mapped address', '[::ffff:127.0.0.1]'],
    ['a NAT64 address', '[64:ff9b::7f00:1]'],
    ['any address of this machine', '0.0.0.0'],
    ['any IPv6 address of this machine', '[::]'],
    ['cloud metadata', '169.254.169.254'],
    ['cloud metadata by IPv6', '[fd00:ec2::254]'],
    ['a name of cloud metadata', 'metadata.test'],
    ['a private network', '10.0.0.1'],
    ['a carrier network', '100.64.0.1'],
    ['a name of a private network', 'ten.test'],
  ])('%s', async (_name, host) => {
    const { result } = await client.send('Page.navigate', { url: `http://${host}:${port}/address` }, tab);
    expect(result.errorText).toMatch(/^net::ERR_/);
    const secure = await client.send('Page.navigate', { url: `https://${host}:${port}/address` }, tab);
    expect(secure.result.errorText).toMatch(/^net::ERR_(?:BLOCKED_BY_CLIENT|NAME_NOT_RESOLVED)$/);
  });
});

it('no page of a session reaches this machine, whatever it contains', async () => {
  for (const host of ['127.0.0.1', '[::1]', 'inside.test']) {
    const url = `${site.url}/forms?${new URLSearchParams({ host })}`;
    const { sessionId, targetId } = await client.openTab();
    await client.send('Page.navigate', { url }, sessionId);
    // Nothing says that a page has tried everything; on a slow machine it has tried less.
    await sleep(2_000);
    await client.send('Target.closeTarget', { targetId });
  }
});

it('the ports of the service are not reached by a session', async () => {
  const { urls } = service.readRunFile();
  for (const url of Object.values(urls)) {
    const own = /:(\d+)(?!.*:\d)/.exec(url)?.[1];
    const { result } = await client.send('Page.navigate', { url: `http://127.0.0.1:${own}/` }, tab);
    expect(result.errorText).toMatch(/^net::ERR_/);
  }
});
