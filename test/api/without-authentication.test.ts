import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Browser, chromium } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { readConfig } from '../../src/config.ts';
import { findChromium } from '../../src/run/embedded/chromium.ts';
import { startApi } from '../support/api/in-process-api.ts';
import { startPages } from '../support/sites/pages.ts';
import { useDatabase } from '../support/storage/database.ts';

/**
 * `WINNOW_AUTH=off` is for programs of one machine. Its browser, which opens pages of everybody, may not be used by
 * them to reach the service.
 */

const db = useDatabase();
const ID = '0190b3c4-1111-7222-8333-444455556666';

type Api = Awaited<ReturnType<typeof startApi>>;
let open: Api;
let closed: Api;
beforeAll(async () => {
  open = await startApi({
    WINNOW_AUTH: 'off',
    PUBLIC_URL: 'https://public.example/base',
    WINNOW_ALLOWED_HOSTS: 'api, other.example:80',
  });
  closed = await startApi({});
});
afterAll(async () => {
  await open[Symbol.asyncDispose]();
  await closed[Symbol.asyncDispose]();
});

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends a request with any headers, also those that `fetch` decides about. */
async function send(
  api: Api,
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const sent = httpRequest(`${api.url}${path}`, { method, headers, setHost: headers.Host === undefined });
  sent.end(method === 'POST' ? '{"nonsense":1}' : undefined);
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}
const codeOf = (answer: Answer) => JSON.parse(answer.text).code;

/** The status and code of the response to a WebSocket handshake; 101 if it was accepted. */
async function upgrade(api: Api, path: string, headers: Record<string, string>): Promise<number | string> {
  const socket = new WebSocket(`${api.url.replace(/^http/, 'ws')}${path}`, { headers });
  socket.on('error', () => undefined);
  return new Promise((resolve) => {
    socket.once('unexpected-response', async (_request, response) =>
      resolve(`${response.statusCode} ${JSON.parse(await text(response)).code}`),
    );
    socket.once('open', () => {
      socket.close();
      resolve(101);
    });
  });
}

describe('a service without authentication', () => {
  it.each(['/v2/team/credit-usage', '/openapi.json', '/health'])(
    'lets no page of another origin read %s, which one with keys does',
    async (path) => {
      const headers = { Origin: 'http://evil.example' };
      expect((await send(open, path, { headers })).headers).not.toHaveProperty('access-control-allow-origin');
      expect((await send(closed, path, { headers })).headers).toMatchObject({
        'access-control-allow-origin': '*',
      });
    },
  );

  it('grants no preflight, which one with keys does', async () => {
    const preflight = {
      method: 'OPTIONS',
      headers: { Origin: 'http://evil.example', 'Access-Control-Request-Method': 'POST' },
    };
    const refused = await send(open, '/v2/scrape', preflight);
    expect([refused.status, codeOf(refused)]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(refused.headers).not.toHaveProperty('access-control-allow-methods');
    expect((await send(closed, '/v2/scrape', preflight)).status).toBe(204);
  });

  it.each([
    'evil.example',
    'evil.example:3002',
    'localhost.evil.example',
    '10.0.0.1',
    '',
    'localhost@evil.example',
  ])('does not serve the host %j', async (Host) => {
    for (const path of [
      '/v2/team/credit-usage',
      '/docs/',
      '/health',
      '/metrics',
      '/openapi.json',
      '/nowhere',
    ]) {
      const refused = await send(open, path, { headers: { Host } });
      expect([refused.status, codeOf(refused)], path).toEqual([403, 'UNTRUSTED_ORIGIN']);
      expect(refused.text).toContain('WINNOW_ALLOWED_HOSTS');
    }
    // The client of WebSockets always sends one.
    if (!Host) return;
    expect(await upgrade(open, `/v2/crawl/${ID}`, { Host })).toBe('403 UNTRUSTED_ORIGIN');
    expect(await upgrade(open, `/v2/browser/${ID}/cdp/${'x'.repeat(43)}`, { Host })).toBe(
      '403 UNTRUSTED_ORIGIN',
    );
    expect((await send(closed, '/health', { headers: { Host } })).status).toBe(200);
  });

  it.each([
    'localhost',
    'LocalHost:9',
    'api.localhost',
    '127.0.0.1',
    '[::1]:3002',
    'public.example',
    'api:3002',
    'OTHER.example',
  ])('serves the host %s', async (Host) => {
    expect((await send(open, '/v2/team/credit-usage', { headers: { Host } })).status).toBe(200);
    expect(await upgrade(open, `/v2/crawl/${ID}`, { Host })).toBe(101);
  });

  it('does not take the host from a proxy', async () => {
    const headers = { Host: 'evil.example', 'X-Forwarded-Host': 'localhost' };
    expect((await send(open, '/v2/team/credit-usage', { headers })).status).toBe(403);
  });

  it.each([
    [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
    [{ 'Sec-Fetch-Site': 'same-site' }, 403],
    [{ Origin: 'http://evil.example' }, 403],
    [{ Origin: 'http://localhost:81', Host: 'localhost:80' }, 403],
    [{ Origin: 'null' }, 403],
    [{ Origin: 'http://localhost:80', Host: 'localhost:80' }, 400],
    [{ Origin: 'https://public.example', 'Sec-Fetch-Site': 'same-origin' }, 400],
    [{ 'Sec-Fetch-Site': 'none' }, 400],
    [{ 'Sec-Fetch-Mode': 'cors' }, 400],
    [{}, 400],
  ])('acts for programs and its own pages, not for those of others: %j', async (given, status) => {
    const headers = Object.fromEntries(Object.entries(given));
    const answer = await send(open, '/v2/scrape', { method: 'POST', headers });
    expect([answer.status, codeOf(answer)]).toEqual([
      status,
      status === 403 ? 'UNTRUSTED_ORIGIN' : 'BAD_REQUEST',
    ]);
    expect((await send(open, `/v2/crawl/${ID}`, { method: 'DELETE', headers })).status).toBe(
      status === 403 ? 403 : 404,
    );
    // What is only read stays open, because no other origin sees the response.
    expect((await send(open, '/v2/team/credit-usage', { headers })).status).toBe(200);
  });

  it.each([
    ['http://evil.example', 403],
    ['http://localhost', 101],
  ])('lets a page of %s watch a job: %s', async (Origin, status) => {
    const outcome = status === 403 ? `403 UNTRUSTED_ORIGIN` : status;
    expect(await upgrade(open, `/v2/crawl/${ID}`, { Origin, Host: 'localhost' })).toBe(outcome);
    expect(await upgrade(closed, `/v2/crawl/${ID}`, { Origin, Host: 'localhost' })).toBe(101);
  });
});

describe('a page of another site, in a browser on the machine of the service', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: (await findChromium(readConfig())).path,
      args: ['--no-sandbox', '--host-resolver-rules=MAP evil.example 127.0.0.1'],
    });
  });
  afterAll(() => browser.close());

  it('neither reads from a service without authentication nor makes it work', async () => {
    await using pages = await startPages({ '/': '<p>Evil</p>' });
    const page = await browser.newPage();
    await page.goto(pages.url.replace('127.0.0.1', 'evil.example'));
    const target = `http://127.0.0.1/${crypto.randomUUID()}`;
    const attack = `async () => {
      const tell = (promise) => promise.then((response) => response.text(), () => 'refused');
      const body = JSON.stringify({ url: ${JSON.stringify(target)}, timeout: 1000 });
      await tell(fetch('${open.url}/v2/scrape', { method: 'POST', mode: 'no-cors', body }));
      return tell(fetch('${open.url}/v2/team/activity'));
    }`;
    expect(await page.evaluate(`(${attack})()`)).toBe('refused');
    const jobs = await db.query.selectFrom('jobs').select('id').where('target', '=', target).execute();
    expect(jobs).toEqual([]);
  });

  it('reads nothing under a name of its own that leads to the service', async () => {
    const page = await browser.newPage();
    const { port } = new URL(open.url);
    const response = await page.goto(`http://evil.example:${port}/v2/team/activity`);
    expect(response?.status()).toBe(403);
    expect(await response?.json()).toMatchObject({ success: false, code: 'UNTRUSTED_ORIGIN' });
  });
});
